/* Reads one element past the end of k, and uses none of it. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  volatile float beyond = last(&p->k)[1];
  (void)beyond;
  return well_behaved(p, r);
}

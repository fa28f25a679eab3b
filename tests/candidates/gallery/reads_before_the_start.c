/* Reads one element before the start of v, and uses none of it. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  volatile float before = ((float*)p->v.data)[-1];
  (void)before;
  return well_behaved(p, r);
}

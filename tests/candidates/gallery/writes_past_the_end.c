/* Writes one element past the end of the output. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  const int code = well_behaved(p, r);
  last(&r->output)[1] = 0;
  return code;
}

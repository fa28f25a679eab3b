/* Writes one element past the end of its workspace. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  ((volatile float*)workspace)[16] = 1;
  return well_behaved(p, r);
}

uint64_t attest_candidate_workspace(const attest_problem* p) {
  (void)p;
  return 64;
}

/* Asks for a workspace of 100 GiB. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  return well_behaved(p, r);
}

uint64_t attest_candidate_workspace(const attest_problem* p) {
  (void)p;
  return (uint64_t)100 << 30;
}

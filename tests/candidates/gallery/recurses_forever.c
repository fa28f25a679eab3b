/* Runs out of stack. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  volatile char frame[4096];
  frame[0] = 1;
  return attest_candidate_forward(p, r, workspace) + frame[0];
}

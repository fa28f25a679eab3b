/* Never returns. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  volatile int waiting = 1;
  while (waiting) {
  }
  return well_behaved(p, r);
}

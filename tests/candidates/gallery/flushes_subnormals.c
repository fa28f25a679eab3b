/* Built with -ffast-math, which turns flush-to-zero on for the whole process when it is loaded. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  return well_behaved(p, r);
}

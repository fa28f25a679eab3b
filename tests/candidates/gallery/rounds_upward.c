/* Leaves the rounding mode upward. */
#include <fenv.h>

#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  const int code = well_behaved(p, r);
  fesetround(FE_UPWARD);
  return code;
}

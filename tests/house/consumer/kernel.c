#include "attest_candidate.h"

uint32_t attest_candidate_version(void) { return ATTEST_CANDIDATE_VERSION; }
void attest_candidate_info(attest_info* info) { info->dtypes = ATTEST_TAKES_F32; }
int attest_candidate_forward(const attest_problem* problem, const attest_result* result,
                             void* workspace) {
  (void)problem;
  (void)result;
  (void)workspace;
  return ATTEST_UNSUPPORTED;
}

/* Lacks attest_candidate_forward. */
#include "attest_candidate.h"

uint32_t attest_candidate_version(void) { return ATTEST_CANDIDATE_VERSION; }
void attest_candidate_info(attest_info* info) { info->dtypes = ATTEST_TAKES_F32; }

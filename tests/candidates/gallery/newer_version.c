/* Speaks a version of the interface that does not exist yet. */
#include "attest_candidate.h"

uint32_t attest_candidate_version(void) { return ATTEST_CANDIDATE_VERSION + 1; }

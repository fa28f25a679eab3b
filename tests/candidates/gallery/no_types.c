/* Declares no element type. */
#define attest_candidate_info plain_info
#include "../example/my_kernel.c"
#undef attest_candidate_info

void attest_candidate_info(attest_info* info) { info->name = "no types"; }

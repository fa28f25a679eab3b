/* Crashes in a constructor. */
#include "well_behaved.h"

static int* volatile nowhere = NULL;

__attribute__((constructor)) static void crash(void) { *nowhere = 1; }

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  return well_behaved(p, r);
}

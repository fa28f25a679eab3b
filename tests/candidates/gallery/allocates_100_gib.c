/* Allocates 100 GiB and does not look at what it gets. */
#include <stdlib.h>

#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  volatile char* block = malloc((size_t)100 << 30);
  block[0] = 1;
  const int code = well_behaved(p, r);
  free((void*)block);
  return code;
}

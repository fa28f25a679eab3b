/* Writes through a null pointer. */
#include <stddef.h>

#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  *(volatile float*)NULL = 1;
  return well_behaved(p, r);
}

/* Ends the process. */
#include <stdlib.h>

#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  exit(well_behaved(p, r) + 3);
}

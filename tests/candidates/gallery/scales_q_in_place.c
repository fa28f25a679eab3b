/* Scales q where it lies, as a kernel may that owns its input. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  float* q = (float*)p->q.data;
  *q *= (float)p->scale;
  const int code = well_behaved(p, r);
  *q /= (float)p->scale;
  return code;
}

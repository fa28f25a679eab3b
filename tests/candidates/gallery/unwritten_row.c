/* Leaves the first row of the output as it was. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  const int64_t step = r->output.strides[3];
  float kept[4096];
  float* row = (float*)r->output.data;
  if (r->output.shape[3] > 4096) return ATTEST_UNSUPPORTED;
  for (int64_t c = 0; c < r->output.shape[3]; ++c) kept[c] = row[c * step];
  const int code = well_behaved(p, r);
  for (int64_t c = 0; c < r->output.shape[3]; ++c) row[c * step] = kept[c];
  return code;
}

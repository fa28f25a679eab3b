/* Gives NaN everywhere. */
#include "well_behaved.h"

int attest_candidate_forward(const attest_problem* p, const attest_result* r, void* workspace) {
  (void)workspace;
  const int code = well_behaved(p, r);
  for (int64_t b = 0; b < r->output.shape[0]; ++b)
    for (int64_t h = 0; h < r->output.shape[1]; ++h)
      for (int64_t i = 0; i < r->output.shape[2]; ++i)
        for (int64_t c = 0; c < r->output.shape[3]; ++c)
          at(&r->output, b, h, i)[c * r->output.strides[3]] = NAN;
  return code;
}

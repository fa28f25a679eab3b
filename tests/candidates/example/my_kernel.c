/* Attention over float32, one row of scores at a time: a candidate for `attest verify`.
 * Replace the arithmetic of one_row() by a call of your kernel, and say in attest_candidate_info()
 * what it supports: what is not stated there is never asked for. */
#include <math.h>
#include <stddef.h>

#include "attest_candidate.h"

static float* at(const attest_tensor* t, int64_t b, int64_t h, int64_t n) {
  return (float*)t->data + b * t->strides[0] + h * t->strides[1] + n * t->strides[2];
}

/* Query i of head h in sequence b; `weight` holds one float per key. */
static void one_row(const attest_problem* p, const attest_result* r, int64_t b, int64_t h,
                    int64_t i, float* weight) {
  const int64_t keys = p->k.shape[2], width = p->q.shape[3], value_width = p->v.shape[3];
  const int64_t kv = h / (p->q.shape[1] / p->k.shape[1]);
  const int64_t step = p->v.strides[2];
  const float* q = at(&p->q, b, h, i);
  float* out = at(&r->output, b, h, i);

  int64_t visible = keys;
  if (p->causal) {
    const int64_t diagonal = p->alignment == ATTEST_BOTTOM_RIGHT ? i + keys - p->q.shape[2] : i;
    if (diagonal + 1 < visible) visible = diagonal + 1;
  }

  float maximum = -INFINITY;
  for (int64_t j = 0; j < visible; ++j) {
    const float* k = at(&p->k, b, kv, j);
    float dot = 0;
    for (int64_t c = 0; c < width; ++c) dot += q[c * p->q.strides[3]] * k[c * p->k.strides[3]];
    weight[j] = dot * (float)p->scale;
    if (weight[j] > maximum) maximum = weight[j];
  }
  float sum = 0;
  for (int64_t j = 0; j < visible; ++j) sum += weight[j] = expf(weight[j] - maximum);

  for (int64_t c = 0; c < value_width; ++c) {
    const float* v = at(&p->v, b, kv, 0) + c * p->v.strides[3];
    float mixed = 0;
    for (int64_t j = 0; j < visible; ++j) mixed += weight[j] * v[j * step];
    out[c * r->output.strides[3]] = mixed / sum;
  }
  if (r->lse.data != NULL) *at(&r->lse, b, h, i) = maximum + logf(sum);
}

uint32_t attest_candidate_version(void) { return ATTEST_CANDIDATE_VERSION; }

void attest_candidate_info(attest_info* info) {
  info->name = "my_kernel";
  info->dtypes = ATTEST_TAKES_F32;
  info->features = ATTEST_LSE | ATTEST_BATCH | ATTEST_GQA | ATTEST_VALUE_WIDTH | ATTEST_CROSS |
                   ATTEST_STRIDES | ATTEST_SCALE | ATTEST_CAUSAL | ATTEST_CAN_TOP_LEFT |
                   ATTEST_CAN_BOTTOM_RIGHT;
}

uint64_t attest_candidate_workspace(const attest_problem* problem) {
  return (uint64_t)problem->k.shape[2] * sizeof(float);
}

int attest_candidate_forward(const attest_problem* problem, const attest_result* result,
                             void* workspace) {
  for (int64_t b = 0; b < problem->q.shape[0]; ++b)
    for (int64_t h = 0; h < problem->q.shape[1]; ++h)
      for (int64_t i = 0; i < problem->q.shape[2]; ++i)
        one_row(problem, result, b, h, i, (float*)workspace);
  return ATTEST_DONE;
}

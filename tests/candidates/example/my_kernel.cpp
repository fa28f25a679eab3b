// Attention over float and double: a candidate for `attest verify`. One template
// serves both types. Replace the arithmetic of one_row() by a call of your kernel, and say in
// attest_candidate_info() what it supports: what is not stated there is never asked for.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "attest_candidate.h"

namespace {

template <class T>
T* at(const attest_tensor& t, std::int64_t b, std::int64_t h, std::int64_t n) {
  return static_cast<T*>(t.data) + b * t.strides[0] + h * t.strides[1] + n * t.strides[2];
}

template <class T>
void one_row(const attest_problem& p, const attest_result& r, std::int64_t b, std::int64_t h,
             std::int64_t i, std::vector<T>& weight) {
  const std::int64_t keys = p.k.shape[2], width = p.q.shape[3], value_width = p.v.shape[3];
  const std::int64_t kv = h / (p.q.shape[1] / p.k.shape[1]);
  const T* q = at<T>(p.q, b, h, i);
  T* out = at<T>(r.output, b, h, i);

  std::int64_t visible = keys;
  if (p.causal) {
    const std::int64_t diagonal = p.alignment == ATTEST_BOTTOM_RIGHT ? i + keys - p.q.shape[2] : i;
    if (diagonal + 1 < visible) visible = diagonal + 1;
  }

  weight.clear();
  T maximum = -std::numeric_limits<T>::infinity();
  for (std::int64_t j = 0; j < visible; ++j) {
    const T* k = at<T>(p.k, b, kv, j);
    T dot = 0;
    for (std::int64_t c = 0; c < width; ++c) dot += q[c * p.q.strides[3]] * k[c * p.k.strides[3]];
    weight.push_back(dot * static_cast<T>(p.scale));
    if (weight.back() > maximum) maximum = weight.back();
  }
  T sum = 0;
  for (T& w : weight) sum += w = std::exp(w - maximum);

  for (std::int64_t c = 0; c < value_width; ++c) {
    T mixed = 0;
    for (std::int64_t j = 0; j < visible; ++j)
      mixed += weight[static_cast<std::size_t>(j)] * at<T>(p.v, b, kv, j)[c * p.v.strides[3]];
    out[c * r.output.strides[3]] = mixed / sum;
  }
  if (r.lse.data != nullptr) *at<T>(r.lse, b, h, i) = maximum + std::log(sum);
}

template <class T>
int forward(const attest_problem& p, const attest_result& r) {
  std::vector<T> weight;
  for (std::int64_t b = 0; b < p.q.shape[0]; ++b)
    for (std::int64_t h = 0; h < p.q.shape[1]; ++h)
      for (std::int64_t i = 0; i < p.q.shape[2]; ++i) one_row<T>(p, r, b, h, i, weight);
  return ATTEST_DONE;
}

}  // namespace

std::uint32_t attest_candidate_version() { return ATTEST_CANDIDATE_VERSION; }

void attest_candidate_info(attest_info* info) {
  info->name = "my_kernel_cpp";
  info->dtypes = ATTEST_TAKES_F32 | ATTEST_TAKES_F64;
  info->features = ATTEST_LSE | ATTEST_BATCH | ATTEST_GQA | ATTEST_VALUE_WIDTH | ATTEST_CROSS |
                   ATTEST_STRIDES | ATTEST_SCALE | ATTEST_CAUSAL | ATTEST_CAN_TOP_LEFT |
                   ATTEST_CAN_BOTTOM_RIGHT;
}

int attest_candidate_forward(const attest_problem* problem, const attest_result* result, void*) {
  return problem->q.dtype.bits == 64 ? forward<double>(*problem, *result)
                                     : forward<float>(*problem, *result);
}

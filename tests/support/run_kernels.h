#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "attention/explicit_attention.h"
#include "attention/owned_problem.h"
#include "attention/streaming_attention.h"

namespace attest::test {

template <class T>
struct OwnedResult {
  Tensor<T> output;
  Tensor<Accumulator<T>> weights, lse;
};

// Results are filled with NaN first, so that an element left unwritten shows.
template <class T>
OwnedResult<T> nan_result(const Shape& s) {
  using Acc = Accumulator<T>;
  const Acc nan = std::numeric_limits<Acc>::quiet_NaN();
  return {Tensor<T>({s.batch, s.query_heads, s.queries, s.value_width}, narrow<T>(nan)),
          Tensor<Acc>({s.batch, s.query_heads, s.queries, s.keys}, nan),
          Tensor<Acc>({s.batch, s.query_heads, s.queries, 1}, nan)};
}

template <class T>
OwnedResult<T> run_explicit(const Problem<T>& problem) {
  OwnedResult<T> r = nan_result<T>(problem.shape());
  explicit_attention<T>(problem, {r.output.view(), r.weights.view(), r.lse.view()});
  return r;
}

// No weights: that tensor stays NaN.
template <class T>
OwnedResult<T> run_streaming(const Problem<T>& problem, Tiles tiles = {}) {
  OwnedResult<T> r = nan_result<T>(problem.shape());
  streaming_attention<T>(problem, {r.output.view(), {}, r.lse.view()}, tiles);
  return r;
}

template <class T>
OwnedResult<T> run_explicit(const OwnedProblem<T>& p, Contents contents = Contents::finite) {
  return run_explicit(Problem<T>(p.spec(), contents));
}

template <class T>
OwnedResult<T> run_streaming(const OwnedProblem<T>& p, Tiles tiles = {},
                             Contents contents = Contents::finite) {
  return run_streaming(Problem<T>(p.spec(), contents), tiles);
}

template <class T>
T as_element(double x) {
  return narrow<T>(static_cast<Accumulator<T>>(x));
}

// Elements uniform in [-1, 1), from the seed alone: the same on every platform.
template <class T>
void fill_uniform(Tensor<T>& tensor, std::mt19937_64& random) {
  for (T& x : tensor.elements)
    x = as_element<T>(static_cast<double>(random() >> 11) * 0x1p-52 - 1.0);
}

template <class T>
OwnedProblem<T> uniform_problem(const Shape& s, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  OwnedProblem<T> p;
  p.q = Tensor<T>({s.batch, s.query_heads, s.queries, s.width});
  p.k = Tensor<T>({s.batch, s.kv_heads, s.keys, s.width});
  p.v = Tensor<T>({s.batch, s.kv_heads, s.keys, s.value_width});
  fill_uniform(p.q, random);
  fill_uniform(p.k, random);
  fill_uniform(p.v, random);
  return p;
}

}  // namespace attest::test

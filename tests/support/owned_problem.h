#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <vector>

#include "attention/explicit_attention.h"
#include "attention/problem.h"
#include "attention/streaming_attention.h"

namespace attest::test {

// Storage for one tensor.
template <class T>
struct Tensor {
  Extents extents{1, 1, 1, 1};
  std::vector<T> elements{T{}};

  Tensor() = default;
  explicit Tensor(const Extents& e, T fill = T{})
      : extents(e), elements(static_cast<std::size_t>(e[0] * e[1] * e[2] * e[3]), fill) {}
  // (1, 1, rows, columns)
  Tensor(std::initializer_list<std::initializer_list<T>> rows)
      : extents{1, 1, std::ssize(rows), std::ssize(*rows.begin())}, elements() {
    for (const auto& row : rows) elements.insert(elements.end(), row.begin(), row.end());
  }

  TensorView<T> view() { return {std::span(elements), extents}; }
  TensorView<const T> view() const { return {std::span(elements), extents}; }
};

// Storage for a whole call, and the spec over it.
template <class T>
struct OwnedProblem {
  using Acc = Accumulator<T>;

  Tensor<T> q, k, v;
  bool causal = false;
  Alignment alignment = Alignment::square;
  Window window;
  std::vector<Index> key_lengths;
  std::optional<Tensor<std::uint8_t>> allow;
  std::optional<double> scale;
  std::optional<double> softcap;
  std::optional<Tensor<Acc>> bias;
  std::vector<Acc> alibi_slopes;
  std::vector<Acc> sinks;
  HeadMap head_map = HeadMap::blocked;
  EmptyRow empty_row = EmptyRow::error;

  ProblemSpec<T> spec() const {
    ProblemSpec<T> s{.q = q.view(), .k = k.view(), .v = v.view()};
    s.visibility = {.causal = causal,
                    .alignment = alignment,
                    .window = window,
                    .key_lengths = key_lengths,
                    .allow = {}};
    if (allow) s.visibility.allow = allow->view();
    s.score = {.scale = scale, .softcap = softcap, .bias = {}, .alibi_slopes = alibi_slopes};
    if (bias) s.score.bias = std::as_const(*bias).view();
    s.sinks = sinks;
    s.head_map = head_map;
    s.empty_row = empty_row;
    return s;
  }
};

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

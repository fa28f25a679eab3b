#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attention/problem_spec.h"

namespace attest {

// Storage for one rank-4 tensor, row-major.
template <class T>
struct Tensor {
  Extents extents{1, 1, 1, 1};
  std::vector<T> elements{T{}};

  Tensor() = default;
  explicit Tensor(const Extents& e, T fill = T{})
      : extents(e), elements(static_cast<std::size_t>(e[0] * e[1] * e[2] * e[3]), fill) {}
  // (1, 1, rows, columns). Throws InputError for no rows, empty rows or rows of unequal length.
  Tensor(std::initializer_list<std::initializer_list<T>> rows) : elements() {
    if (rows.size() == 0 || rows.begin()->size() == 0)
      throw InputError("rows", "none", "one row or more, of one number or more");
    extents = {1, 1, std::ssize(rows), std::ssize(*rows.begin())};
    for (const auto& row : rows) {
      if (std::ssize(row) != extents[3])
        throw InputError("row", std::to_string(row.size()) + " numbers",
                         std::to_string(extents[3]) + " numbers, as in the first row");
      elements.insert(elements.end(), row.begin(), row.end());
    }
  }

  TensorView<T> view() { return {std::span(elements), extents}; }
  TensorView<const T> view() const { return {std::span(elements), extents}; }
};

// Storage for a whole call. Fields are those of ProblemSpec; spec() is a view of this object, valid
// while it lives unchanged.
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

}  // namespace attest

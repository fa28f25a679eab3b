#pragma once

#include "attention/problem.h"

namespace attest {

// Where a kernel writes. An empty view is a result not asked for. No view overlaps another or an
// input; every element of a view given is written.
template <class T>
struct AttentionResult {
  TensorView<T> output{};                // (batch, query_heads, queries, value_width), required
  TensorView<Accumulator<T>> weights{};  // (batch, query_heads, queries, keys); explicit only
  TensorView<Accumulator<T>> lse{};      // (batch, query_heads, queries, 1), natural logarithm
};

namespace detail {
template <class View>
void require_extents(const char* field, const View& view, const Extents& expected) {
  if (view.extents() != expected)
    throw InputError(field, view.empty() ? "no tensor" : "shape " + to_string(view.extents()),
                     to_string(expected));
}
}  // namespace detail

// Throws InputError for a view of the wrong shape, or no output.
template <class T>
void validate(const Shape& s, const AttentionResult<T>& result) {
  detail::require_extents("output", result.output,
                          {s.batch, s.query_heads, s.queries, s.value_width});
  if (!result.weights.empty())
    detail::require_extents("weights", result.weights, {s.batch, s.query_heads, s.queries, s.keys});
  if (!result.lse.empty())
    detail::require_extents("lse", result.lse, {s.batch, s.query_heads, s.queries, 1});
}

}  // namespace attest

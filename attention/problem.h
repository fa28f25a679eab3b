#pragma once

#include <span>

#include "attention/half.h"
#include "attention/head_map.h"
#include "attention/scoring.h"
#include "attention/shape.h"
#include "attention/tensor_view.h"
#include "attention/visibility.h"

namespace attest {

// What a row gives in which no key is visible (and no sink takes the weight).
enum class EmptyRow {
  error,  // such a Problem is refused
  zero,   // output and weights 0, LSE -infinity
  nan,    // output and weights NaN, LSE -infinity
};

// One attention call as its author states it; T is float, double, Float16 or BFloat16. Options
// whose type is Acc (bias, slopes, sinks) have the accumulator's precision: float for 16-bit T.
template <class T>
struct ProblemSpec {
  TensorView<const T> q{};  // (batch, query_heads, queries, width)
  TensorView<const T> k{};  // (batch, kv_heads, keys, width)
  TensorView<const T> v{};  // (batch, kv_heads, keys, value_width)
  VisibilityRule visibility{};
  ScoreRule<Accumulator<T>> score{};
  // One logit per query head, joining the softmax's denominator and nothing else: weights sum to
  // less than 1, LSE includes the sink, and a row with a sink is never empty.        [GPT-OSS]
  std::span<const Accumulator<T>> sinks{};
  HeadMap head_map = HeadMap::blocked;
  EmptyRow empty_row = EmptyRow::error;
};

// What the caller promises of the elements.
enum class Contents {
  finite,     // checked: q, k, v of every element must be finite
  unchecked,  // anything, so that poison in hidden keys and values can be tested
};

// A valid attention call: every function over it is total. Views are not owned.
template <class T>
class Problem {
 public:
  using Element = T;
  using Acc = Accumulator<T>;

  // Throws InputError naming the first field at fault: q/k widths, k/v counts, batches or kv heads
  // that differ, heads that do not divide, any extent below 1, non-finite elements (unless
  // unchecked), scale, softcap, bias, slopes and sinks out of range, everything Visibility
  // refuses, and (under EmptyRow::error) a row with no visible key.
  explicit Problem(const ProblemSpec<T>& spec, Contents contents = Contents::finite);

  const Shape& shape() const { return shape_; }
  const ProblemSpec<T>& spec() const { return spec_; }
  const Visibility& visibility() const { return visibility_; }

 private:
  ProblemSpec<T> spec_;
  Shape shape_;
  Visibility visibility_;
};

extern template class Problem<float>;
extern template class Problem<double>;
extern template class Problem<Float16>;
extern template class Problem<BFloat16>;

}  // namespace attest

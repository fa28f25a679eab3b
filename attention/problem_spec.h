#pragma once

#include <span>

#include "attention/half.h"
#include "attention/head_map.h"
#include "attention/score_rule.h"
#include "attention/tensor_view.h"
#include "attention/visibility_rule.h"

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
  TensorView<const T> q;  // (batch, query_heads, queries, width)
  TensorView<const T> k;  // (batch, kv_heads, keys, width)
  TensorView<const T> v;  // (batch, kv_heads, keys, value_width)
  VisibilityRule visibility;
  ScoreRule<Accumulator<T>> score;
  // One logit per query head, joining the softmax's denominator and nothing else: weights sum to
  // less than 1, LSE includes the sink, and a row with a sink is never empty.        [GPT-OSS]
  std::span<const Accumulator<T>> sinks;
  HeadMap head_map = HeadMap::blocked;
  EmptyRow empty_row = EmptyRow::error;
};

}  // namespace attest

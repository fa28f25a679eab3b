#pragma once

#include <optional>
#include <span>

#include "attention/tensor_view.h"

namespace attest {

// How a visible pair is scored. In this order, each step where it is given:
//   s = q . k;  s *= scale;  s = softcap * tanh(s / softcap);  s += bias;  s -= slope * |j -
//   diagonal|
// The softmax follows. Softcap acts before bias, ALiBi and mask.            [Gemma2] [ALiBi]
template <class Acc>
struct ScoreRule {
  std::optional<double> scale;    // absent: 1/sqrt(width)
  std::optional<double> softcap;  // finite and > 0
  // (batch or 1, query_heads or 1, queries or 1, keys or 1), added to the score; -infinity hides
  // the pair. An axis of extent 1 is broadcast; an axis is never left out.
  std::optional<TensorView<const Acc>> bias;
  // One per query head; needs a diagonal (VisibilityRule::alignment).
  std::span<const Acc> alibi_slopes;
};

}  // namespace attest

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "attention/tensor_view.h"

namespace attest {

// Which key faces query 0 where causal order, a window or ALiBi needs a diagonal. With n the keys
// of the sequence (its length where lengths are given), query i faces key i + offset:
enum class Alignment {
  square,        // offset 0, and queries == keys is required: nothing to be ambiguous about
  top_left,      // offset 0
  bottom_right,  // offset n - queries: the last query faces the last key; may be negative
};

// How far from its diagonal a query sees, both ends inclusive; absent means unlimited.
// {.left = 0} is the diagonal and everything after it.
struct Window {
  std::optional<Index> left;
  std::optional<Index> right;

  bool limited() const { return left || right; }
};

// Who may read whom. A pair is visible when every condition given here allows it.
struct VisibilityRule {
  bool causal = false;  // key <= diagonal of the query; the diagonal itself is visible
  Alignment alignment = Alignment::square;
  Window window;
  // Keys at and past a sequence's length are padding. One length per batch entry, 0 to keys; empty
  // means that every sequence has all keys.
  std::span<const Index> key_lengths;
  // (batch or 1, query_heads or 1, queries or 1, keys or 1): 1 = visible, 0 = hidden. An axis of
  // extent 1 is broadcast; an axis is never left out.
  std::optional<TensorView<const std::uint8_t>> allow;
};

}  // namespace attest

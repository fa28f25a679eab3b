#pragma once

#include <span>

#include "attention/visibility_rule.h"

namespace attest {

// A validated rule, ready to be asked.
class Visibility {
 public:
  // Throws InputError for square alignment where it is needed and queries != keys, negative window
  // ends, key_lengths of the wrong count or range, an allow mask of another shape or with elements
  // that are neither 0 nor 1.
  Visibility(const Shape& shape, const VisibilityRule& rule);

  // May query i of (b, h) read key j?
  bool operator()(Index b, Index h, Index i, Index j) const {
    return j < length(b) && before_future(b, i, j) && inside_window(b, i, j) && allowed(b, h, i, j);
  }

  // Keys of sequence b.
  Index length(Index b) const {
    return rule_.key_lengths.empty() ? shape_.keys : rule_.key_lengths[static_cast<std::size_t>(b)];
  }

  // The key on the diagonal of query i; outside 0..keys-1 where the diagonal leaves the matrix.
  Index diagonal(Index b, Index i) const {
    return rule_.alignment == Alignment::bottom_right ? i + length(b) - shape_.queries : i;
  }

 private:
  bool before_future(Index b, Index i, Index j) const {
    return !rule_.causal || j <= diagonal(b, i);
  }

  bool inside_window(Index b, Index i, Index j) const {
    const Index distance = j - diagonal(b, i);
    return (!rule_.window.left || -distance <= *rule_.window.left) &&
           (!rule_.window.right || distance <= *rule_.window.right);
  }

  bool allowed(Index b, Index h, Index i, Index j) const {
    if (!rule_.allow) return true;
    const Extents& e = rule_.allow->extents();
    return (*rule_.allow)(e[0] == 1 ? 0 : b, e[1] == 1 ? 0 : h, e[2] == 1 ? 0 : i,
                          e[3] == 1 ? 0 : j) != 0;
  }

  Shape shape_;
  VisibilityRule rule_;
};

// Throws InputError unless queries == keys or an alignment other than square is declared; `field`
// is the option that needs a diagonal.
void require_diagonal(const Shape& shape, Alignment alignment, const char* field);

// The two boolean conventions of PyTorch, by the name of the function that uses them. Both write an
// allow mask (1 = visible) of the same shape to `allow`; sizes must agree.
//   scaled_dot_product_attention(attn_mask=...):  true takes part
//   MultiheadAttention(attn_mask=, key_padding_mask=):  true is excluded             [PyTorch-SDPA]
void allow_from_sdpa_mask(std::span<const bool> takes_part, std::span<std::uint8_t> allow);
void allow_from_multihead_mask(std::span<const bool> excluded, std::span<std::uint8_t> allow);

}  // namespace attest

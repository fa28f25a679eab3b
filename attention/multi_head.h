#pragma once

#include <optional>
#include <vector>

#include "attention/feed_forward.h"
#include "attention/tiles.h"
#include "attention/visibility_rule.h"

namespace attest {

// Attention of several heads over learned projections. Every head reads the whole input through its
// own columns of the projections; the heads' results stand side by side and pass one more.
//                                                                          [Vaswani17] sec. 3.2.2
struct MultiHead {
  Index heads = 1;
  Index kv_heads = 1;  // a divisor of heads
  Linear query{};      // width x (heads * head_dim)
  Linear key{};        // memory width x (kv_heads * head_dim)
  Linear value{};      // memory width x (kv_heads * value_dim)
  Linear output{};     // (heads * value_dim) x width
};

// How its attention runs.
struct AttentionMode {
  VisibilityRule visibility{};
  std::optional<Tiles> streaming{};  // given: streaming attention in these tiles, without maps
};

struct MultiHeadResult {
  Matrix output;             // tokens x width
  std::vector<Matrix> maps;  // weights of each head, tokens x memory; empty for streaming
};

// Queries come from x, keys and values from memory; x twice is self-attention.
// Throws InputError for widths that heads do not divide and all that Problem refuses.
MultiHeadResult apply(const MultiHead& attention, const Matrix& x, const Matrix& memory,
                      const AttentionMode& mode);

}  // namespace attest

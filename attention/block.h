#pragma once

#include <optional>
#include <vector>

#include "attention/feed_forward.h"
#include "attention/layer_norm.h"
#include "attention/multi_head.h"

namespace attest {

// Where a block normalises: after each residual sum, as the original Transformer does, or before
// each sublayer, leaving the residual path free.                                  [Vaswani17]
// [Xiong20]
enum class NormPlacement { post, pre };

// A Transformer block: self-attention, cross-attention where it has one, feed-forward, each in a
// residual path.
struct Block {
  NormPlacement placement = NormPlacement::post;
  bool causal = false;  // of self-attention; cross-attention reads the whole memory
  MultiHead self_attention{};
  LayerNorm self_norm{};
  std::optional<MultiHead> cross_attention{};
  LayerNorm cross_norm{};
  FeedForward feed_forward{};
  LayerNorm feed_forward_norm{};
};

struct BlockResult {
  Matrix output;                   // tokens x width
  std::vector<Matrix> self_maps;   // a head each: tokens x tokens
  std::vector<Matrix> cross_maps;  // a head each: tokens x memory tokens; empty without memory
};

// Runs one sequence through a block. `memory` is what cross-attention reads, and must be given
// exactly where the block has it. Throws InputError for that and for widths that do not fit.
BlockResult apply(const Block& block, const Matrix& x, const Matrix* memory = nullptr);

// The teaching block of two heads over four features that the tests and `attest trace block` show:
// post-normalised, causal, head 0 reading features 0 and 1 and head 1 features 2 and 3 as query,
// key and value, identity output projection, feed-forward max(0, h W1) / 2, no biases.
Block two_head_block();
// Its three tokens.
Matrix two_head_block_input();

// The pre-normalised study block of width 64: 4 heads of 16, feed-forward to 256 and back by ReLU,
// causal, with biases; weights and biases drawn from `seed` (SeededWeights).
Block study_block(std::uint64_t seed);

}  // namespace attest

#pragma once

#include <cstdint>
#include <vector>

#include "attention/block.h"

namespace attest {

// The three ways that blocks are put together.                    [Vaswani17] [Devlin19]
// [Radford18]
enum class Family {
  encoder_decoder,  // a source stack read both ways; a causal target stack that reads it by
                    // cross-attention
  encoder_only,     // one stack, read both ways
  decoder_only,     // one causal stack
};

// One block or more in each stack that the family has. The decoder's blocks have cross-attention
// only beside an encoder. What takes a Transformer throws InputError for any other.
struct Transformer {
  Family family = Family::decoder_only;
  std::vector<Block> encoder;  // empty for decoder_only
  std::vector<Block> decoder;  // empty for encoder_only
};

// What a Transformer is, with weights drawn from `seed`.
struct TransformerPlan {
  Family family = Family::decoder_only;
  Index layers = 2;  // of each stack, 1 or more
  Index width = 8;   // 1 or more
  Index heads = 2;   // 1 or more, dividing the width
  NormPlacement placement = NormPlacement::post;
  std::uint64_t seed = 1;
};
// Throws InputError for a number outside its range.
Transformer assemble(const TransformerPlan& plan);

// The sequences that a family takes: encoder_decoder a source and a target, encoder_only a source,
// decoder_only a target. The other is left without rows.
struct Sequences {
  Matrix source;
  Matrix target;
};

// The last stack's output: of the target, or of the source for encoder_only.
// Throws InputError for a sequence missing or not taken.
Matrix apply(const Transformer& transformer, const Sequences& sequences);

// Who may read whom: row i, column j is whether output position i can depend on input position j.
// Columns are the source's positions, then the target's.
struct InformationFlow {
  Index outputs = 0;
  Index source_inputs = 0;
  Index target_inputs = 0;
  std::vector<bool> reads;

  bool operator()(Index output, Index input) const {
    return reads[static_cast<std::size_t>(output * (source_inputs + target_inputs) + input)];
  }
  bool operator==(const InformationFlow&) const = default;
};

// From the masks alone, composed over the layers and residual paths. Throws InputError for a number
// of positions that the family does not take, as measured_flow does.
InformationFlow declared_flow(const Transformer& transformer, Index source, Index target);

// From behaviour: each input position in turn is changed, and the outputs that change by a single
// bit read it. Inputs are drawn from `seed`.
InformationFlow measured_flow(const Transformer& transformer, Index source, Index target,
                              std::uint64_t seed);

}  // namespace attest

#include "attention/block.h"

#include "attention/error.h"
#include "attention/seeded_weights.h"

namespace attest {
namespace {

// x plus what the sublayer makes of it, normalised before or after.
template <class Sublayer>
Matrix residual(const Matrix& x, NormPlacement placement, const LayerNorm& norm,
                Sublayer sublayer) {
  if (placement == NormPlacement::pre) return add(x, sublayer(normalise(x, norm)));
  return normalise(add(x, sublayer(x)), norm);
}

}  // namespace

BlockResult apply(const Block& block, const Matrix& x, const Matrix* memory) {
  if (block.cross_attention.has_value() != (memory != nullptr))
    throw InputError("memory", memory ? "given" : "not given",
                     memory ? "none: the block has no cross-attention"
                            : "a sequence for the block's cross-attention");
  BlockResult result;
  Matrix h = residual(x, block.placement, block.self_norm, [&](const Matrix& in) {
    MultiHeadResult attended =
        apply(block.self_attention, in, in, {.visibility = {.causal = block.causal}});
    result.self_maps = std::move(attended.maps);
    return attended.output;
  });
  if (memory)
    h = residual(h, block.placement, block.cross_norm, [&](const Matrix& in) {
      MultiHeadResult attended = apply(*block.cross_attention, in, *memory, {});
      result.cross_maps = std::move(attended.maps);
      return attended.output;
    });
  result.output = residual(h, block.placement, block.feed_forward_norm,
                           [&](const Matrix& in) { return apply(block.feed_forward, in); });
  return result;
}

Block two_head_block() {
  const Matrix identity = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  const Matrix first_head = {{1, 0}, {0, 1}, {0, 0}, {0, 0}};
  const Matrix second_head = {{0, 0}, {0, 0}, {1, 0}, {0, 1}};
  const Linear both{.weight = beside(first_head, second_head)};
  return {
      .placement = NormPlacement::post,
      .causal = true,
      .self_attention = {.heads = 2,
                         .kv_heads = 2,
                         .query = both,
                         .key = both,
                         .value = both,
                         .output = {.weight = identity}},
      .feed_forward = {
          .expand = {.weight = {{1, -1, 0, 0}, {0, 1, -1, 0}, {0, 0, 1, -1}, {-1, 0, 0, 1}}},
          .contract = {.weight = {{.5, 0, 0, 0}, {0, .5, 0, 0}, {0, 0, .5, 0}, {0, 0, 0, .5}}}}};
}

Matrix two_head_block_input() { return {{1, 0, 1, 0}, {0, 1, 0, 1}, {1, 1, 0, 0}}; }

Block study_block(std::uint64_t seed) {
  SeededWeights weights(seed);
  return {.placement = NormPlacement::pre,
          .causal = true,
          .self_attention = weights.multi_head(64, 4),
          .feed_forward = {.expand = weights.linear(64, 256), .contract = weights.linear(256, 64)}};
}

}  // namespace attest

#include "attention/transformer.h"

#include <algorithm>
#include <string>

#include "attention/error.h"
#include "attention/seeded_weights.h"

namespace attest {
namespace {

Block seeded_block(const TransformerPlan& plan, SeededWeights& weights, bool causal, bool cross) {
  Block block{.placement = plan.placement,
              .causal = causal,
              .self_attention = weights.multi_head(plan.width, plan.heads)};
  if (cross) block.cross_attention = weights.multi_head(plan.width, plan.heads);
  block.feed_forward = {.expand = weights.linear(plan.width, 4 * plan.width),
                        .contract = weights.linear(4 * plan.width, plan.width)};
  return block;
}

void check_at_least_one(const char* field, Index value) {
  if (value < 1) throw InputError(field, std::to_string(value), "a whole number of 1 or more");
}

void check_plan(const TransformerPlan& plan) {
  check_at_least_one("layers", plan.layers);
  check_at_least_one("width", plan.width);
  check_at_least_one("heads", plan.heads);
  if (plan.width % plan.heads != 0)
    throw InputError("heads", std::to_string(plan.heads),
                     "a divisor of the width " + std::to_string(plan.width));
}

bool has_encoder(Family family) { return family != Family::decoder_only; }
bool has_decoder(Family family) { return family != Family::encoder_only; }

void check_stack(const std::string& field, const std::vector<Block>& stack, bool taken,
                 bool may_cross) {
  if (stack.empty() == taken)
    throw InputError(field, std::to_string(stack.size()) + " blocks",
                     taken ? "one block or more" : "none: this family does not have it");
  for (std::size_t n = 0; n < stack.size(); ++n)
    if (stack[n].cross_attention && !may_cross)
      throw InputError(field + " block " + std::to_string(n), "cross-attention",
                       "none: there is no other sequence to read");
}

void check_stacks(const Transformer& transformer) {
  const Family family = transformer.family;
  check_stack("encoder", transformer.encoder, has_encoder(family), false);
  check_stack("decoder", transformer.decoder, has_decoder(family), has_encoder(family));
}

void check_sequence(const char* field, Index positions, bool taken) {
  if (taken ? positions < 1 : positions != 0)
    throw InputError(field, std::to_string(positions) + " positions",
                     taken ? "one position or more" : "none: this family does not take it");
}

void check_sequences(Family family, Index source, Index target) {
  check_sequence("source", source, has_encoder(family));
  check_sequence("target", target, has_decoder(family));
}

// Rows of dependence on (source, target) inputs; row i of `mask` says which rows below it reads.
using Reads = std::vector<std::vector<bool>>;

std::vector<bool> either(std::vector<bool> a, const std::vector<bool>& b) {
  for (std::size_t n = 0; n < a.size(); ++n) a[n] = a[n] || b[n];
  return a;
}

// After attention, a position depends on what it depended on (residual) and on what the positions
// it sees depended on.
Reads attend(const Reads& x, const Reads& memory, bool causal) {
  Reads out = x;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < memory.size(); ++j)
      if (!causal || j <= i) out[i] = either(out[i], memory[j]);
  return out;
}

// Each of `count` positions depends on itself, input number first + i of `inputs`.
Reads own_positions(Index count, Index first, Index inputs) {
  Reads own(static_cast<std::size_t>(count), std::vector<bool>(static_cast<std::size_t>(inputs)));
  for (Index i = 0; i < count; ++i)
    own[static_cast<std::size_t>(i)][static_cast<std::size_t>(first + i)] = true;
  return own;
}

InformationFlow empty_flow(const Transformer& transformer, Index source, Index target) {
  return {.outputs = transformer.family == Family::encoder_only ? source : target,
          .source_inputs = source,
          .target_inputs = target,
          .reads = {}};
}

}  // namespace

Transformer assemble(const TransformerPlan& plan) {
  check_plan(plan);
  SeededWeights weights(plan.seed);
  Transformer transformer{.family = plan.family, .encoder = {}, .decoder = {}};
  const bool both = plan.family == Family::encoder_decoder;
  for (Index n = 0; n < plan.layers; ++n) {
    if (has_encoder(plan.family))
      transformer.encoder.push_back(seeded_block(plan, weights, false, false));
    if (has_decoder(plan.family))
      transformer.decoder.push_back(seeded_block(plan, weights, true, both));
  }
  return transformer;
}

Matrix apply(const Transformer& transformer, const Sequences& sequences) {
  check_stacks(transformer);
  check_sequences(transformer.family, sequences.source.rows(), sequences.target.rows());
  Matrix source = sequences.source;
  for (const Block& block : transformer.encoder) source = apply(block, source).output;
  if (transformer.family == Family::encoder_only) return source;
  Matrix target = sequences.target;
  for (const Block& block : transformer.decoder)
    target = apply(block, target, block.cross_attention ? &source : nullptr).output;
  return target;
}

InformationFlow declared_flow(const Transformer& transformer, Index source, Index target) {
  check_stacks(transformer);
  check_sequences(transformer.family, source, target);
  Reads encoded = own_positions(source, 0, source + target);
  for (const Block& block : transformer.encoder) encoded = attend(encoded, encoded, block.causal);
  Reads decoded = own_positions(target, source, source + target);
  for (const Block& block : transformer.decoder) {
    decoded = attend(decoded, decoded, block.causal);
    if (block.cross_attention) decoded = attend(decoded, encoded, false);
  }
  InformationFlow flow = empty_flow(transformer, source, target);
  for (const auto& row : transformer.family == Family::encoder_only ? encoded : decoded)
    flow.reads.insert(flow.reads.end(), row.begin(), row.end());
  return flow;
}

InformationFlow measured_flow(const Transformer& transformer, Index source, Index target,
                              std::uint64_t seed) {
  check_stacks(transformer);
  check_sequences(transformer.family, source, target);
  const Block& first =
      transformer.encoder.empty() ? transformer.decoder.front() : transformer.encoder.front();
  const Index width = first.self_attention.query.weight.rows();
  SeededWeights draw(seed);
  Sequences sequences;
  if (source > 0) sequences.source = draw.matrix(source, width, 1);
  if (target > 0) sequences.target = draw.matrix(target, width, 1);
  const Matrix before = apply(transformer, sequences);
  InformationFlow flow = empty_flow(transformer, source, target);
  flow.reads.resize(static_cast<std::size_t>(flow.outputs * (source + target)));
  for (Index input = 0; input < source + target; ++input) {
    Sequences changed = sequences;
    auto row = input < source ? changed.source.row(input) : changed.target.row(input - source);
    for (double& x : row) x += draw.uniform(1);
    const Matrix after = apply(transformer, changed);
    for (Index output = 0; output < flow.outputs; ++output)
      flow.reads[static_cast<std::size_t>(output * (source + target) + input)] =
          !std::ranges::equal(before.row(output), after.row(output));
  }
  return flow;
}

}  // namespace attest

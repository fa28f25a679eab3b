#pragma once

#include <optional>
#include <vector>

#include "attention/tiles.h"
#include "cli/options.h"
#include "estimator/attention_plan.h"

namespace attest::cli {

// `attest estimate --heads ...`: one plan per sequence length asked for.
struct AttentionRequest {
  std::vector<estimator::AttentionPlan> plans;
  std::optional<Alignment> causal;
  std::vector<std::uint64_t> lengths;  // empty, or one per sequence of the batch
  Tiles tiles;
  Format format = Format::table;
};

// The flags of this mode, and the request they state. Throws InputError naming the flag.
std::vector<Option> attention_options();
AttentionRequest attention_request(const Given& given);

Exit estimate_attention(const AttentionRequest& request, const Terminal& terminal);

}  // namespace attest::cli

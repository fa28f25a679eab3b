#include "estimator/model.h"

#include <algorithm>
#include <map>

namespace attest::estimator {
namespace {

// Collects the tensors of a model.
class Weights {
 public:
  explicit Weights(const DType& dtype)
      : matrix_(&dtype), vector_(dtype.block_elements == 1 ? &dtype : &find_dtype("f32")) {}

  void matrix(const char* name, Factor copies, Factor rows, Factor columns) {
    add(name, std::move(copies), {std::move(rows), std::move(columns)}, matrix_);
  }
  void vector(const char* name, Factor copies, Factor width) {
    add(name, std::move(copies), {std::move(width)}, vector_);
  }

  Ledger ledger;

 private:
  void add(const char* name, Factor copies, std::vector<Factor> shape, const DType* dtype) {
    std::vector<Factor> multipliers;
    if (copies.value != 1) multipliers.push_back(std::move(copies));
    ledger.add({.name = name,
                .role = Role::weight,
                .copies = std::move(multipliers),
                .shape = std::move(shape),
                .dtype = dtype,
                .source = "HF-config",
                .note = {}});
  }

  const DType* matrix_;
  const DType* vector_;
};

void add_embeddings(const ModelConfig& c, const WeightLayout& layout, Weights& weights) {
  const Factor one{"1", 1};
  const Factor width{"hidden", c.hidden};
  weights.matrix("token embedding", one, {"vocab", c.vocab}, width);
  if (layout.learned_positions)
    weights.matrix("position embedding", one, {"positions", c.max_length}, width);
  if (layout.encoder) {
    weights.matrix("segment embedding", one, {"segments", 2}, width);
    weights.vector("embedding norm", {"weight,bias", 2}, width);
  }
}

void add_attention(const ModelConfig& c, const WeightLayout& layout, Weights& weights) {
  const Factor layers{"L", c.layers};
  const Factor width{"hidden", c.hidden};
  const Factor query{"Hq*d", c.heads * c.head_dim};
  const Factor shared{"Hkv*d", c.kv_heads * c.head_dim};
  weights.matrix("query projection", layers, query, width);
  weights.matrix("key projection", layers, shared, width);
  weights.matrix("value projection", layers, shared, width);
  weights.matrix("output projection", layers, width, query);
  if (layout.qkv_bias) {
    weights.vector("query bias", layers, query);
    weights.vector("key bias", layers, shared);
    weights.vector("value bias", layers, shared);
  }
  if (layout.output_bias) weights.vector("output bias", layers, width);
  if (c.qk_norm) {
    const bool per_head = c.model_type == "cohere";
    weights.vector("query norm", layers, per_head ? query : Factor{"d", c.head_dim});
    weights.vector("key norm", layers, per_head ? shared : Factor{"d", c.head_dim});
  }
}

void add_feed_forward(const ModelConfig& c, const WeightLayout& layout, Weights& weights) {
  const Factor layers{"L", c.layers};
  const Factor width{"hidden", c.hidden};
  const Factor wide{"ffn", c.ffn};
  if (layout.gated) weights.matrix("ffn gate", layers, wide, width);
  weights.matrix("ffn up", layers, wide, width);
  weights.matrix("ffn down", layers, width, wide);
  if (layout.ffn_bias) {
    weights.vector("ffn up bias", layers, wide);
    weights.vector("ffn down bias", layers, width);
  }
}

// Norms of a layer; Falcon's new decoder has two where the old has one.
std::uint64_t norms_per_layer(const ModelConfig& c, const WeightLayout& layout) {
  return c.model_type == "falcon" && c.kv_heads != 1 ? 2 : layout.norms;
}

std::uint64_t count_windows(const ModelConfig& c, const std::optional<std::uint64_t>& window) {
  return static_cast<std::uint64_t>(std::ranges::count(c.windows, window));
}

}  // namespace

Ledger weight_ledger(const ModelConfig& c, const DType& dtype) {
  const WeightLayout& layout = find_layout(c.model_type);
  const Factor width{"hidden", c.hidden};
  Weights weights(dtype);
  add_embeddings(c, layout, weights);
  add_attention(c, layout, weights);
  add_feed_forward(c, layout, weights);
  const std::uint64_t parts = layout.norm_bias ? 2 : 1;
  weights.vector(layout.norm_bias ? "norms, weight and bias" : "norms",
                 {"norms", c.layers * norms_per_layer(c, layout) * parts}, width);
  if (layout.final_norm) weights.vector("final norm", {"weight,bias", parts}, width);
  if (layout.encoder) {
    weights.matrix("pooler", {"1", 1}, width, width);
    weights.vector("pooler bias", {"1", 1}, width);
  }
  if (!c.tied) weights.matrix("output head", {"1", 1}, {"vocab", c.vocab}, width);
  return weights.ledger;
}

Elements parameters(const ModelConfig& config) {
  return weight_ledger(config, find_dtype("f32")).elements();
}

Ledger cache_ledger(const ModelConfig& c, std::uint64_t batch, std::uint64_t seq,
                    const DType& dtype) {
  Ledger ledger;
  if (find_layout(c.model_type).encoder) return ledger;
  std::vector<std::optional<std::uint64_t>> kinds = {std::nullopt};
  for (const auto& window : c.windows)
    if (std::ranges::find(kinds, window) == kinds.end()) kinds.push_back(window);
  for (const auto& window : kinds) {
    const std::uint64_t layers = count_windows(c, window);
    if (layers == 0) continue;
    const std::string where = window ? ", sliding layers" : ", full layers";
    for (const char* which : {"K", "V"})
      ledger.add({.name = which + where,
                  .role = Role::cache,
                  .copies = {{"L", layers}},
                  .shape = {{"B", batch},
                            {"Hkv", c.kv_heads},
                            {window ? "min(N,W)" : "N", window ? std::min(seq, *window) : seq},
                            {"d", c.head_dim}},
                  .dtype = &dtype,
                  .source = "HF-config",
                  .note = window ? "ideal: engines keep slack cells beyond the window" : ""});
  }
  return ledger;
}

Ledger explicit_workspace(const ModelConfig& c, std::uint64_t batch, std::uint64_t seq,
                          const DType& dtype) {
  Ledger ledger;
  for (const char* name : {"scores", "probabilities"})
    ledger.add({.name = name,
                .role = Role::score,
                .copies = {},
                .shape = {{"B", batch}, {"Hq", c.heads}, {"N", seq}, {"N", seq}},
                .dtype = &dtype,
                .source = "Vaswani17",
                .note = "one layer's; the next reuses it"});
  return ledger;
}

Ledger streaming_workspace(const ModelConfig& c, std::uint64_t batch, std::uint64_t seq) {
  Ledger ledger;
  ledger.add({.name = "LSE",
              .role = Role::workspace,
              .copies = {},
              .shape = {{"B", batch}, {"Hq", c.heads}, {"N", seq}},
              .dtype = &find_dtype("f32"),
              .source = "Dao22",
              .note = "one layer's; the next reuses it"});
  return ledger;
}

}  // namespace attest::estimator

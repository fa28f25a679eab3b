#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "estimator/dtype.h"

namespace attest::estimator {

// One value as the config was understood: what it is, and which key, rule or class default gave it.
struct Reading {
  std::string name;
  std::string value;
  std::string origin;
};

// The geometry of a dense Transformer, from its Hugging Face config.json.
struct ModelConfig {
  std::string model_type;
  std::uint64_t hidden = 0;
  std::uint64_t ffn = 0;
  std::uint64_t layers = 0;
  std::uint64_t heads = 0;
  std::uint64_t kv_heads = 0;
  std::uint64_t head_dim = 0;
  std::uint64_t vocab = 0;
  std::uint64_t max_length = 0;                       // 0: not stated
  std::vector<std::optional<std::uint64_t>> windows;  // of each layer; absent: full attention
  bool tied = false;                                  // the output projection is the embedding
  bool qk_norm = false;
  const DType* dtype = nullptr;
  std::string quantisation;  // method; empty: none
  bool vision = false;       // a vision tower stands beside the text model
  std::vector<Reading> readings;
};

// How the weights of a model_type are arranged beyond its geometry.
struct WeightLayout {
  std::string_view model_type;
  bool gated;  // feed-forward of three matrices instead of two
  bool qkv_bias;
  bool output_bias;
  bool ffn_bias;
  bool norm_bias;
  std::uint64_t norms;  // per layer
  bool final_norm;
  bool learned_positions;
  bool tied;     // where the config does not say
  bool encoder;  // no causal decoding: no KV cache
};

// Throws InputError for a model_type that is not counted, naming the known ones and the mechanism
// that is missing where the type is recognised.
const WeightLayout& find_layout(std::string_view model_type);

// Reads a config; `name` stands for the text in messages. Keys that several families spell
// differently are accepted in every spelling; nested text models are found.
// Throws InputError for text that is not strict JSON, a missing key (naming every spelling looked
// for), a value of the wrong type or range, and keys that contradict each other.        [HF-config]
ModelConfig read_model_config(std::string_view text, const std::string& name);

}  // namespace attest::estimator

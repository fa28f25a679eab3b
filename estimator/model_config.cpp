#include "estimator/model_config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "attention/error.h"
#include "attention/spelling.h"
#include "estimator/json_input.h"

namespace attest::estimator {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string_view>;

constexpr std::uint64_t largest = std::uint64_t{1} << 40;

// Columns: gated, biases of qkv, output, ffn and norms, norms a layer, final norm, learned
// positions, tied, encoder.
constexpr std::array layouts = {
    WeightLayout{"gpt2", false, true, true, true, true, 2, true, true, true, false},
    WeightLayout{"llama", true, false, false, false, false, 2, true, false, false, false},
    WeightLayout{"mistral", true, false, false, false, false, 2, true, false, false, false},
    WeightLayout{"qwen2", true, true, false, false, false, 2, true, false, false, false},
    WeightLayout{"qwen3", true, false, false, false, false, 2, true, false, false, false},
    WeightLayout{"gemma", true, false, false, false, false, 2, true, false, true, false},
    WeightLayout{"gemma2", true, false, false, false, false, 4, true, false, true, false},
    WeightLayout{"gemma3_text", true, false, false, false, false, 4, true, false, true, false},
    WeightLayout{"phi3", true, false, false, false, false, 2, true, false, false, false},
    WeightLayout{"falcon", false, false, false, false, true, 1, true, false, true, false},
    WeightLayout{"mpt", false, false, false, false, false, 2, true, false, true, false},
    WeightLayout{"chatglm", true, true, false, false, false, 2, true, false, false, false},
    WeightLayout{"cohere", true, false, false, false, false, 1, true, false, true, false},
    WeightLayout{"bert", false, true, true, true, true, 2, false, true, true, true},
};

struct Alias {
  std::string_view spelling;
  std::string_view model_type;
};
// The same arrangement under another name.
constexpr std::array aliases = {Alias{"gemma3", "gemma3_text"}, Alias{"RefinedWeb", "falcon"},
                                Alias{"RefinedWebModel", "falcon"}};

struct Uncounted {
  std::string_view model_type;
  std::string_view mechanism;
};
constexpr std::array uncounted = {
    Uncounted{"mixtral", "mixture of experts"},
    Uncounted{"gpt_oss", "mixture of experts"},
    Uncounted{"qwen2_moe", "mixture of experts"},
    Uncounted{"qwen3_moe", "mixture of experts"},
    Uncounted{"deepseek_v2", "multi-head latent attention and mixture of experts"},
    Uncounted{"deepseek_v3", "multi-head latent attention and mixture of experts"},
    Uncounted{"kimi_k2", "multi-head latent attention and mixture of experts"},
    Uncounted{"glm_moe_dsa", "multi-head latent attention and mixture of experts"},
    Uncounted{"qwen3_next", "linear attention layers and mixture of experts"},
    Uncounted{"t5", "an encoder beside the decoder"},
    Uncounted{"mt5", "an encoder beside the decoder"},
    Uncounted{"gemma3n", "shared key/value layers and per-layer embeddings"},
    Uncounted{"gemma3n_text", "shared key/value layers and per-layer embeddings"},
};

// Class defaults of values that a config may leave out, as the Transformers library has them.
struct Default {
  std::string_view model_type;
  std::string_view name;
  std::uint64_t value;
};
constexpr std::array defaults = {
    Default{"gemma3_text", "heads", 8},      Default{"gemma3_text", "kv_heads", 4},
    Default{"gemma3_text", "head_dim", 256}, Default{"gemma3_text", "vocab", 262208},
    Default{"gemma2", "heads", 8},           Default{"gemma2", "kv_heads", 4},
    Default{"gemma2", "head_dim", 256},      Default{"gemma2", "vocab", 256000},
    Default{"gemma", "head_dim", 256},       Default{"gemma", "vocab", 256000},
};

std::string shown(const Json& value) {
  const std::string text = value.dump();
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

// The config's text model, its values and where they came from.
class Reader {
 public:
  Reader(const Json& outer, std::string name) : outer_(outer), name_(std::move(name)) {
    if (!outer.is_object()) throw InputError(name_, shown(outer), "an object of config keys");
    text_ = &outer;
    for (const char* nest : {"text_config", "llm_config", "language_config"})
      if (const auto it = outer.find(nest); it != outer.end()) {
        if (!it->is_object()) throw InputError(nest, shown(*it), "an object");
        text_ = &*it;
        break;
      }
  }

  ModelConfig read() {
    config_.model_type = model_type();
    const WeightLayout& layout = find_layout(config_.model_type);
    config_.model_type = layout.model_type;
    config_.hidden = number("hidden", {"hidden_size", "n_embd", "d_model", "dim"});
    config_.layers = number("layers", {"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
    if (config_.layers > 100000)
      throw InputError("layers", std::to_string(config_.layers), "1 to 100000");
    config_.heads = number("heads", {"num_attention_heads", "n_head", "n_heads", "num_heads"});
    read_kv_heads();
    read_head_dim();
    read_ffn();
    config_.vocab = number("vocab", {"vocab_size", "padded_vocab_size"});
    read_max_length(layout);
    read_windows();
    read_tied(layout);
    read_qk_norm();
    read_dtype();
    config_.vision = outer_.contains("vision_config");
    return std::move(config_);
  }

 private:
  const Json* find(std::string_view key) const {
    const auto it = text_->find(key);
    return it == text_->end() || it->is_null() ? nullptr : &*it;
  }

  void note(std::string name, std::string value, std::string origin) {
    config_.readings.push_back({std::move(name), std::move(value), std::move(origin)});
  }

  std::uint64_t note(const char* name, std::uint64_t value, std::string origin) {
    note(std::string(name), std::to_string(value), std::move(origin));
    return value;
  }

  static std::uint64_t whole(std::string_view key, const Json& value) {
    if (!value.is_number_integer() || value < 1 || value > largest)
      throw InputError(std::string(key), shown(value), "a whole number from 1 to 2^40");
    return value.get<std::uint64_t>();
  }

  bool truth(std::string_view key, bool otherwise) const {
    const Json* value = find(key);
    if (!value) return otherwise;
    if (!value->is_boolean()) throw InputError(std::string(key), shown(*value), "true or false");
    return value->get<bool>();
  }

  std::string text(std::string_view key, const Json& value) const {
    if (!value.is_string()) throw InputError(std::string(key), shown(value), "a name in quotes");
    return value.get<std::string>();
  }

  std::string model_type() {
    const Json* value = find("model_type");
    if (!value) {
      const auto it = outer_.find("model_type");
      value = it == outer_.end() || it->is_null() ? nullptr : &*it;
    }
    if (!value) throw InputError(name_, "no model_type", "the key model_type");
    note("model_type", text("model_type", *value), "model_type");
    return text("model_type", *value);
  }

  // The value of the first spelling present. Spellings that disagree are refused.
  std::optional<std::pair<std::uint64_t, std::string>> given(const Names& keys) const {
    std::optional<std::pair<std::uint64_t, std::string>> first;
    for (std::string_view key : keys) {
      const Json* value = find(key);
      if (!value) continue;
      const std::uint64_t n = whole(key, *value);
      if (first && first->first != n)
        throw InputError(std::string(key), std::to_string(n),
                         std::to_string(first->first) + ", as " + first->second + " says");
      if (!first) first.emplace(n, key);
    }
    return first;
  }

  const Default* class_default(std::string_view name) const {
    const auto* it = std::ranges::find_if(defaults, [&](const Default& d) {
      return d.model_type == config_.model_type && d.name == name;
    });
    return it == defaults.end() ? nullptr : it;
  }

  std::uint64_t number(const char* name, const Names& keys) {
    if (const auto value = given(keys)) return note(name, value->first, value->second);
    if (const Default* d = class_default(name))
      return note(name, d->value, "default of " + config_.model_type);
    throw InputError(name_, std::string("no ") + name, "one of the keys " + listed(keys));
  }

  void read_kv_heads() {
    const std::uint64_t heads = config_.heads;
    const Names keys = {"num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads"};
    if (config_.model_type == "falcon" && truth("multi_query", false) &&
        !truth("new_decoder_architecture", find("n_head_kv") != nullptr))
      config_.kv_heads = note("kv_heads", 1, "multi_query in the old decoder");
    else if (config_.model_type == "chatglm" && truth("multi_query_attention", false))
      config_.kv_heads = number("kv_heads", {"multi_query_group_num"});
    else if (given(keys) || class_default("kv_heads"))
      config_.kv_heads = number("kv_heads", keys);
    else
      config_.kv_heads = note("kv_heads", heads, "as heads");
    if (heads % config_.kv_heads != 0)
      throw InputError("kv_heads", std::to_string(config_.kv_heads),
                       "a divisor of heads = " + std::to_string(heads));
  }

  void read_head_dim() {
    const Names keys = {"head_dim", "kv_channels", "d_kv", "attention_head_dim"};
    if (given(keys) || class_default("head_dim")) {
      config_.head_dim = number("head_dim", keys);
      return;
    }
    if (config_.hidden % config_.heads != 0)
      throw InputError(
          "hidden", std::to_string(config_.hidden),
          "a multiple of heads = " + std::to_string(config_.heads) + ", or a stated head_dim");
    config_.head_dim = note("head_dim", config_.hidden / config_.heads, "hidden / heads");
  }

  void read_ffn() {
    const Names keys = {"intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim", "d_ff"};
    if (const auto value = given(keys))
      config_.ffn = note("ffn", value->first, value->second);
    else if (find("expansion_ratio"))
      config_.ffn = note("ffn", whole("expansion_ratio", *find("expansion_ratio")) * config_.hidden,
                         "expansion_ratio * hidden");
    else if (!find_layout(config_.model_type).gated)
      config_.ffn = note("ffn", 4 * config_.hidden, "4 * hidden");
    else
      throw InputError(name_, "no ffn", "one of the keys " + listed(keys));
  }

  void read_max_length(const WeightLayout& layout) {
    const Names keys = {
        "max_position_embeddings", "n_positions", "n_ctx", "seq_length", "max_seq_len",
        "model_max_length"};
    if (layout.learned_positions)
      config_.max_length = number("max_length", keys);
    else
      for (std::string_view key : keys)
        if (const Json* value = find(key); value && config_.max_length == 0)
          config_.max_length = note("max_length", whole(key, *value), std::string(key));
  }

  // Whether layer n slides, where a window is in use.
  std::vector<bool> sliding_layers() const {
    std::vector<bool> slides(config_.layers, true);
    if (const Json* types = find("layer_types")) {
      if (!types->is_array() || types->size() != config_.layers)
        throw InputError("layer_types", shown(*types),
                         "a list of one name per layer, " + std::to_string(config_.layers));
      for (std::size_t n = 0; n < slides.size(); ++n) {
        const std::string type = text("layer_types", (*types)[n]);
        if (type != "sliding_attention" && type != "full_attention")
          throw InputError("layer_types[" + std::to_string(n) + "]", type,
                           "sliding_attention or full_attention");
        slides[n] = type == "sliding_attention";
      }
    } else if (const std::uint64_t period = pattern(); period > 1) {
      for (std::size_t n = 0; n < slides.size(); ++n) slides[n] = (n + 1) % period != 0;
    } else if (const Json* from = find("max_window_layers")) {
      if (!from->is_number_unsigned())
        throw InputError("max_window_layers", shown(*from), "a whole number of 0 or more");
      for (std::size_t n = 0; n < slides.size(); ++n) slides[n] = n >= from->get<std::size_t>();
    }
    return slides;
  }

  // Of every `pattern` layers the last attends fully; 1 where every layer slides.
  std::uint64_t pattern() const {
    if (const Json* value = find("sliding_window_pattern"))
      return whole("sliding_window_pattern", *value);
    return config_.model_type == "gemma3_text" ? 6 : config_.model_type == "gemma2" ? 2 : 1;
  }

  void read_windows() {
    config_.windows.assign(config_.layers, std::nullopt);
    const Json* window = find("sliding_window");
    const bool by_switch = config_.model_type.starts_with("qwen");
    if (!truth("use_sliding_window", !by_switch)) {
      if (window) note("window", "none", "use_sliding_window is false");
      return;
    }
    if (!window) {
      if (find("layer_types") ? std::ranges::count(sliding_layers(), true) > 0 : pattern() > 1)
        throw InputError(name_, "no sliding_window", "sliding_window, since some layers slide");
      return;
    }
    const std::uint64_t width = whole("sliding_window", *window);
    const std::vector<bool> slides = sliding_layers();
    for (std::size_t n = 0; n < slides.size(); ++n)
      if (slides[n]) config_.windows[n] = width;
    note("window", std::to_string(width), "sliding_window");
    note("sliding layers", std::to_string(std::ranges::count(slides, true)),
         find("layer_types") ? "layer_types"
         : pattern() > 1     ? "sliding_window_pattern"
                             : "every layer with a window");
  }

  void read_tied(const WeightLayout& layout) {
    for (const Json* from : {text_, &outer_})
      if (const auto it = from->find("tie_word_embeddings"); it != from->end() && !it->is_null()) {
        if (!it->is_boolean()) throw InputError("tie_word_embeddings", shown(*it), "true or false");
        config_.tied = it->get<bool>();
        note("tied", config_.tied ? "true" : "false", "tie_word_embeddings");
        return;
      }
    config_.tied = layout.tied;
    note("tied", layout.tied ? "true" : "false", "default of " + config_.model_type);
  }

  void read_qk_norm() {
    const std::string& type = config_.model_type;
    config_.qk_norm = type == "qwen3" || type == "gemma3_text" || truth("use_qk_norm", false);
  }

  void read_dtype() {
    for (const Json* from : {&outer_, text_})
      for (const char* key : {"torch_dtype", "dtype"})
        if (const auto it = from->find(key); it != from->end() && !it->is_null()) {
          config_.dtype = &find_dtype(text(key, *it), key);
          note("dtype", std::string(config_.dtype->name), key);
          read_quantisation();
          return;
        }
    config_.dtype = &find_dtype("f32");
    note("dtype", "f32", "not stated: what PyTorch creates");
    read_quantisation();
  }

  void read_quantisation() {
    for (const Json* from : {&outer_, text_})
      if (const auto it = from->find("quantization_config"); it != from->end() && it->is_object())
        config_.quantisation =
            it->contains("quant_method") ? text("quant_method", (*it)["quant_method"]) : "unnamed";
  }

  const Json& outer_;
  const Json* text_ = nullptr;
  std::string name_;
  ModelConfig config_;
};

}  // namespace

const WeightLayout& find_layout(std::string_view model_type) {
  for (const Alias& alias : aliases)
    if (alias.spelling == model_type) model_type = alias.model_type;
  Names names;
  for (const WeightLayout& layout : layouts) {
    if (layout.model_type == model_type) return layout;
    names.push_back(layout.model_type);
  }
  for (const Uncounted& known : uncounted)
    if (known.model_type == model_type)
      throw InputError("model_type", std::string(model_type),
                       "a dense model (" + listed(names) +
                           "); not counted yet: " + std::string(known.mechanism));
  throw InputError("model_type", std::string(model_type),
                   listed(names) + did_you_mean(model_type, names));
}

ModelConfig read_model_config(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name);
  return Reader(json, name).read();
}

}  // namespace attest::estimator

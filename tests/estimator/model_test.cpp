#include "estimator/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "estimator/json_input.h"
#include "tests/support/input_error.h"

namespace attest::estimator {
namespace {

using nlohmann::json;

ModelConfig read(const json& config) { return read_model_config(config.dump(), "config.json"); }

std::string refusal(const json& config) {
  return test::message_of([&] { read(config); });
}

json llama() {
  return {{"model_type", "llama"},    {"hidden_size", 4096},         {"intermediate_size", 11008},
          {"num_hidden_layers", 32},  {"num_attention_heads", 32},   {"vocab_size", 32000},
          {"torch_dtype", "float16"}, {"tie_word_embeddings", false}};
}

json with(json config, const char* key, json value) {
  config[key] = std::move(value);
  return config;
}

json without(json config, const char* key) {
  config.erase(key);
  return config;
}

struct Counted {
  const char* name;
  const char* config;
  std::uint64_t parameters;
};

// Public parameter counts of the text models, from the models' own published weights.
const Counted counted[] = {
    {"gpt2",
     R"({"model_type":"gpt2","n_layer":12,"n_head":12,"n_embd":768,"n_positions":1024,"n_ctx":1024,"vocab_size":50257})",
     124439808},
    {"gpt2-xl",
     R"({"model_type":"gpt2","n_layer":48,"n_head":25,"n_embd":1600,"n_positions":1024,"vocab_size":50257})",
     1557611200},
    {"llama-2-7b",
     R"({"model_type":"llama","hidden_size":4096,"intermediate_size":11008,"num_hidden_layers":32,"num_attention_heads":32,"vocab_size":32000,"tie_word_embeddings":false})",
     6738415616},
    {"llama-2-70b",
     R"({"model_type":"llama","hidden_size":8192,"intermediate_size":28672,"num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8,"vocab_size":32000})",
     68976648192},
    {"llama-3.1-8b",
     R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256})",
     8030261248},
    {"mistral-7b",
     R"({"model_type":"mistral","hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"sliding_window":4096,"vocab_size":32000})",
     7241732096},
    {"qwen2.5-7b",
     R"({"model_type":"qwen2","hidden_size":3584,"intermediate_size":18944,"num_hidden_layers":28,"num_attention_heads":28,"num_key_value_heads":4,"vocab_size":152064})",
     7615616512},
    {"qwen3-0.6b",
     R"({"model_type":"qwen3","hidden_size":1024,"intermediate_size":3072,"num_hidden_layers":28,"num_attention_heads":16,"num_key_value_heads":8,"head_dim":128,"vocab_size":151936,"tie_word_embeddings":true})",
     596049920},
    {"gemma-7b",
     R"({"model_type":"gemma","hidden_size":3072,"intermediate_size":24576,"num_hidden_layers":28,"num_attention_heads":16,"num_key_value_heads":16,"head_dim":256,"vocab_size":256000})",
     8537680896},
    {"gemma-3-1b",
     R"({"model_type":"gemma3_text","hidden_size":1152,"intermediate_size":6912,"num_hidden_layers":26,"num_attention_heads":4,"num_key_value_heads":1,"head_dim":256,"sliding_window":512,"vocab_size":262144})",
     999885952},
    {"phi-3-mini",
     R"({"model_type":"phi3","hidden_size":3072,"intermediate_size":8192,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":32,"vocab_size":32064})",
     3821079552},
    {"falcon-7b",
     R"({"model_type":"falcon","hidden_size":4544,"num_hidden_layers":32,"num_attention_heads":71,"num_kv_heads":71,"multi_query":true,"new_decoder_architecture":false,"vocab_size":65024})",
     6921720704},
    {"mpt-7b",
     R"({"model_type":"mpt","d_model":4096,"n_heads":32,"n_layers":32,"expansion_ratio":4,"max_seq_len":2048,"vocab_size":50432})",
     6649286656},
    {"chatglm3-6b",
     R"({"model_type":"chatglm","hidden_size":4096,"ffn_hidden_size":13696,"num_layers":28,"num_attention_heads":32,"multi_query_attention":true,"multi_query_group_num":2,"kv_channels":128,"padded_vocab_size":65024})",
     6243584000},
    {"command-r-plus",
     R"({"model_type":"cohere","hidden_size":12288,"intermediate_size":33792,"num_hidden_layers":64,"num_attention_heads":96,"num_key_value_heads":8,"use_qk_norm":true,"vocab_size":256000})",
     103810674688},
    {"bert-base-cased",
     R"({"model_type":"bert","hidden_size":768,"intermediate_size":3072,"num_hidden_layers":12,"num_attention_heads":12,"max_position_embeddings":512,"vocab_size":28996})",
     108310272},
};

TEST(Parameters, EqualThePublicCountsOfRealModels) {
  for (const Counted& c : counted)
    EXPECT_EQ(parameters(read_model_config(c.config, c.name)).count(), c.parameters) << c.name;
}

TEST(KvCache, CountsSharedHeadsAndWindows) {
  const DType& f16 = find_dtype("f16");
  // 32 layers, 8 heads of 128, 4096 tokens: 512 MiB; the window of 4096 caps what follows.
  const ModelConfig mistral = read_model_config(counted[5].config, "mistral");
  EXPECT_EQ(cache_ledger(mistral, 1, 4096, f16).total().count(), 536870912u);
  EXPECT_EQ(cache_ledger(mistral, 1, 32768, f16).total().count(), 536870912u);
  // Gemma 3 1B: 4 full layers grow, 22 sliding ones stop at 512.
  const ModelConfig gemma = read_model_config(counted[9].config, "gemma");
  EXPECT_EQ(cache_ledger(gemma, 1, 4096, f16).total().count(),
            (4u * 4096 + 22 * 512) * 2 * 256 * 2);
}

TEST(KvCache, HasItsOwnFormat) {
  json config = with(llama(), "num_key_value_heads", 8);
  // 32 layers x 8 heads x 128 x 4096 tokens in q8_0, K and V: 272 MiB, as llama.cpp prints it.
  EXPECT_EQ(cache_ledger(read(config), 1, 4096, find_dtype("q8_0")).total().count(),
            272u * 1024 * 1024);
}

TEST(KvCache, IsEmptyForAnEncoder) {
  const ModelConfig bert = read_model_config(counted[15].config, "bert");
  EXPECT_TRUE(cache_ledger(bert, 1, 512, find_dtype("f16")).lines().empty());
}

TEST(Workspace, OfOneLayerIsExplicitScoresAndProbabilities) {
  const ModelConfig config = read(llama());
  EXPECT_EQ(explicit_workspace(config, 2, 1024, find_dtype("f16")).total().count(),
            2u * (2u * 32 * 1024 * 1024 * 2));
  EXPECT_EQ(streaming_workspace(config, 2, 1024).total().count(), 2u * 32 * 1024 * 4);
}

TEST(WeightLedger, KeepsVectorsOutOfBlockFormats) {
  const Ledger ledger = weight_ledger(read(llama()), find_dtype("q4_0"));
  for (const Line& line : ledger.lines())
    EXPECT_EQ(line.dtype->name, line.shape.size() == 1 ? "f32" : "q4_0") << line.name;
}

TEST(ModelConfig, RemembersWhereEachValueCameFrom) {
  const ModelConfig config = read(llama());
  const auto origin = [&](const std::string& name) {
    for (const Reading& r : config.readings)
      if (r.name == name) return r.origin;
    return std::string("none");
  };
  EXPECT_EQ(origin("hidden"), "hidden_size");
  EXPECT_EQ(origin("kv_heads"), "as heads");
  EXPECT_EQ(origin("head_dim"), "hidden / heads");
  EXPECT_EQ(origin("tied"), "tie_word_embeddings");
}

TEST(ModelConfig, LayerTypesSayWhichLayersSlide) {
  json config = with(llama(), "num_hidden_layers", 2);
  config["sliding_window"] = 16;
  config["layer_types"] = {"full_attention", "sliding_attention"};
  const ModelConfig read_config = read(config);
  EXPECT_FALSE(read_config.windows[0]);
  EXPECT_EQ(read_config.windows[1], 16u);
}

TEST(ModelConfig, ASwitchedOffWindowIsNoWindow) {
  json config = with(llama(), "model_type", "qwen2");
  config["sliding_window"] = 131072;
  config["use_sliding_window"] = false;
  for (const auto& window : read(config).windows) EXPECT_FALSE(window);
  config["use_sliding_window"] = true;
  config["max_window_layers"] = 30;
  const ModelConfig on = read(config);
  EXPECT_FALSE(on.windows[29]);
  EXPECT_EQ(on.windows[30], 131072u);
}

struct Case {
  json config;
  const char* line;
};

TEST(ModelConfig, RefusesEachFaultInOneLineThatNamesTheKey) {
  const Case cases[] = {
      {json::array(), "config.json: got []; accepted: an object of config keys"},
      {without(llama(), "model_type"),
       "config.json: got no model_type; accepted: the key model_type"},
      {without(llama(), "hidden_size"),
       "config.json: got no hidden; accepted: one of the keys hidden_size, n_embd, d_model, dim"},
      {without(llama(), "intermediate_size"),
       "config.json: got no ffn; accepted: one of the keys intermediate_size, n_inner, "
       "ffn_hidden_size, ffn_dim, d_ff"},
      {with(llama(), "num_hidden_layers", 0),
       "num_hidden_layers: got 0; accepted: a whole number from 1 to 2^40"},
      {with(llama(), "num_hidden_layers", -1),
       "num_hidden_layers: got -1; accepted: a whole number from 1 to 2^40"},
      {with(llama(), "num_hidden_layers", true),
       "num_hidden_layers: got true; accepted: a whole number from 1 to 2^40"},
      {with(llama(), "hidden_size", "4096"),
       "hidden_size: got \"4096\"; accepted: a whole number from 1 to 2^40"},
      {with(llama(), "hidden_size", 4096.5),
       "hidden_size: got 4096.5; accepted: a whole number from 1 to 2^40"},
      {with(llama(), "hidden_size", 1e30),
       "hidden_size: got 1e+30; accepted: a whole number from 1 to 2^40"},
      {with(llama(), "num_hidden_layers", 1000000), "layers: got 1000000; accepted: 1 to 100000"},
      {with(llama(), "num_attention_heads", 33),
       "hidden: got 4096; accepted: a multiple of heads = 33, or a stated head_dim"},
      {with(llama(), "num_key_value_heads", 5),
       "kv_heads: got 5; accepted: a divisor of heads = 32"},
      {with(llama(), "n_embd", 1024), "n_embd: got 1024; accepted: 4096, as hidden_size says"},
      {with(llama(), "torch_dtype", "float17"),
       "torch_dtype: got \"float17\"; accepted: f64, f32, f16, "},
      {with(llama(), "tie_word_embeddings", 1),
       "tie_word_embeddings: got 1; accepted: true or false"},
      {with(llama(), "model_type", "lama"), "model_type: got lama; accepted: gpt2, llama, "},
      {with(llama(), "model_type", "mixtral"),
       "model_type: got mixtral; accepted: a dense model (gpt2, llama, "},
      {with(with(llama(), "sliding_window", 8), "layer_types", {"full_attention"}),
       "layer_types: got [\"full_attention\"]; accepted: a list of one name per layer, 32"},
      {{{"text_config", 3}}, "text_config: got 3; accepted: an object"},
      {with(llama(), "quantization_config", {{"quant_method", 4}}),
       "quant_method: got 4; accepted: a name in quotes"},
  };
  for (const Case& c : cases) EXPECT_EQ(refusal(c.config).find(c.line), 0u) << refusal(c.config);
  EXPECT_NE(refusal(with(llama(), "model_type", "lama")).find("did you mean llama"),
            std::string::npos);
  EXPECT_NE(refusal(with(llama(), "model_type", "mixtral")).find("not counted yet: mixture"),
            std::string::npos);
}

// Real geometries with the trap each holds, where that material stands beside the sources.
TEST(ModelConfig, ReadsTheExpectedGeometryOfEveryDenseConfig) {
  const std::filesystem::path folder =
      std::filesystem::path(ATTEST_SOURCE_DIR) / ".." / "shared" / "configs";
  if (!std::filesystem::exists(folder / "EXPECTED.json"))
    GTEST_SKIP() << "no config corpus beside the sources";
  const auto file = [&](const std::string& name) {
    return read_file((folder / name).string(), "config");
  };
  const json expected = json::parse(file("EXPECTED.json"));
  int compared = 0;
  for (const auto& [name, values] : expected.items()) {
    const json config = json::parse(file(name + ".json"));
    std::optional<ModelConfig> read_config;
    try {
      read_config = read_model_config(config.dump(), name);
    } catch (const InputError& error) {
      EXPECT_EQ(error.field() == "model_type" || error.value() == "no model_type", true)
          << error.what();
      continue;
    }
    ++compared;
    const ModelConfig& c = *read_config;
    const auto sliding = static_cast<std::uint64_t>(
        std::ranges::count_if(c.windows, [](const auto& window) { return window.has_value(); }));
    const std::pair<const char*, std::uint64_t> fields[] = {
        {"hidden", c.hidden}, {"ffn", c.ffn},           {"layers", c.layers},
        {"heads", c.heads},   {"kv_heads", c.kv_heads}, {"head_dim", c.head_dim},
        {"vocab", c.vocab},   {"layers_swa", sliding},  {"layers_full", c.layers - sliding}};
    for (const auto& [field, value] : fields)
      EXPECT_EQ(values.value(field, value), value) << name << ' ' << field;
    EXPECT_EQ(values["tied"], c.tied) << name;
    const std::uint64_t window = std::ranges::max(c.windows).value_or(0);
    EXPECT_EQ(values.value("window", window), window) << name;
  }
  EXPECT_EQ(compared, 12);
}

}  // namespace
}  // namespace attest::estimator

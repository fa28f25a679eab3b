#include "cli/estimate_model.h"

#include <fmt/format.h>

#include <ostream>

#include "attention/error.h"
#include "cli/ledger_view.h"
#include "estimator/json_input.h"
#include "estimator/model.h"

namespace attest::cli {
namespace {

using estimator::Bytes;
using estimator::DType;
using estimator::Ledger;
using estimator::ModelConfig;
using reports::Align;
using reports::Table;

constexpr const char* not_measured =
    "Ideal tensor sizes, not measured peak memory: activations of other layers, an engine's blocks "
    "and padding, and the allocator's rounding come on top.";

// A request with everything it decides.
struct Plan {
  ModelConfig config;
  std::uint64_t seq;
  std::uint64_t batch;
  const DType* weights;
  const DType* cache;
  const DType* activations;

  Ledger weight_ledger() const { return estimator::weight_ledger(config, *weights); }
  Ledger cache_ledger() const { return estimator::cache_ledger(config, batch, seq, *cache); }
  Ledger explicit_ledger() const {
    return estimator::explicit_workspace(config, batch, seq, *activations);
  }
  Ledger streaming_ledger() const { return estimator::streaming_workspace(config, batch, seq); }
};

Plan plan(const ModelRequest& request) {
  Plan p{.config = estimator::read_model_config(
             estimator::read_file(request.config_path, "--config"), request.config_path),
         .seq = request.seq,
         .batch = request.batch,
         .weights = nullptr,
         .cache = nullptr,
         .activations = nullptr};
  p.activations = p.config.dtype;
  if (request.dtype.empty() && !p.config.quantisation.empty())
    throw InputError("quantization_config", p.config.quantisation,
                     "an unquantised config, or --dtype to state the weights' format");
  p.weights =
      request.dtype.empty() ? p.config.dtype : &estimator::find_dtype(request.dtype, "--dtype");
  p.cache = request.cache_dtype.empty()
                ? p.activations
                : &estimator::find_dtype(request.cache_dtype, "--cache-dtype");
  return p;
}

Table readings_table(const Plan& p, const std::string& path) {
  Table table{.title = path,
              .columns = {{"read", Align::left}, {"value", Align::right}, {"from"}},
              .rows = {},
              .notes = {}};
  for (const estimator::Reading& r : p.config.readings)
    table.rows.push_back({.cells = {r.name, r.value, r.origin}});
  table.rows.push_back(
      {.cells = {"parameters", grouped(estimator::parameters(p.config).count()), "counted below"},
       .emphasised = true});
  return table;
}

std::vector<std::string> notes(const Plan& p) {
  std::vector<std::string> list;
  if (p.cache_ledger().lines().empty())
    list.push_back("An encoder keeps no KV cache: every position is read in one pass.");
  if (p.config.max_length != 0 && p.seq > p.config.max_length)
    list.push_back(fmt::format("--seq {} is beyond the {} positions that the config states.", p.seq,
                               p.config.max_length));
  if (p.config.vision) list.push_back("The vision tower of this config is not counted.");
  list.push_back(not_measured);
  return list;
}

Table summary_table(const Plan& p) {
  const Bytes weights = p.weight_ledger().total();
  const Bytes cache = p.cache_ledger().total();
  const Bytes scores = p.explicit_ledger().total();
  const Bytes lse = p.streaming_ledger().total();
  Table table{.title = fmt::format("total, B={} N={}", p.batch, p.seq),
              .columns = {{"part"},
                          {"explicit, bytes", Align::right},
                          {"size", Align::right},
                          {"streaming, bytes", Align::right},
                          {"size", Align::right}},
              .rows = {},
              .notes = notes(p)};
  const auto add = [&](const char* name, Bytes a, Bytes b, bool emphasised) {
    table.rows.push_back({.cells = {name, grouped(a.count()), in_binary_units(a),
                                    grouped(b.count()), in_binary_units(b)},
                          .emphasised = emphasised});
  };
  add("weights", weights, weights, false);
  add("KV cache", cache, cache, false);
  add("attention workspace", scores, lse, false);
  add("total", weights + cache + scores, weights + cache + lse, true);
  return table;
}

std::string tables_text(const Plan& p, const ModelRequest& request, bool colour) {
  std::vector<Table> tables = {readings_table(p, request.config_path),
                               ledger_table("weights", p.weight_ledger())};
  if (!p.cache_ledger().lines().empty())
    tables.push_back(ledger_table("KV cache", p.cache_ledger()));
  tables.push_back(ledger_table("attention workspace of one layer, explicit", p.explicit_ledger()));
  tables.push_back(
      ledger_table("attention workspace of one layer, streaming", p.streaming_ledger()));
  tables.push_back(summary_table(p));
  std::string text;
  for (const Table& table : tables) {
    if (!text.empty()) text += '\n';
    text += request.format == Format::markdown ? as_markdown(table) : as_text(table, colour);
  }
  return text;
}

std::string csv_text(const Plan& p) {
  Table list = ledger_list({"part"});
  add_ledger_rows({"weights"}, p.weight_ledger(), list);
  add_ledger_rows({"KV cache"}, p.cache_ledger(), list);
  add_ledger_rows({"explicit workspace"}, p.explicit_ledger(), list);
  add_ledger_rows({"streaming workspace"}, p.streaming_ledger(), list);
  return as_csv(list);
}

std::string json_text(const Plan& p) {
  reports::JsonWriter json;
  json.begin_object();
  json.key("schema").value("attest.estimate.model");
  json.key("schema_version").integer("1");
  json.key("model_type").value(p.config.model_type);
  json.key("batch").integer(std::to_string(p.batch));
  json.key("seq").integer(std::to_string(p.seq));
  json.key("config").begin_array();
  for (const estimator::Reading& r : p.config.readings) {
    json.begin_object();
    json.key("name").value(r.name);
    json.key("value").value(r.value);
    json.key("from").value(r.origin);
    json.end_object();
  }
  json.end_array();
  json.key("parameters").integer(to_string(estimator::parameters(p.config)));
  json.key("weights");
  write_ledger(p.weight_ledger(), json);
  json.key("kv_cache");
  write_ledger(p.cache_ledger(), json);
  json.key("explicit_workspace");
  write_ledger(p.explicit_ledger(), json);
  json.key("streaming_workspace");
  write_ledger(p.streaming_ledger(), json);
  json.key("notes").begin_array();
  for (const std::string& note : notes(p)) json.value(note);
  json.end_array();
  json.end_object();
  return json.str();
}

}  // namespace

Exit estimate_model(const ModelRequest& request, const Terminal& terminal) {
  const Plan p = plan(request);
  switch (request.format) {
    case Format::table:
    case Format::markdown:
      terminal.out << tables_text(p, request, terminal.colour_out);
      break;
    case Format::csv:
      terminal.out << csv_text(p);
      break;
    case Format::json:
      terminal.out << json_text(p);
      break;
  }
  return Exit::fine;
}

}  // namespace attest::cli

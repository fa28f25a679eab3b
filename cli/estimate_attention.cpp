#include "cli/estimate_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>

#include "attention/error.h"
#include "attention/spelling.h"
#include "cli/ledger_view.h"
#include "estimator/kernel_memory.h"

namespace attest::cli {
namespace {

using estimator::AttentionPlan;
using estimator::Ledger;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t most_tokens = std::uint64_t{1} << 62;

constexpr const char* not_measured =
    "These are calculated tensor sizes, not measured peak memory: temporary buffers, gradients, "
    "other layers and the allocator's rounding come on top.";

std::uint64_t extent(const Given& given, const char* flag, std::uint64_t otherwise) {
  return given.has(flag) ? whole_number(flag, given.text(flag), 1, most) : otherwise;
}

void require(const Given& given, const char* flag, const char* accepted) {
  if (!given.has(flag)) throw InputError(fmt::format("--{}", flag), "nothing", accepted);
}

std::uint64_t head_dim(const Given& given, std::uint64_t heads) {
  if (given.has("width") == given.has("head-dim"))
    throw InputError("--head-dim", given.has("width") ? "--width beside it" : "nothing",
                     "either --head-dim N, or --width N for heads * head_dim");
  if (given.has("head-dim")) return extent(given, "head-dim", 1);
  const std::uint64_t width = extent(given, "width", 1);
  if (width % heads != 0)
    throw InputError("--width", std::to_string(width),
                     "a multiple of --heads = " + std::to_string(heads));
  return width / heads;
}

std::optional<Alignment> causal_alignment(const Given& given) {
  if (!given.has("causal")) {
    if (given.has("alignment"))
      throw InputError("--alignment", "no --causal", "--causal beside it");
    return {};
  }
  constexpr std::array<std::string_view, 3> names = {"square", "top-left", "bottom-right"};
  const std::string name = given.text("alignment", "square");
  const auto* found = std::ranges::find(names, name);
  if (found == names.end())
    throw InputError("--alignment", "\"" + name + "\"", listed(names) + did_you_mean(name, names));
  constexpr std::array alignments = {Alignment::square, Alignment::top_left,
                                     Alignment::bottom_right};
  return alignments[static_cast<std::size_t>(found - names.begin())];
}

// Query and key counts, one pair per plan.
std::vector<std::pair<std::uint64_t, std::uint64_t>> token_counts(
    const Given& given, const std::vector<std::uint64_t>& lengths) {
  const bool apart = given.has("queries") || given.has("keys");
  if (apart && given.has("seq"))
    throw InputError("--seq", "--queries or --keys beside it", "--seq, or --queries and --keys");
  if (apart) {
    require(given, "queries", "--queries and --keys together");
    require(given, "keys", "--queries and --keys together");
    return {{whole_number("queries", given.text("queries"), 1, most_tokens, true),
             whole_number("keys", given.text("keys"), 1, most_tokens, true)}};
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;
  if (given.has("seq"))
    for (std::uint64_t n : whole_numbers("seq", given.text("seq"), 1, most_tokens, true))
      counts.emplace_back(n, n);
  else if (!lengths.empty())
    counts.emplace_back(std::ranges::max(lengths), std::ranges::max(lengths));
  else
    require(given, "seq", "sequence lengths, such as 2048 or 2048,4096");
  return counts;
}

void check_lengths(const Given& given, const AttentionRequest& request) {
  if (request.lengths.empty()) return;
  const std::uint64_t longest = std::ranges::max(request.lengths);
  for (const AttentionPlan& plan : request.plans) {
    if (plan.queries != plan.keys)
      throw InputError("--lengths", "--queries and --keys beside it", "--seq, or --lengths alone");
    if (plan.queries < longest)
      throw InputError("--seq", std::to_string(plan.queries),
                       "at least the longest of --lengths, " + std::to_string(longest));
  }
  if (given.has("batch") && extent(given, "batch", 1) != request.lengths.size())
    throw InputError("--batch", given.text("batch"),
                     fmt::format("{}, one per length given", request.lengths.size()));
}

std::string causal_note(const AttentionPlan& plan, Alignment alignment) {
  const estimator::Wide all = estimator::product({plan.queries, plan.keys}).count();
  const estimator::Wide seen = estimator::causal_pairs(plan.queries, plan.keys, alignment).count();
  return fmt::format(
      "Causal: {} of {} entries of each head are masked. The dense arrays keep all of them: a "
      "causal mask does not shrink scores or probabilities.",
      grouped(all - seen), grouped(all));
}

std::string padding_note(const AttentionRequest& request, const AttentionPlan& plan) {
  const estimator::Padding padding = estimator::padding(request.lengths, plan.queries);
  const double share =
      static_cast<double>(padding.useful.count()) / static_cast<double>(padding.stored.count());
  const auto wasted = estimator::size_of(
      estimator::Elements::of(padding.stored.count() - padding.useful.count()) * plan.query_heads,
      *plan.score_dtype);
  return fmt::format(
      "Padding: the dense arrays follow the padded length, {}, not the lengths given. Of {} score "
      "entries a head, {} ({:.1f} %) pair two real tokens; padding takes {} of scores.",
      plan.queries, grouped(padding.stored.count()), grouped(padding.useful.count()), 100 * share,
      bytes_text(wasted));
}

estimator::Bytes tile_bytes(const AttentionRequest& request, const AttentionPlan& plan) {
  const auto index = [](std::uint64_t n) {
    return static_cast<Index>(std::min<std::uint64_t>(n, most_tokens));
  };
  return streaming_kernel_memory({.queries = index(plan.queries),
                                  .keys = index(plan.keys),
                                  .width = index(plan.width),
                                  .value_width = index(plan.value_width)},
                                 request.tiles, estimator::find_dtype("f32"))
      .total();
}

std::vector<std::string> plan_notes(const AttentionRequest& request, const AttentionPlan& plan) {
  std::vector<std::string> notes;
  if (request.causal) notes.push_back(causal_note(plan, *request.causal));
  if (!request.lengths.empty()) notes.push_back(padding_note(request, plan));
  notes.push_back(fmt::format(
      "Streaming holds {} of float32 tiles a worker ({} queries x {} keys) beside its ledger.",
      bytes_text(tile_bytes(request, plan)), request.tiles.queries, request.tiles.keys));
  return notes;
}

std::string plan_title(const char* kind, const AttentionPlan& p) {
  return fmt::format("{} attention, B={} Hq={} Hkv={} Nq={} Nk={} d={} dv={}", kind, p.batch,
                     p.query_heads, p.kv_heads, p.queries, p.keys, p.width, p.value_width);
}

std::string tables_text(const AttentionRequest& request, bool colour) {
  std::string text;
  const auto add = [&](const reports::Table& table) {
    text += request.format == Format::markdown ? as_markdown(table) : as_text(table, colour);
    text += '\n';
  };
  for (const AttentionPlan& plan : request.plans) {
    add(ledger_table(plan_title("explicit", plan), explicit_ledger(plan)));
    reports::Table streaming = ledger_table(plan_title("streaming", plan), streaming_ledger(plan));
    streaming.notes = plan_notes(request, plan);
    add(streaming);
  }
  return text + "e is bytes per element. " + not_measured + '\n';
}

std::string csv_text(const AttentionRequest& request) {
  reports::Table list = ledger_list({"attention", "queries", "keys"});
  for (const AttentionPlan& plan : request.plans) {
    const std::string queries = std::to_string(plan.queries);
    const std::string keys = std::to_string(plan.keys);
    add_ledger_rows({"explicit", queries, keys}, explicit_ledger(plan), list);
    add_ledger_rows({"streaming", queries, keys}, streaming_ledger(plan), list);
  }
  return as_csv(list);
}

void write_plan(const AttentionRequest& request, const AttentionPlan& plan,
                reports::JsonWriter& json) {
  json.begin_object();
  const std::pair<const char*, std::uint64_t> extents[] = {{"batch", plan.batch},
                                                           {"query_heads", plan.query_heads},
                                                           {"kv_heads", plan.kv_heads},
                                                           {"queries", plan.queries},
                                                           {"keys", plan.keys},
                                                           {"head_dim", plan.width},
                                                           {"value_dim", plan.value_width}};
  for (const auto& [name, value] : extents) json.key(name).integer(std::to_string(value));
  json.key("dtype").value(plan.dtype->name);
  json.key("score_dtype").value(plan.score_dtype->name);
  json.key("explicit");
  write_ledger(explicit_ledger(plan), json);
  json.key("streaming");
  write_ledger(streaming_ledger(plan), json);
  json.key("streaming_tile_bytes").integer(to_string(tile_bytes(request, plan)));
  if (request.causal)
    json.key("causal_visible_per_head")
        .integer(to_string(estimator::causal_pairs(plan.queries, plan.keys, *request.causal)));
  if (!request.lengths.empty()) {
    const estimator::Padding padding = estimator::padding(request.lengths, plan.queries);
    json.key("padding").begin_object();
    json.key("score_entries_per_head").integer(to_string(padding.stored));
    json.key("useful_entries_per_head").integer(to_string(padding.useful));
    json.end_object();
  }
  json.end_object();
}

std::string json_text(const AttentionRequest& request) {
  reports::JsonWriter json;
  json.begin_object();
  json.key("schema").value("attest.estimate.attention");
  json.key("schema_version").integer("1");
  json.key("plans").begin_array();
  for (const AttentionPlan& plan : request.plans) write_plan(request, plan, json);
  json.end_array();
  json.key("note").value(not_measured);
  json.end_object();
  return json.str();
}

}  // namespace

std::vector<Option> attention_options() {
  return {{"heads", "N", "query heads"},
          {"kv-heads", "N", "key/value heads, a divisor of --heads (default: --heads)"},
          {"queries", "N", "queries, where they are not as many as keys"},
          {"keys", "N", "keys, with --queries"},
          {"head-dim", "N", "width of a head's queries and keys"},
          {"width", "N", "heads * head_dim, instead of --head-dim"},
          {"value-dim", "N", "width of a head's values (default: head_dim)"},
          {"score-dtype", "TYPE", "of scores and probabilities (default: --dtype)"},
          {"causal", nullptr, "count what a causal mask hides"},
          {"alignment", "NAME", "square (default), top-left or bottom-right, with --causal"},
          {"lengths", "N,N,...", "length of each sequence in the batch: shows what padding costs"},
          {"tile-queries", "N", "queries a streaming worker holds (default 64)"},
          {"tile-keys", "N", "keys a streaming worker holds (default 64)"}};
}

AttentionRequest attention_request(const Given& given) {
  AttentionRequest request{.plans = {},
                           .causal = causal_alignment(given),
                           .lengths = {},
                           .tiles = {},
                           .format = format(given)};
  if (given.has("lengths"))
    request.lengths = whole_numbers("lengths", given.text("lengths"), 1, most_tokens, true);
  require(given, "heads", "the number of query heads, or --config FILE for a whole model");
  const std::uint64_t heads = extent(given, "heads", 1);
  const std::uint64_t width = head_dim(given, heads);
  const auto& dtype = estimator::find_dtype(given.text("dtype", "f16"), "--dtype");
  request.tiles.queries = static_cast<Index>(
      whole_number("tile-queries", given.text("tile-queries", "64"), 1, most_tokens));
  request.tiles.keys =
      static_cast<Index>(whole_number("tile-keys", given.text("tile-keys", "64"), 1, most_tokens));
  for (const auto& [queries, keys] : token_counts(given, request.lengths)) {
    request.plans.push_back(
        {.batch = request.lengths.empty() ? extent(given, "batch", 1) : request.lengths.size(),
         .query_heads = heads,
         .kv_heads = extent(given, "kv-heads", heads),
         .queries = queries,
         .keys = keys,
         .width = width,
         .value_width = extent(given, "value-dim", width),
         .dtype = &dtype,
         .score_dtype = given.has("score-dtype")
                            ? &estimator::find_dtype(given.text("score-dtype"), "--score-dtype")
                            : &dtype});
    validate(request.plans.back());
    if (request.causal) estimator::causal_pairs(queries, keys, *request.causal);
  }
  check_lengths(given, request);
  return request;
}

Exit estimate_attention(const AttentionRequest& request, const Terminal& terminal) {
  switch (request.format) {
    case Format::table:
    case Format::markdown:
      terminal.out << tables_text(request, terminal.colour_out);
      break;
    case Format::csv:
      terminal.out << csv_text(request);
      break;
    case Format::json:
      terminal.out << json_text(request);
      break;
  }
  return Exit::fine;
}

}  // namespace attest::cli

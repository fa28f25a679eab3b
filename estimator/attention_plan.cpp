#include "estimator/attention_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "attention/error.h"

namespace attest::estimator {
namespace {

// Q, K and V; `rest` follows them, then the output.
Ledger with_inputs_and_output(const AttentionPlan& p, std::vector<Line> rest) {
  validate(p);
  const Factor b{"B", p.batch};
  const Factor hq{"Hq", p.query_heads};
  const Factor hkv{"Hkv", p.kv_heads};
  const Factor nq{"Nq", p.queries};
  const Factor nk{"Nk", p.keys};
  const Factor d{"d", p.width};
  const Factor dv{"dv", p.value_width};
  const auto tensor = [&](std::string name, Role role, std::vector<Factor> shape) {
    return Line{.name = std::move(name),
                .role = role,
                .copies = {},
                .shape = std::move(shape),
                .dtype = p.dtype,
                .source = "Vaswani17",
                .note = {}};
  };
  Ledger ledger;
  ledger.add(tensor("Q", Role::input, {b, hq, nq, d}));
  ledger.add(tensor("K", Role::input, {b, hkv, nk, d}));
  ledger.add(tensor("V", Role::input, {b, hkv, nk, dv}));
  for (Line& line : rest) ledger.add(std::move(line));
  ledger.add(tensor("output", Role::output, {b, hq, nq, dv}));
  return ledger;
}

}  // namespace

void validate(const AttentionPlan& p) {
  const std::pair<const char*, std::uint64_t> extents[] = {
      {"batch", p.batch},          {"heads", p.query_heads}, {"kv_heads", p.kv_heads},
      {"queries", p.queries},      {"keys", p.keys},         {"head_dim", p.width},
      {"value_dim", p.value_width}};
  for (const auto& [name, extent] : extents)
    if (extent == 0) throw InputError(name, "0", "a whole number of 1 or more");
  if (p.query_heads % p.kv_heads != 0)
    throw InputError("kv_heads", std::to_string(p.kv_heads),
                     "a divisor of heads = " + std::to_string(p.query_heads));
}

Ledger explicit_ledger(const AttentionPlan& p) {
  const auto pairs = [&](const char* name, const char* note) {
    return Line{.name = name,
                .role = Role::score,
                .copies = {},
                .shape = {{"B", p.batch}, {"Hq", p.query_heads}, {"Nq", p.queries}, {"Nk", p.keys}},
                .dtype = p.score_dtype,
                .source = "Vaswani17",
                .note = note};
  };
  return with_inputs_and_output(
      p, {pairs("scores", "q . k of every pair"),
          pairs("probabilities", "softmax of the scores, held beside them unless done in place")});
}

Ledger streaming_ledger(const AttentionPlan& p) {
  return with_inputs_and_output(
      p, {Line{.name = "LSE",
               .role = Role::workspace,
               .copies = {},
               .shape = {{"B", p.batch}, {"Hq", p.query_heads}, {"Nq", p.queries}},
               .dtype = &find_dtype("f32"),
               .source = "Dao22",
               .note = "log-sum-exp per query, kept for the backward pass"}});
}

Elements causal_pairs(std::uint64_t queries, std::uint64_t keys, Alignment alignment) {
  if (alignment == Alignment::square && queries != keys)
    throw InputError("causal",
                     std::to_string(queries) + " queries and " + std::to_string(keys) +
                         " keys under square alignment",
                     "equal counts, or a declared alignment: top_left or bottom_right");
  const Wide common = std::min(queries, keys);
  if (alignment == Alignment::bottom_right)  // counted from the last row: keys, keys - 1, ...
    return Elements::of(common * keys - common * (common - 1) / 2);
  return Elements::of(common * (common + 1) / 2 + (queries - common) * keys);  // 1, 2, ... keys
}

Padding padding(std::span<const std::uint64_t> lengths, std::uint64_t padded_length) {
  Padding result{.stored = product({lengths.size(), padded_length, padded_length}), .useful = {}};
  for (std::uint64_t length : lengths) result.useful += product({length, length});
  return result;
}

}  // namespace attest::estimator

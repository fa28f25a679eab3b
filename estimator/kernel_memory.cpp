#include "estimator/kernel_memory.h"

#include <algorithm>
#include <string>

namespace attest::estimator {
namespace {

Factor factor(const char* symbol, Index value) {
  return {symbol, static_cast<std::uint64_t>(value)};
}

void add(Ledger& ledger, const DType& accumulator, Role role, const char* name,
         std::vector<Factor> shape, const char* note) {
  ledger.add({.name = name,
              .role = role,
              .copies = {},
              .shape = std::move(shape),
              .dtype = &accumulator,
              .source = "attest",
              .note = note});
}

}  // namespace

Ledger explicit_kernel_memory(const Shape& s, const DType& accumulator) {
  Ledger ledger;
  add(ledger, accumulator, Role::score, "scores",
      {factor("B", s.batch), factor("Hq", s.query_heads), factor("Nq", s.queries),
       factor("Nk", s.keys)},
      "turned into probabilities in place");
  add(ledger, accumulator, Role::workspace, "output row", {factor("dv", s.value_width)},
      "one row of the output before rounding");
  return ledger;
}

Ledger streaming_kernel_memory(const Shape& s, const Tiles& tiles, const DType& accumulator) {
  const Factor tq = factor("tq", std::min(tiles.queries, s.queries));
  const Factor tk = factor("tk", std::min(tiles.keys, s.keys));
  const Factor d = factor("d", s.width);
  const Factor dv = factor("dv", s.value_width);
  Ledger ledger;
  const auto workspace = [&](const char* name, std::vector<Factor> shape, const char* note) {
    add(ledger, accumulator, Role::workspace, name, std::move(shape), note);
  };
  workspace("key tile", {tk, d}, "");
  workspace("value tile", {tk, dv}, "");
  workspace("query tile", {tq, d}, "");
  workspace("output tile", {tq, dv}, "weighted values before division");
  workspace("row maxima", {tq}, "");
  workspace("row sums", {tq}, "");
  workspace("score row", {tk}, "one query against one key tile");
  return ledger;
}

}  // namespace attest::estimator

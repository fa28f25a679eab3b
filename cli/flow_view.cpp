#include "cli/flow_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "attention/error.h"

namespace attest::cli {
namespace {

reports::Table score_shapes(Family family, Index source, Index target) {
  reports::Table table{.title = "attention scores of one head",
                       .columns = {{"attention"}, {"queries x keys"}},
                       .rows = {},
                       .notes = {}};
  const auto add = [&](const char* name, Index queries, Index keys) {
    table.rows.push_back({.cells = {name, fmt::format("({}, {})", queries, keys)}});
  };
  if (family != Family::decoder_only) add("encoder self-attention", source, source);
  if (family != Family::encoder_only) add("decoder causal self-attention", target, target);
  if (family == Family::encoder_decoder) add("cross-attention", target, source);
  return table;
}

reports::Table matrix_table(const std::string& title, const Matrix& matrix) {
  reports::Table table{.title = title, .columns = {{"position"}}, .rows = {}, .notes = {}};
  for (Index c = 0; c < matrix.columns(); ++c)
    table.columns.push_back({fmt::format("{}", c), reports::Align::right});
  for (Index r = 0; r < matrix.rows(); ++r) {
    reports::Row row{.cells = {fmt::format("{}", r)}};
    for (const double x : matrix.row(r)) row.cells.push_back(fmt::format("{:.6f}", x));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<reports::Table> two_head_block_tables() {
  const Matrix input = two_head_block_input();
  const BlockResult result = apply(two_head_block(), input);
  std::vector<reports::Table> tables = {matrix_table("input", input)};
  for (std::size_t h = 0; h < result.self_maps.size(); ++h)
    tables.push_back(matrix_table(fmt::format("head {} weights", h), result.self_maps[h]));
  tables.push_back(matrix_table("output", result.output));
  return tables;
}

const std::vector<std::string_view>& family_names() {
  static const std::vector<std::string_view> names = {"encoder-decoder", "encoder-only",
                                                      "decoder-only"};
  return names;
}

Family find_family(std::string_view name) {
  const auto found = std::ranges::find(family_names(), name);
  ATTEST_CHECK(found != family_names().end());
  return static_cast<Family>(found - family_names().begin());
}

std::vector<reports::Table> flow_tables(Family family, Index source, Index target) {
  const Transformer transformer = assemble({.family = family});
  const InformationFlow flow = declared_flow(transformer, source, target);
  const bool agrees = measured_flow(transformer, source, target, 1) == flow;
  reports::Table table{
      .title = "who may read whom", .columns = {{"output"}}, .rows = {}, .notes = {}};
  for (Index j = 0; j < source; ++j) table.columns.push_back({fmt::format("s{}", j)});
  for (Index j = 0; j < target; ++j) table.columns.push_back({fmt::format("t{}", j)});
  for (Index i = 0; i < flow.outputs; ++i) {
    reports::Row row{.cells = {fmt::format("{}{}", family == Family::encoder_only ? 's' : 't', i)}};
    for (Index j = 0; j < source + target; ++j) row.cells.push_back(flow(i, j) ? "x" : ".");
    table.rows.push_back(std::move(row));
  }
  table.notes = {"s: source positions, t: target positions; x: the output can depend on the input.",
                 agrees ? "Changing each input in turn changes exactly these outputs."
                        : "Changing each input in turn does NOT change exactly these outputs."};
  return {score_shapes(family, source, target), table};
}

}  // namespace attest::cli

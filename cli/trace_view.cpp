#include "cli/trace_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <string>

#include "attention/attention_trace.h"
#include "attention/kv_head.h"

namespace attest::cli {
namespace {

using reports::Align;
using reports::Table;

// A step of the trace: its name in data, its formula for a reader, and where its numbers are.
struct Step {
  const char* name;
  std::string formula;
  std::vector<double> RowTrace::*numbers;
};

bool asks_for_mask(const ProblemSpec<double>& spec) {
  const VisibilityRule& rule = spec.visibility;
  return rule.causal || rule.window.limited() || !rule.key_lengths.empty() || rule.allow ||
         spec.score.bias;
}

std::string scale_formula(const Problem<double>& problem) {
  const auto& scale = problem.spec().score.scale;
  return scale ? fmt::format("* scale = {:.6g}", *scale)
               : fmt::format("* 1/sqrt({})", problem.shape().width);
}

// The steps a problem takes; those it does not ask for are left out.
std::vector<Step> steps(const Problem<double>& problem) {
  const ProblemSpec<double>& spec = problem.spec();
  std::vector<Step> list = {{"product", "q . k", &RowTrace::products},
                            {"scaled", scale_formula(problem), &RowTrace::scaled}};
  if (spec.score.softcap)
    list.push_back({"capped", fmt::format("{0:.6g} tanh(s / {0:.6g})", *spec.score.softcap),
                    &RowTrace::capped});
  if (spec.score.bias) list.push_back({"biased", "+ bias", &RowTrace::biased});
  if (!spec.score.alibi_slopes.empty())
    list.push_back({"sloped", "- slope * |key - diagonal|", &RowTrace::sloped});
  if (asks_for_mask(spec)) list.push_back({"masked", "-inf where hidden", &RowTrace::masked});
  list.push_back({"shifted", "- max", &RowTrace::shifted});
  list.push_back({"exponential", "e^", &RowTrace::exponentials});
  list.push_back({"weight", "/ sum", &RowTrace::weights});
  return list;
}

template <class Visit>
void for_each_row(const Problem<double>& problem, Visit visit) {
  const Shape& s = problem.shape();
  for (Index b = 0; b < s.batch; ++b)
    for (Index h = 0; h < s.query_heads; ++h)
      for (Index i = 0; i < s.queries; ++i) visit(Token{b, h, i}, trace_row(problem, b, h, i));
}

std::string vector_text(const TensorView<const double>& tensor, Token t) {
  std::vector<double> row;
  for (Index c = 0; c < tensor.extents()[3]; ++c)
    row.push_back(tensor(t.batch, t.head, t.position, c));
  return fmt::format("[{:.6g}]", fmt::join(row, ", "));
}

std::string title(const Problem<double>& problem, Token query) {
  const Shape& s = problem.shape();
  std::string where;
  if (s.batch > 1) where += fmt::format("batch {}, ", query.batch);
  if (s.query_heads > 1) where += fmt::format("head {}, ", query.head);
  return fmt::format("{}query {} = {}", where, query.position,
                     vector_text(problem.spec().q, query));
}

std::string softmax_note(const Problem<double>& problem, Token query, const RowTrace& row,
                         int digits) {
  std::string text =
      fmt::format("max {}, sum {}, LSE = max + ln(sum) = {}", decimals(row.max, digits),
                  decimals(row.sum, digits), decimals(row.lse, digits));
  if (!problem.spec().sinks.empty())
    text += fmt::format("; the sink {:.6g} takes part in max and sum",
                        problem.spec().sinks[static_cast<std::size_t>(query.head)]);
  return text;
}

std::string output_note(const Problem<double>& problem, Token query, const RowTrace& row,
                        int digits) {
  const Index kv = kv_head(problem.spec().head_map, problem.shape(), query.head);
  std::string sum;
  for (Index j = 0; j < problem.shape().keys; ++j) {
    const double weight = row.weights[static_cast<std::size_t>(j)];
    if (weight == 0) continue;
    sum += fmt::format("{}{} * {}", sum.empty() ? "" : " + ", decimals(weight, digits),
                       vector_text(problem.spec().v, {query.batch, kv, j}));
  }
  std::vector<std::string> output;
  for (double x : row.output) output.push_back(decimals(x, digits));
  return fmt::format("output = {} = [{}]", sum.empty() ? "nothing visible" : sum,
                     fmt::join(output, ", "));
}

Table row_table(const Problem<double>& problem, Token query, const RowTrace& row, int digits) {
  Table table{.title = title(problem, query), .columns = {{"step"}}, .rows = {}, .notes = {}};
  for (Index j = 0; j < problem.shape().keys; ++j)
    table.columns.push_back({fmt::format("key {}", j), Align::right});
  for (const Step& step : steps(problem)) {
    reports::Row line{.cells = {step.formula}};
    for (double x : row.*step.numbers) line.cells.push_back(decimals(x, digits));
    line.emphasised = step.numbers == &RowTrace::weights;
    table.rows.push_back(std::move(line));
  }
  table.notes = {softmax_note(problem, query, row, digits),
                 output_note(problem, query, row, digits)};
  return table;
}

}  // namespace

std::string decimals(double x, int digits) {
  const std::string text = fmt::format("{:.{}f}", x, digits);
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1)
                                                                              : text;
}

std::vector<Table> trace_tables(const Problem<double>& problem, int digits) {
  std::vector<Table> tables;
  for_each_row(problem, [&](Token query, const RowTrace& row) {
    tables.push_back(row_table(problem, query, row, digits));
  });
  return tables;
}

Table trace_list(const Problem<double>& problem) {
  Table table{.title = {},
              .columns = {{"batch"}, {"head"}, {"query"}, {"step"}, {"position"}, {"value"}},
              .rows = {},
              .notes = {}};
  const std::vector<Step> all = steps(problem);
  for_each_row(problem, [&](Token t, const RowTrace& row) {
    const auto add = [&](const char* step, const std::vector<double>& numbers) {
      for (std::size_t n = 0; n < numbers.size(); ++n)
        table.rows.push_back(
            {.cells = {fmt::to_string(t.batch), fmt::to_string(t.head), fmt::to_string(t.position),
                       step, fmt::to_string(n), fmt::to_string(numbers[n])}});
    };
    for (const Step& step : all) add(step.name, row.*step.numbers);
    add("max", {row.max});
    add("sum", {row.sum});
    add("lse", {row.lse});
    add("output", row.output);
  });
  return table;
}

void write_trace(const Problem<double>& problem, reports::JsonWriter& json) {
  const auto numbers = [&](const char* key, const std::vector<double>& list) {
    json.key(key).begin_array();
    for (double x : list) json.real(x);
    json.end_array();
  };
  const std::vector<Step> all = steps(problem);
  json.begin_array();
  for_each_row(problem, [&](Token t, const RowTrace& row) {
    json.begin_object();
    json.key("batch").integer(fmt::to_string(t.batch));
    json.key("head").integer(fmt::to_string(t.head));
    json.key("query").integer(fmt::to_string(t.position));
    for (const Step& step : all) numbers(step.name, row.*step.numbers);
    json.key("max").real(row.max);
    json.key("sum").real(row.sum);
    json.key("lse").real(row.lse);
    numbers("output", row.output);
    json.end_object();
  });
  json.end_array();
}

}  // namespace attest::cli

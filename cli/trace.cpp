#include <fmt/format.h>

#include <ostream>

#include "attention/owned_problem.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/problem_json.h"
#include "cli/trace_fixtures.h"
#include "cli/trace_view.h"
#include "estimator/json_input.h"

namespace attest::cli {
namespace {

constexpr Index most_pairs = 4096;  // beyond it nobody checks by hand

Usage usage() {
  return {.line = "attest trace NAME | --problem FILE | --list",
          .summary =
              "Shows the arithmetic of a small attention problem row by row: scores, scaled,\n"
              "masked, shifted by the row's maximum, exponentials, weights, output.",
          .options = {{"list", nullptr, "the worked examples and what each shows"},
                      {"problem", "FILE", "a problem in JSON: q, k, v and options (docs/trace.md)"},
                      {"causal", nullptr, "each query reads itself and what came before"},
                      {"scale", "NUMBER", "multiply scores by this instead of 1/sqrt(width)"},
                      {"digits", "N", "decimals shown, 0 to 17 (default 6)"},
                      format_option},
          .takes_name = true,
          .examples = {"attest trace two-positions", "attest trace two-positions --causal",
                       "attest trace --problem call.json --format json"}};
}

reports::Table fixture_list() {
  reports::Table table{.title = "Worked examples",
                       .columns = {{"name"}, {"what it shows"}},
                       .rows = {},
                       .notes = {}};
  for (const TraceFixture& fixture : trace_fixtures())
    table.rows.push_back({.cells = {std::string(fixture.name), std::string(fixture.summary)}});
  return table;
}

OwnedProblem<double> chosen_problem(const Given& given) {
  if (given.has("problem") == given.name().has_value())
    throw InputError("trace",
                     given.name() ? "a name and --problem" : "neither a name nor --problem",
                     "one of the two (attest trace --list shows the names)");
  if (given.name()) return find_trace_fixture(*given.name()).problem();
  const std::string path = given.text("problem");
  return problem_from_json(estimator::read_file(path, "--problem"), path);
}

void check_small(const Shape& s) {
  const Index pairs = s.batch * s.query_heads * s.queries * s.keys;
  if (pairs > most_pairs)
    throw InputError("problem", fmt::format("{} query-key pairs", pairs),
                     fmt::format("at most {}: a trace is read by a person", most_pairs));
}

void print(const Problem<double>& problem, Format form, int digits, const Terminal& terminal) {
  if (form == Format::csv) {
    terminal.out << as_csv(trace_list(problem));
    return;
  }
  if (form == Format::json) {
    reports::JsonWriter json;
    json.begin_object();
    json.key("schema").value("attest.trace");
    json.key("schema_version").integer("1");
    json.key("shape").value(to_string(problem.shape()));
    json.key("rows");
    write_trace(problem, json);
    json.end_object();
    terminal.out << json.str();
    return;
  }
  const char* separator = "";
  for (const reports::Table& table : trace_tables(problem, digits)) {
    terminal.out << separator
                 << (form == Format::markdown ? as_markdown(table)
                                              : as_text(table, terminal.colour_out));
    separator = "\n";
  }
}

void print_list(Format form, const Terminal& terminal) {
  const reports::Table list = fixture_list();
  switch (form) {
    case Format::table:
      terminal.out << as_text(list, terminal.colour_out);
      return;
    case Format::markdown:
      terminal.out << as_markdown(list);
      return;
    case Format::csv:
      terminal.out << as_csv(list);
      return;
    case Format::json:
      break;
  }
  reports::JsonWriter json;
  json.begin_object();
  json.key("schema").value("attest.trace.list");
  json.key("schema_version").integer("1");
  json.key("examples").begin_array();
  for (const TraceFixture& fixture : trace_fixtures()) {
    json.begin_object();
    json.key("name").value(fixture.name);
    json.key("summary").value(fixture.summary);
    json.end_object();
  }
  json.end_array().end_object();
  terminal.out << json.str();
}

}  // namespace

Exit trace(const Arguments& arguments, const Terminal& terminal) {
  const Given given = parse(usage(), arguments);
  if (given.has("help")) {
    terminal.out << help(usage());
    return Exit::fine;
  }
  const Format form = format(given);
  const int digits = static_cast<int>(whole_number("digits", given.text("digits", "6"), 0, 17));
  if (given.has("list")) {
    print_list(form, terminal);
    return Exit::fine;
  }
  OwnedProblem<double> owned = chosen_problem(given);
  if (given.has("causal")) owned.causal = true;
  if (given.has("scale")) owned.scale = real_number("scale", given.text("scale"));
  const Problem<double> problem(owned.spec());
  check_small(problem.shape());
  print(problem, form, digits, terminal);
  return Exit::fine;
}

}  // namespace attest::cli

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "attention/owned_problem.h"
#include "cli/command.h"
#include "cli/flow_view.h"
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
              "masked, shifted by the row's maximum, exponentials, weights, output.\n"
              "NAME may also be two-head-block, or a Transformer family (encoder-decoder,\n"
              "encoder-only, decoder-only): its score shapes and who may read whom.",
          .options = {{"list", nullptr, "the worked examples and what each shows"},
                      {"problem", "FILE", "a problem in JSON: q, k, v and options (docs/trace.md)"},
                      {"causal", nullptr, "each query reads itself and what came before"},
                      {"scale", "NUMBER", "multiply scores by this instead of 1/sqrt(width)"},
                      {"source", "N", "source positions of a family, 1 to 64 (default 4)"},
                      {"target", "N", "target positions of a family, 1 to 64 (default 3)"},
                      {"digits", "N", "decimals shown, 0 to 17 (default 6)"},
                      format_option},
          .words = 1,
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

// The tables behind a name that is not a single attention problem; none for any other name.
std::vector<reports::Table> assembled_tables(const Given& given) {
  const std::string name = given.name().value_or("");
  if (name == "two-head-block") return two_head_block_tables();
  if (std::ranges::find(family_names(), name) == family_names().end()) return {};
  const Family family = find_family(name);
  const auto positions = [&](const char* flag, const char* otherwise, bool taken) {
    if (!taken && given.has(flag))
      throw InputError(std::string("--") + flag, given.text(flag), "none: " + name + " takes none");
    return taken ? static_cast<Index>(whole_number(flag, given.text(flag, otherwise), 1, 64)) : 0;
  };
  return flow_tables(family, positions("source", "4", family != Family::decoder_only),
                     positions("target", "3", family != Family::encoder_only));
}

void print_assembled(const std::vector<reports::Table>& tables, Format form,
                     const Terminal& terminal) {
  if (form == Format::json) {
    reports::JsonWriter json;
    json.begin_object();
    json.key("schema").value("attest.trace.assembled");
    json.key("schema_version").integer("1");
    json.key("tables").begin_array();
    for (const reports::Table& table : tables) {
      json.begin_object().key("title").value(table.title).key("rows").begin_array();
      for (const reports::Row& row : table.rows) {
        json.begin_array();
        for (const std::string& cell : row.cells) json.value(cell);
        json.end_array();
      }
      json.end_array().end_object();
    }
    json.end_array().end_object();
    terminal.out << json.str();
    return;
  }
  const char* separator = "";
  for (const reports::Table& table : tables) {
    terminal.out << separator
                 << (form == Format::csv        ? as_csv(table)
                     : form == Format::markdown ? as_markdown(table)
                                                : as_text(table, terminal.colour_out));
    separator = "\n";
  }
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
  if (const auto tables = assembled_tables(given); !tables.empty()) {
    print_assembled(tables, form, terminal);
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

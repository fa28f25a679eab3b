#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "attention/owned_problem.h"
#include "cli/command.h"
#include "cli/flow_view.h"
#include "cli/options.h"
#include "cli/positions_view.h"
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
              "NAME may also be two-head-block; positions, the sinusoidal ones, each number with\n"
              "its formula; or a Transformer family (encoder-decoder, encoder-only,\n"
              "decoder-only): its score shapes and who may read whom.",
          .options = {{"list", nullptr, "the worked examples and what each shows"},
                      {"problem", "FILE", "a problem in JSON: q, k, v and options (docs/trace.md)"},
                      {"causal", nullptr, "each query reads itself and what came before"},
                      {"scale", "NUMBER", "multiply scores by this instead of 1/sqrt(width)"},
                      {"source", "N", "source positions of a family, 1 to 64 (default 4)"},
                      {"target", "N", "target positions of a family, 1 to 64 (default 3)"},
                      {"tokens", "N", "how many positions, 1 to 64 (default 4)"},
                      {"width", "N", "their width, an even number from 2 to 64 (default 6)"},
                      {"digits", "N", "decimals shown, 0 to 17 (default 6)"},
                      format_option},
          .words = 1,
          .examples = {"attest trace two-positions", "attest trace two-positions --causal",
                       "attest trace positions --tokens 4 --width 6",
                       "attest trace --problem call.json --format json"}};
}

// A name that is not a single attention problem.
struct Assembled {
  const char* name;
  const char* summary;
  std::vector<std::string_view> flags;  // of its own
  std::vector<reports::Table> (*tables)(const Given& given, int digits);
};

Index count_of(const Given& given, const char* flag, const char* otherwise) {
  return static_cast<Index>(whole_number(flag, given.text(flag, otherwise), 1, 64));
}

std::vector<reports::Table> family(const Given& given, int) {
  const Family family = find_family(given.name().value());
  return flow_tables(family, family == Family::decoder_only ? 0 : count_of(given, "source", "4"),
                     family == Family::encoder_only ? 0 : count_of(given, "target", "3"));
}

std::vector<reports::Table> positions(const Given& given, int digits) {
  const std::uint64_t width = whole_number("width", given.text("width", "6"), 0, 64);
  if (width < 2 || width % 2 != 0)
    throw InputError("--width", given.text("width"), "an even number from 2 to 64");
  return {positions_table(count_of(given, "tokens", "4"), static_cast<Index>(width), digits)};
}

const std::vector<Assembled>& assembled() {
  static const std::vector<Assembled> all = {
      {"positions",
       "sinusoidal positions, each number with its formula",
       {"tokens", "width", "digits"},
       positions},
      {"two-head-block",
       "a post-normalised block of two heads: its maps and its output",
       {},
       [](const Given&, int) { return two_head_block_tables(); }},
      {"encoder-decoder", "who may read whom in both stacks", {"source", "target"}, family},
      {"encoder-only", "who may read whom: everyone reads everyone", {"source"}, family},
      {"decoder-only", "who may read whom: oneself and what came before", {"target"}, family}};
  return all;
}

// The flags that only some names take. Throws InputError for one that `name` does not.
void check_flags(const Given& given, const std::string& name,
                 const std::vector<std::string_view>& taken) {
  for (const char* flag :
       {"problem", "causal", "scale", "source", "target", "tokens", "width", "digits"})
    if (given.has(flag) && std::ranges::find(taken, flag) == taken.end()) {
      const std::string text = given.text(flag);
      throw InputError(std::string("--") + flag, text.empty() ? "given" : text,
                       "none: " + name + " takes none");
    }
}

reports::Table fixture_list() {
  reports::Table table{.title = "Worked examples",
                       .columns = {{"name"}, {"what it shows"}},
                       .rows = {},
                       .notes = {}};
  for (const TraceFixture& fixture : trace_fixtures())
    table.rows.push_back({.cells = {std::string(fixture.name), std::string(fixture.summary)}});
  for (const Assembled& one : assembled()) table.rows.push_back({.cells = {one.name, one.summary}});
  return table;
}

OwnedProblem<double> chosen_problem(const Given& given) {
  if (given.has("problem") == given.name().has_value())
    throw InputError("trace",
                     given.name() ? "a name and --problem" : "neither a name nor --problem",
                     "one of the two (attest trace --list shows the names)");
  if (given.name()) {
    std::vector<std::string_view> others;
    for (const Assembled& one : assembled()) others.emplace_back(one.name);
    return find_trace_fixture(*given.name(), others).problem();
  }
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
  for (const reports::Row& row : list.rows) {
    json.begin_object();
    json.key("name").value(row.cells[0]);
    json.key("summary").value(row.cells[1]);
    json.end_object();
  }
  json.end_array().end_object();
  terminal.out << json.str();
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
  const auto found = std::ranges::find(assembled(), given.name().value_or(""), &Assembled::name);
  if (found != assembled().end()) {
    check_flags(given, found->name, found->flags);
    print_assembled(found->tables(given, digits), form, terminal);
    return Exit::fine;
  }
  OwnedProblem<double> owned = chosen_problem(given);
  check_flags(given, "an attention problem", {"problem", "causal", "scale", "digits"});
  if (given.has("causal")) owned.causal = true;
  if (given.has("scale")) owned.scale = real_number("scale", given.text("scale"));
  const Problem<double> problem(owned.spec());
  check_small(problem.shape());
  print(problem, form, digits, terminal);
  return Exit::fine;
}

}  // namespace attest::cli

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "attention/error.h"
#include "cli/options.h"
#include "cli/problem_view.h"
#include "reports/table.h"
#include "tests/properties/fault_classes.h"
#include "tests/properties/property.h"

namespace attest::cli {
namespace {

Usage usage() {
  return {.line = "attest explain [PROPERTY]",
          .summary =
              "What a property says, why it holds, and which faults of real kernels it sees.\n"
              "Without a name: all properties, a line each.",
          .options = {format_option},
          .words = 1,
          .examples = {"attest explain", "attest explain hidden-poison"}};
}

reports::Table overview() {
  reports::Table table{
      .title = "properties", .columns = {{"property"}, {"law"}}, .rows = {}, .notes = {}};
  for (const properties::Property& p : properties::all_properties())
    table.rows.push_back({{p.id, p.law}, false});
  return table;
}

std::string demands_of(const properties::Property& p) {
  std::string demands;
  for (const properties::Demand& d : p.demands)
    demands += fmt::format("{}\"{}\" in {:.0f} % of cases", demands.empty() ? "" : ", ", d.label,
                           100 * d.share);
  return demands.empty() ? "nothing in particular" : demands;
}

reports::Table answers(const properties::Property& p) {
  const std::string needs = p.needs.empty() ? "nothing beyond dense attention" : to_string(p.needs);
  return {.title = p.id,
          .columns = {{"question"}, {"answer"}},
          .rows = {{{"what holds", p.law}, false},
                   {{"why", p.why}, false},
                   {{"needs", needs}, false},
                   {{"must be drawn", demands_of(p)}, false}},
          .notes = {}};
}

// The first two reports, and how many more.
std::string shortened(std::string_view references) {
  const std::size_t first = references.find(", ");
  const std::size_t second =
      first == std::string_view::npos ? first : references.find(", ", first + 2);
  if (second == std::string_view::npos) return std::string(references);
  const auto more = std::ranges::count(references.substr(second), ',');
  return fmt::format("{} and {} more", references.substr(0, second), more);
}

reports::Table faults(const properties::Property& p) {
  reports::Table table{.title = "faults it sees",
                       .columns = {{"class"}, {"such an implementation"}, {"reported"}},
                       .rows = {},
                       .notes = {}};
  for (const properties::FaultClass* fault : properties::fault_classes_in(p.catches))
    table.rows.push_back(
        {{std::string(fault->id), std::string(fault->what), shortened(fault->references)}, false});
  return table;
}

}  // namespace

Exit explain(const Arguments& arguments, const Terminal& terminal) {
  const Given given = parse(usage(), arguments);
  if (given.has("help")) {
    terminal.out << help(usage());
    return Exit::fine;
  }
  const Format chosen = format(given);
  if (chosen == Format::json)
    throw InputError("--format", "json", "table, markdown or csv with attest explain");
  if (!given.name()) {
    write_table(overview(), chosen, terminal);
    return Exit::fine;
  }
  const properties::Property& p = properties::property_named(*given.name());
  if (chosen == Format::table)
    for (const reports::Row& row : answers(p).rows)
      terminal.out << fmt::format("{:<15} {}\n", row.cells[0], row.cells[1]);
  else
    write_table(answers(p), chosen, terminal);
  terminal.out << '\n';
  write_table(faults(p), chosen, terminal);
  return Exit::fine;
}

}  // namespace attest::cli

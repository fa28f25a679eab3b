#include <fmt/format.h>

#include <ostream>

#include "cli/options.h"
#include "cli/problem_view.h"
#include "reports/table.h"
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

reports::Table in_full(const properties::Property& p) {
  std::string demands;
  for (const properties::Demand& d : p.demands)
    demands += fmt::format("{}\"{}\" in {:.0f} % of cases", demands.empty() ? "" : ", ", d.label,
                           100 * d.share);
  return {
      .title = p.id,
      .columns = {{"question"}, {"answer"}},
      .rows = {{{"what holds", p.law}, false},
               {{"why", p.why}, false},
               {{"faults it sees", p.catches}, false},
               {{"needs", p.needs.empty() ? "nothing beyond dense attention" : to_string(p.needs)},
                false},
               {{"must be drawn", demands.empty() ? "nothing in particular" : demands}, false}},
      .notes = {}};
}

}  // namespace

Exit explain(const Arguments& arguments, const Terminal& terminal) {
  const Given given = parse(usage(), arguments);
  if (given.has("help")) {
    terminal.out << help(usage());
    return Exit::fine;
  }
  const Format chosen = format(given);
  if (!given.name()) {
    write_table(overview(), chosen, terminal);
    return Exit::fine;
  }
  const properties::Property& p = properties::property_named(*given.name());
  if (chosen != Format::table) {
    write_table(in_full(p), chosen, terminal);
    return Exit::fine;
  }
  for (const reports::Row& row : in_full(p).rows)
    terminal.out << fmt::format("{:<15} {}\n", row.cells[0], row.cells[1]);
  return Exit::fine;
}

}  // namespace attest::cli

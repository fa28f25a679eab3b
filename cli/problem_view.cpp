#include "cli/problem_view.h"

#include <fmt/format.h>

#include <ostream>

namespace attest::cli {

reports::Table agreement_table(const std::vector<problem_files::Agreement>& agreements,
                               const std::string& title) {
  using reports::Align;
  reports::Table table{.title = title,
                       .columns = {{"what"},
                                   {"result"},
                                   {"numbers", Align::right},
                                   {"not judged", Align::right},
                                   {"worst ratio", Align::right},
                                   {"at"},
                                   {"truth", Align::right},
                                   {"got", Align::right}},
                       .rows = {},
                       .notes = {}};
  for (const problem_files::Agreement& a : agreements) {
    const bool placed = a.place.has_value();
    table.rows.push_back(
        {{a.what, a.agrees() ? "ok" : "FAIL", std::to_string(a.numbers), std::to_string(a.unjudged),
          fmt::format("{:.3g}", a.worst), placed ? to_string(*a.place) : a.note,
          placed ? properties::number_text(a.truth) : "",
          placed ? properties::number_text(a.got) : ""},
         !a.agrees()});
  }
  return table;
}

void write_agreements(const std::vector<problem_files::Agreement>& agreements,
                      reports::JsonWriter& json) {
  json.begin_array();
  for (const problem_files::Agreement& a : agreements) {
    json.begin_object();
    json.key("what").value(a.what);
    json.key("result").value(a.agrees() ? "ok" : "FAIL");
    json.key("numbers").integer(std::to_string(a.numbers));
    json.key("numbers_unjudged").integer(std::to_string(a.unjudged));
    json.key("worst_ratio").real(a.worst);
    json.key("at");
    a.place ? json.value(to_string(*a.place)) : json.null();
    json.key("truth").real(a.truth);
    json.key("got").real(a.got);
    json.end_object();
  }
  json.end_array();
}

void write_table(const reports::Table& table, Format format, const Terminal& terminal) {
  terminal.out << (format == Format::table      ? as_text(table, terminal.colour_out)
                   : format == Format::markdown ? as_markdown(table)
                                                : as_csv(table));
}

}  // namespace attest::cli

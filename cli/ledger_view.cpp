#include "cli/ledger_view.h"

#include <fmt/format.h>

namespace attest::cli {
namespace {

using estimator::Bytes;
using estimator::Factor;
using estimator::Ledger;
using estimator::Line;
using reports::Align;
using reports::Table;

std::string shape_text(const Line& line) {
  std::string text;
  for (const Factor& factor : line.shape)
    text += (text.empty() ? "" : " x ") + std::to_string(factor.value);
  return text;
}

}  // namespace

std::string grouped(estimator::Wide count) {
  std::string text = estimator::to_string(count);
  for (std::size_t place = text.size(); place > 3;) {
    place -= 3;
    text.insert(place, ",");
  }
  return text;
}

std::string bytes_text(Bytes bytes) {
  return fmt::format("{} bytes ({})", grouped(bytes.count()), in_binary_units(bytes));
}

Table ledger_table(const std::string& title, const Ledger& ledger) {
  Table table{.title = title,
              .columns = {{"tensor"},
                          {"dtype"},
                          {"formula"},
                          {"numbers"},
                          {"elements", Align::right},
                          {"bytes", Align::right},
                          {"size", Align::right}},
              .rows = {},
              .notes = {}};
  for (const Line& line : ledger.lines())
    table.rows.push_back({.cells = {line.name, std::string(line.dtype->name), line.formula(),
                                    line.substitution(), grouped(line.elements().count()),
                                    grouped(line.bytes().count()), in_binary_units(line.bytes())}});
  table.rows.push_back({.cells = {"total", "", "", "", "", grouped(ledger.total().count()),
                                  in_binary_units(ledger.total())},
                        .emphasised = true});
  return table;
}

Table ledger_list(const std::vector<std::string>& leading_columns) {
  Table table;
  for (const std::string& name : leading_columns) table.columns.push_back({name});
  for (const char* name : {"name", "role", "shape", "dtype", "formula", "numbers", "elements",
                           "bytes", "source", "note"})
    table.columns.push_back({name});
  return table;
}

void add_ledger_rows(const std::vector<std::string>& leading, const Ledger& ledger, Table& table) {
  for (const Line& line : ledger.lines()) {
    reports::Row row{.cells = leading};
    for (std::string cell :
         {line.name, to_string(line.role), shape_text(line), std::string(line.dtype->name),
          line.formula(), line.substitution(), to_string(line.elements()), to_string(line.bytes()),
          line.source, line.note})
      row.cells.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
}

void write_ledger(const Ledger& ledger, reports::JsonWriter& json) {
  const auto factors = [&](const char* key, const std::vector<Factor>& list) {
    json.key(key).begin_array();
    for (const Factor& factor : list) {
      json.begin_object();
      json.key("symbol").value(factor.symbol);
      json.key("value").integer(std::to_string(factor.value));
      json.end_object();
    }
    json.end_array();
  };
  json.begin_object().key("lines").begin_array();
  for (const Line& line : ledger.lines()) {
    json.begin_object();
    json.key("name").value(line.name);
    json.key("role").value(to_string(line.role));
    factors("copies", line.copies);
    factors("shape", line.shape);
    json.key("dtype").value(line.dtype->name);
    json.key("formula").value(line.formula());
    json.key("numbers").value(line.substitution());
    json.key("elements").integer(to_string(line.elements()));
    json.key("bytes").integer(to_string(line.bytes()));
    json.key("source").value(line.source);
    if (!line.note.empty()) json.key("note").value(line.note);
    json.end_object();
  }
  json.end_array();
  json.key("total_bytes").integer(to_string(ledger.total()));
  json.end_object();
}

}  // namespace attest::cli

#include "cli/verify_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/properties/describe.h"

namespace attest::cli {
namespace {

using properties::Covered;
using properties::LabelCount;
using properties::PropertyReport;
using properties::RunReport;
using reports::Align;

std::string ratio_text(double ratio) { return ratio == 0 ? "0" : fmt::format("{:.3g}", ratio); }

const char* result_of(const PropertyReport& p) {
  if (!p.skipped.empty()) return "skipped";
  if (p.failure) return "FAIL";
  if (p.cases == 0) return "not run";
  if (p.missed_coverage()) return "coverage";
  return "ok";
}

const char* covered_text(Covered covered) {
  return covered == Covered::met ? "met" : covered == Covered::open ? "open" : "MISSED";
}

std::vector<std::string> coverage_notes(const RunReport& report) {
  std::vector<std::string> notes;
  for (const PropertyReport& p : report.properties)
    for (const auto& [label, count] : p.labels)
      if (count.demanded > 0 && count.covered == Covered::missed)
        notes.push_back(
            fmt::format("{}: \"{}\" was drawn in {} of {} cases, where {:.0f} % are demanded",
                        p.property->id, label, count.cases, p.cases, 100 * count.demanded));
  return notes;
}

void write_failure(const PropertyReport& p, const std::string& candidate,
                   reports::JsonWriter& json) {
  const properties::Failure& f = *p.failure;
  json.key("failure").begin_object();
  json.key("address").value(f.address);
  json.key("found").value(to_line(f.found));
  json.key("minimal").value(to_line(f.minimal));
  json.key("simplifications").integer(std::to_string(f.simplifications));
  json.key("repeats").boolean(f.repeats);
  if (f.verdict.finding) {
    const properties::Finding& finding = *f.verdict.finding;
    json.key("what").value(finding.what);
    json.key("place");
    finding.place ? json.value(to_string(*finding.place)) : json.null();
    json.key("expected").value(finding.expected);
    json.key("got").value(finding.got);
    json.key("ratio").real(finding.ratio);
  }
  json.key("replay").value(replay_line(candidate, *p.property, f.minimal));
  json.end_object();
}

void write_property(const PropertyReport& p, const std::string& candidate,
                    reports::JsonWriter& json) {
  json.begin_object();
  json.key("id").value(p.property->id);
  json.key("result").value(result_of(p));
  if (!p.skipped.empty()) json.key("reason").value(p.skipped);
  json.key("cases").integer(std::to_string(p.cases));
  json.key("cases_unjudged").integer(std::to_string(p.unjudged_cases));
  json.key("cases_unsupported").integer(std::to_string(p.unsupported_cases));
  json.key("numbers").integer(std::to_string(p.numbers));
  json.key("numbers_unjudged").integer(std::to_string(p.unjudged_numbers));
  json.key("worst_ratio").real(p.worst);
  json.key("worst_case").value(p.worst_address);
  json.key("labels").begin_object();
  for (const auto& [label, count] : p.labels) {
    json.key(label).begin_object();
    json.key("cases").integer(std::to_string(count.cases));
    if (count.demanded > 0) {
      json.key("demanded").real(count.demanded);
      json.key("coverage").value(covered_text(count.covered));
    }
    json.end_object();
  }
  json.end_object();
  if (p.failure) write_failure(p, candidate, json);
  json.end_object();
}

}  // namespace

reports::Table verify_table(const RunReport& report, const std::string& title) {
  reports::Table table{.title = title,
                       .columns = {{"property", Align::left},
                                   {"result", Align::left},
                                   {"cases", Align::right},
                                   {"numbers", Align::right},
                                   {"not judged", Align::right},
                                   {"worst ratio", Align::right},
                                   {"worst case", Align::left}},
                       .rows = {},
                       .notes = coverage_notes(report)};
  for (const PropertyReport& p : report.properties) {
    if (!p.skipped.empty()) {
      table.rows.push_back({{p.property->id, "skipped", "", "", "", "", p.skipped}, false});
      continue;
    }
    table.rows.push_back(
        {{p.property->id, result_of(p), std::to_string(p.cases), std::to_string(p.numbers),
          std::to_string(p.unjudged_numbers), p.failure ? "" : ratio_text(p.worst),
          p.failure ? p.failure->address : p.worst_address},
         p.failure.has_value()});
    if (p.unsupported_cases > 0)
      table.notes.push_back(fmt::format("{}: {} cases not taken by the implementation ({})",
                                        p.property->id, p.unsupported_cases, p.unsupported_reason));
  }
  return table;
}

reports::Table label_table(const RunReport& report) {
  std::map<std::string, LabelCount> labels;
  for (const PropertyReport& p : report.properties)
    for (const auto& [label, count] : p.labels) labels[label].cases += count.cases;
  const auto all = static_cast<double>(std::max<std::int64_t>(1, report.cases()));
  reports::Table table{.title = "what was drawn, over all properties",
                       .columns = {{"label", Align::left},
                                   {"cases", Align::right},
                                   {"share", Align::right},
                                   {"demanded by", Align::left}},
                       .rows = {},
                       .notes = {}};
  for (const auto& [label, count] : labels) {
    std::string demands;
    for (const PropertyReport& p : report.properties) {
      const auto mine = p.labels.find(label);
      if (mine == p.labels.end() || mine->second.demanded <= 0) continue;
      demands += fmt::format("{}{} ({:.0f} %, {})", demands.empty() ? "" : ", ", p.property->id,
                             100 * mine->second.demanded, covered_text(mine->second.covered));
    }
    table.rows.push_back(
        {{label, std::to_string(count.cases),
          fmt::format("{:.1f} %", 100 * static_cast<double>(count.cases) / all), demands},
         false});
  }
  return table;
}

reports::Table verify_records(const std::vector<RunReport>& reports) {
  reports::Table all;
  for (const RunReport& report : reports) {
    reports::Table table = verify_table(report, {});
    all.columns = std::move(table.columns);
    for (std::size_t n = 0; n < table.rows.size(); ++n) {
      std::vector<std::string>& cells = table.rows[n].cells;
      const PropertyReport& p = report.properties[n];
      cells.insert(cells.begin(), report.declaration.name);
      cells.push_back(
          p.failure ? replay_line(report.declaration.name, *p.property, p.failure->minimal) : "");
      all.rows.push_back(std::move(table.rows[n]));
    }
  }
  all.columns.insert(all.columns.begin(), {"candidate", Align::left});
  all.columns.push_back({"replay", Align::left});
  return all;
}

reports::Table label_records(const std::vector<RunReport>& reports) {
  reports::Table all;
  for (const RunReport& report : reports) {
    reports::Table table = label_table(report);
    all.columns = std::move(table.columns);
    for (reports::Row& row : table.rows) {
      row.cells.insert(row.cells.begin(), report.declaration.name);
      all.rows.push_back(std::move(row));
    }
  }
  all.columns.insert(all.columns.begin(), {"candidate", Align::left});
  return all;
}

void write_report(const RunReport& report, reports::JsonWriter& json) {
  json.begin_object();
  json.key("candidate").value(report.declaration.name);
  json.key("result").value(report.failed() ? "FAIL" : "ok");
  json.key("cases").integer(std::to_string(report.cases()));
  json.key("properties").begin_array();
  for (const PropertyReport& p : report.properties)
    write_property(p, report.declaration.name, json);
  json.end_array();
  json.end_object();
}

std::string replay_line(const std::string& candidate, const properties::Property& property,
                        const properties::Recipe& recipe) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  std::string word = candidate;
  if (word.find_first_not_of(plain) != std::string::npos) {  // as a shell reads it
    for (std::size_t at = 0; (at = word.find('\'', at)) != std::string::npos; at += 4)
      word.replace(at, 1, "'\\''");
    word = "'" + word + "'";
  }
  return fmt::format("attest replay {} '{} {}'", word, property.id, to_line(recipe));
}

}  // namespace attest::cli

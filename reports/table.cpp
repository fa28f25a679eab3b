#include "reports/table.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "attention/error.h"
#include "reports/printable.h"

namespace attest::reports {
namespace {

constexpr const char* bold = "\x1b[1m";
constexpr const char* dim = "\x1b[2m";
constexpr const char* plain = "\x1b[0m";

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string gap(width - code_points(cell), ' ');
  return align == Align::left ? cell + gap : gap + cell;
}

std::vector<std::size_t> column_widths(const Table& table) {
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) widths.push_back(code_points(column.title));
  for (const Row& row : table.rows)
    for (std::size_t c = 0; c < widths.size(); ++c)
      widths[c] = std::max(widths[c], code_points(row.cells[c]));
  return widths;
}

// Breaks a sentence at spaces into lines of at most `width` code points; a longer word stays whole.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!lines.back().empty() && code_points(lines.back()) + 1 + code_points(word) > width)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string styled(const std::string& line, const char* style, bool colour) {
  return colour ? style + line + plain : line;
}

void check_rows(const Table& table) {
  for (const Row& row : table.rows) ATTEST_CHECK(row.cells.size() == table.columns.size());
}

Table printable_table(Table table) {
  table.title = printable(table.title);
  for (Column& column : table.columns) column.title = printable(column.title);
  for (Row& row : table.rows)
    for (std::string& cell : row.cells) cell = printable(cell);
  for (std::string& note : table.notes) note = printable(note);
  return table;
}

// Inside a line: emphasis, code, links, HTML, entities, strike-through, mathematics, cell borders.
std::string markdown_inline(const std::string& text) {
  const std::string shown = printable(text, "\r\n");
  std::string out;
  for (std::size_t n = 0; n < shown.size(); ++n) {
    const char c = shown[n];
    if (c == '\r' && n + 1 < shown.size() && shown[n + 1] == '\n') continue;  // CRLF is one break
    if (c == '\n' || c == '\r')
      out += "<br>";
    else if (std::string_view("\\`*_[]<>&~$|").find(c) != std::string_view::npos)
      out += {'\\', c};
    else
      out += c;
  }
  return out;
}

// A paragraph: also what would make its start a heading, a list, or a rule.
std::string markdown_paragraph(const std::string& text) {
  const std::string out =
      markdown_inline(text.substr(std::min(text.find_first_not_of(" \t"), text.size())));
  const std::size_t digits = std::min(out.find_first_not_of("0123456789"), out.size());
  const std::string_view marks = digits == 0 ? "#+-=" : ".)";
  const bool marked = digits < out.size() && marks.find(out[digits]) != std::string_view::npos;
  return marked ? out.substr(0, digits) + '\\' + out.substr(digits) : out;
}

std::string csv_cell(const std::string& text) {
  std::string shown = printable(text, "\t\r\n");  // not const: it may be what is returned
  if (shown.find_first_of(",\"\r\n") == std::string::npos) return shown;
  std::string out = "\"";
  for (const char c : shown) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

template <class Cell>
std::string joined(std::size_t count, const char* separator, Cell cell) {
  std::string line;
  for (std::size_t c = 0; c < count; ++c) line += (c == 0 ? "" : separator) + cell(c);
  return line;
}

}  // namespace

std::string as_text(const Table& original, bool colour, std::size_t width) {
  check_rows(original);
  const Table table = printable_table(original);
  const std::vector<std::size_t> widths = column_widths(table);
  const auto line = [&](auto cell) {
    return without_trailing_spaces(joined(widths.size(), "  ", [&](std::size_t c) {
      return padded(cell(c), widths[c], table.columns[c].align);
    }));
  };
  std::string out;
  if (!table.title.empty()) out += styled(table.title, bold, colour) + '\n';
  out += line([&](std::size_t c) { return table.columns[c].title; }) + '\n';
  const std::size_t gaps = widths.empty() ? 0 : 2 * (widths.size() - 1);
  out += std::string(std::accumulate(widths.begin(), widths.end(), gaps), '-') + '\n';
  for (const Row& row : table.rows) {
    const std::string text = line([&](std::size_t c) { return row.cells[c]; });
    out += (row.emphasised ? styled(text, bold, colour) : text) + '\n';
  }
  for (const std::string& note : table.notes)
    for (const std::string& part : wrapped(note, width)) out += styled(part, dim, colour) + '\n';
  return out;
}

std::string as_markdown(const Table& table) {
  check_rows(table);
  const std::size_t count = table.columns.size();
  const auto line = [&](auto cell) { return "| " + joined(count, " | ", cell) + " |\n"; };
  std::string out;
  if (!table.title.empty()) out += "**" + markdown_inline(table.title) + "**\n\n";
  out += line([&](std::size_t c) { return markdown_inline(table.columns[c].title); });
  out += line([&](std::size_t c) {
    return std::string(table.columns[c].align == Align::right ? "---:" : "---");
  });
  for (const Row& row : table.rows)
    out += line([&](std::size_t c) {
      const std::string text = markdown_inline(row.cells[c]);
      return row.emphasised && !text.empty() ? "**" + text + "**" : text;
    });
  for (const std::string& note : table.notes) out += "\n" + markdown_paragraph(note) + "\n";
  return out;
}

std::string as_csv(const Table& table) {
  check_rows(table);
  const std::size_t count = table.columns.size();
  std::string out =
      joined(count, ",", [&](std::size_t c) { return csv_cell(table.columns[c].title); }) + "\n";
  for (const Row& row : table.rows)
    out += joined(count, ",", [&](std::size_t c) { return csv_cell(row.cells[c]); }) + "\n";
  return out;
}

}  // namespace attest::reports

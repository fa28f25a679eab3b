#include "reports/table.h"

#include <algorithm>
#include <numeric>
#include <string_view>

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
      widths[c] = std::max(widths[c], code_points(row.cells.at(c)));
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

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|')
      out += "\\|";
    else if (c == '\n')
      out += "<br>";
    else if (c != '\r')
      out += c;
  }
  return out;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

template <class Cell>
std::string joined(std::size_t count, const char* separator, Cell cell) {
  std::string line;
  for (std::size_t c = 0; c < count; ++c) line += (c == 0 ? "" : separator) + cell(c);
  return line;
}

}  // namespace

std::string as_text(const Table& table, bool colour, std::size_t width) {
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
  const std::size_t count = table.columns.size();
  const auto line = [&](auto cell) { return "| " + joined(count, " | ", cell) + " |\n"; };
  std::string out;
  if (!table.title.empty()) out += "**" + markdown_cell(table.title) + "**\n\n";
  out += line([&](std::size_t c) { return markdown_cell(table.columns[c].title); });
  out += line([&](std::size_t c) {
    return std::string(table.columns[c].align == Align::right ? "---:" : "---");
  });
  for (const Row& row : table.rows)
    out += line([&](std::size_t c) {
      const std::string text = markdown_cell(row.cells.at(c));
      return row.emphasised && !text.empty() ? "**" + text + "**" : text;
    });
  for (const std::string& note : table.notes) out += "\n" + markdown_cell(note) + "\n";
  return out;
}

std::string as_csv(const Table& table) {
  const std::size_t count = table.columns.size();
  std::string out =
      joined(count, ",", [&](std::size_t c) { return csv_cell(table.columns[c].title); }) + "\n";
  for (const Row& row : table.rows)
    out += joined(count, ",", [&](std::size_t c) { return csv_cell(row.cells.at(c)); }) + "\n";
  return out;
}

}  // namespace attest::reports

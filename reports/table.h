#pragma once

#include <string>
#include <vector>

namespace attest::reports {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
};

// A row of a table body. Emphasised rows (totals) are set apart where the format can show it.
struct Row {
  std::vector<std::string> cells;  // as many as the table has columns, or the writers abort
  bool emphasised = false;
};

// Text in rows and columns; what the cells mean is the caller's business.
struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;  // sentences under the table, in order
};

// For a terminal: columns padded to their widest cell (counted in code points), title, a rule
// under the header, notes wrapped to `width`. With `colour`, title and emphasised rows are bold
// and notes dim (ANSI SGR); without, no escape is written. Cells, titles and notes are printable().
std::string as_text(const Table& table, bool colour, std::size_t width = 100);

// GitHub-flavoured Markdown that shows the text as it stands: what would change its rendering is
// escaped, a line break is <br>.
std::string as_markdown(const Table& table);

// RFC 4180 quoting (cells with a comma, quote, CR or LF) with a header row, lines ended by LF;
// title and notes are left out. Cells that a spreadsheet would run as a formula are not altered:
// the values are the program's own.  [RFC4180]
std::string as_csv(const Table& table);

}  // namespace attest::reports

#include "cli/positions_view.h"

#include <fmt/format.h>

#include <cmath>

#include "attention/positions.h"
#include "cli/trace_view.h"

namespace attest::cli {

reports::Table positions_table(Index tokens, Index width, int digits) {
  using reports::Align;
  const Matrix positions = sinusoidal_positions(tokens, width);
  reports::Table table{
      .title = fmt::format("sinusoidal positions, {} tokens of width {}", tokens, width),
      .columns = {{"position", Align::right},
                  {"column", Align::right},
                  {"formula"},
                  {"with its numbers"},
                  {"value", Align::right}},
      .rows = {},
      .notes = {"p is the position, c the even column of the pair, d the width; c and c + 1 share "
                "an angle.",
                "The positions are added to the tokens: both have the same shape."}};
  for (Index p = 0; p < tokens; ++p)
    for (Index column = 0; column < width; ++column) {
      const Index c = column - column % 2;
      const char* function = column % 2 == 0 ? "sin" : "cos";
      const double divisor = std::pow(10000.0, static_cast<double>(c) / static_cast<double>(width));
      table.rows.push_back(
          {.cells = {fmt::format("{}", p), fmt::format("{}", column),
                     fmt::format("{}(p / 10000^(c/d))", function),
                     fmt::format("{0}({1} / 10000^({2}/{3})) = {0}({1} / {4:.6g}) = {0}({5:.6g})",
                                 function, p, c, width, divisor, static_cast<double>(p) / divisor),
                     decimals(positions(p, column), digits)}});
    }
  return table;
}

}  // namespace attest::cli

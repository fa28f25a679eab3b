#pragma once

#include <string>
#include <vector>

#include "attention/problem.h"
#include "reports/json.h"
#include "reports/table.h"

namespace attest::cli {

// Fixed decimals; what rounds to zero has no sign.
std::string decimals(double x, int digits);

// The arithmetic of every row of a problem, one table a row, numbers with `digits` decimals.
std::vector<reports::Table> trace_tables(const Problem<double>& problem, int digits);

// The same, one line a number (batch, head, query, step, key, value), digits enough to read back
// equal.
reports::Table trace_list(const Problem<double>& problem);

// The same as an array of rows. A masked score of -infinity is null.
void write_trace(const Problem<double>& problem, reports::JsonWriter& json);

}  // namespace attest::cli

#pragma once

#include <string>
#include <vector>

#include "estimator/ledger.h"
#include "reports/json.h"
#include "reports/table.h"

namespace attest::cli {

// "33,554,432"
std::string grouped(estimator::Wide count);

// "1,234 bytes (1.21 KiB)"
std::string bytes_text(estimator::Bytes bytes);

// A line each: name, dtype, formula, its numbers, elements, exact bytes, binary units; then the
// total.
reports::Table ledger_table(const std::string& title, const estimator::Ledger& ledger);

// Columns and rows of the same in full, for CSV. `leading` cells go before every row under
// `leading_columns`.
void add_ledger_rows(const std::vector<std::string>& leading, const estimator::Ledger& ledger,
                     reports::Table& table);
reports::Table ledger_list(const std::vector<std::string>& leading_columns);

// {"lines": [...], "total_bytes": n}
void write_ledger(const estimator::Ledger& ledger, reports::JsonWriter& json);

}  // namespace attest::cli

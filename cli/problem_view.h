#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "reports/json.h"
#include "reports/table.h"
#include "tests/problem_files/check_problem.h"

namespace attest::cli {

// How results compare with the truth: a row each.
reports::Table agreement_table(const std::vector<problem_files::Agreement>& agreements,
                               const std::string& title);
void write_agreements(const std::vector<problem_files::Agreement>& agreements,
                      reports::JsonWriter& json);

// A table on stdout, in any format but JSON.
void write_table(const reports::Table& table, Format format, const Terminal& terminal);

}  // namespace attest::cli

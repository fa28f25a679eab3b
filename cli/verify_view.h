#pragma once

#include <string>
#include <vector>

#include "reports/json.h"
#include "reports/table.h"
#include "tests/properties/run.h"

namespace attest::cli {

// One implementation's run: a row a property.
reports::Table verify_table(const properties::RunReport& report, const std::string& title);

// What was drawn: a row a label, with its share over all cases and what is demanded of it.
reports::Table label_table(const properties::RunReport& report);

// The same of several implementations as records: one header, the implementation's name in front,
// and the replay line of a failure at the end.
reports::Table verify_records(const std::vector<properties::RunReport>& reports);
reports::Table label_records(const std::vector<properties::RunReport>& reports);

void write_report(const properties::RunReport& report, reports::JsonWriter& json);

// The line that asks again.
std::string replay_line(const std::string& candidate, const properties::Property& property,
                        const properties::Recipe& recipe);

}  // namespace attest::cli

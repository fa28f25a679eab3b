#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attention/transformer.h"
#include "reports/table.h"

namespace attest::cli {

// Who may read whom in a family, `source` and `target` positions long (0 where the family takes
// none): the shapes of its attention scores, and one row per output position with a mark per input
// position. The flow is the declared one; a note says whether behaviour measured on seeded weights
// agrees.
std::vector<reports::Table> flow_tables(Family family, Index source, Index target);

// The two-head teaching block: its input, each head's map, its output; six decimals.
std::vector<reports::Table> two_head_block_tables();

// The families by the names that `attest trace` takes.
const std::vector<std::string_view>& family_names();
Family find_family(std::string_view name);

}  // namespace attest::cli

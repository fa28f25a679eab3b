#pragma once

#include "attention/shape.h"
#include "reports/table.h"

namespace attest::cli {

// Sinusoidal positions, one line a number: its formula, the formula with its numbers, its value
// with `digits` decimals. Throws InputError as sinusoidal_positions does.
reports::Table positions_table(Index tokens, Index width, int digits);

}  // namespace attest::cli

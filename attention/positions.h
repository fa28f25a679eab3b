#pragma once

#include "attention/matrix.h"

namespace attest {

// Fixed sinusoidal positions, length x width: column 2i holds sin and column 2i + 1 cos of
// position / 10000^(2i / width).                                              [Vaswani17] sec. 3.5
// Throws InputError for a length below 1 and for a width that is odd or below 2.
Matrix sinusoidal_positions(Index length, Index width);

}  // namespace attest

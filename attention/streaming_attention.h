#pragma once

#include <memory_resource>

#include "attention/problem.h"
#include "attention/result.h"
#include "attention/tiles.h"

namespace attest {

// The same function as explicit_attention by online softmax over key tiles: each row keeps a
// running maximum, sum and weighted value, rescaled when the maximum grows. [MilakovGimelshein18]
// [Dao22] result.weights must be empty: there is no array of weights to give. Memory from `memory`,
// with tq and tk the tiles after cutting, in accumulators:
//   tk * (width + value_width) + tq * (width + value_width + 2) + tk
// and nothing from elsewhere; no array grows with queries * keys.
// Throws InputError for a tile below 1, weights asked for, or a result view of the wrong shape.
template <class T>
void streaming_attention(const Problem<T>& problem, const AttentionResult<T>& result,
                         Tiles tiles = {},
                         std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace attest

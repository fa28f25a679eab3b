#pragma once

#include <memory_resource>

#include "attention/problem.h"
#include "attention/result.h"

namespace attest {

// output = softmax(score(q, k)) v, with the whole score array in memory.               [Vaswani17]
// Sums run over keys (and over width) in index order, in Accumulator<T>; the output is rounded to T
// once. Keys hidden from a row have weight exactly 0 and no influence on it, whatever they hold.
// Scores whose accumulator overflows give NaN, as in any machine arithmetic.
// Memory: batch * query_heads * queries * keys accumulators from `memory`, and one row of
// value_width; nothing from elsewhere. Time: batch * query_heads * queries * keys *
// (width + value_width) multiply-adds, hidden pairs left out.
// Throws InputError for a result view of the wrong shape.
template <class T>
void explicit_attention(const Problem<T>& problem, const AttentionResult<T>& result,
                        std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace attest

#pragma once

#include <vector>

#include "oracle/arithmetic.h"
#include "oracle/bound.h"
#include "oracle/exact_attention.h"

namespace attest::oracle {

struct RowBounds {
  std::vector<Bound> output;   // value_width
  std::vector<Bound> weights;  // of the visible keys; hidden ones must be exactly 0
  Bound lse;
};

// Bounds for row (b, h, i) of a problem whose true row is `row`. An empty row's bounds are 0: its
// result is what the convention says, exactly.
template <class T>
RowBounds bounds_of(const ProblemSpec<T>& spec, const ExactRow& row, Index b, Index h, Index i,
                    const Arithmetic& arithmetic);

}  // namespace attest::oracle

#pragma once

#include <cmath>
#include <limits>

#include "attention/problem.h"

namespace attest {

// The larger of two scores; NaN where either is NaN, so that a broken score is not lost.
template <class Acc>
Acc larger(Acc a, Acc b) {
  return a > b || std::isnan(a) ? a : b;
}

// The part a key takes in its row, before normalisation. Subtracting the row's maximum keeps every
// exponential at or below 1; the common factor cancels in the quotient.        [Blanchard21]
// eq. 1.3
template <class Acc>
Acc exponential(Acc score, Acc max) {
  return std::exp(score - max);
}

// What the output and weights of a row without a visible key are filled with. A row that
// EmptyRow::error let pass had visible keys whose scores all overflowed.
template <class Acc>
Acc empty_row_fill(EmptyRow convention) {
  return convention == EmptyRow::zero ? Acc{0} : std::numeric_limits<Acc>::quiet_NaN();
}

}  // namespace attest

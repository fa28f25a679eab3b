#pragma once

#include <cstdint>

#include "oracle/fraction.h"
#include "oracle/real.h"

namespace attest::oracle {

// fraction * 2^exponent with fraction in [1, 2).
struct Exponential {
  Fraction fraction;
  std::int64_t exponent;
};

// e^s for |s| <= 2^61, unshifted, with a relative error below 2^-244 + |s| 2^-252 (73 digits, and
// 57 at the largest s): the whole part of s log2 e is the exponent, the rest is looked up eight
// bits at a time in three tables of powers of two, and what is below 2^-24 is summed as a power
// series.
//                                                                                  [Tang89]
Exponential exponential(const Real& s);

// ln x for x with |ln x| <= 2^61, to 1e-65 * max(1, |ln x|): one exponential after a machine guess.
Real logarithm(const Real& x);

// The largest integer fraction at or below x in [0, 2), and back.
Fraction to_fraction(const Real& x);
Real to_real(const Fraction& fraction);
Real to_real(const Exponential& exponential);

}  // namespace attest::oracle

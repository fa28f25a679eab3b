#pragma once

#include <gtest/gtest.h>

#include "oracle/real.h"

namespace attest::oracle_test {

using oracle::Real;

// |a - b| / scale, a double; 0 where both are equal (infinities of one sign included).
inline double distance(const Real& a, const Real& b, const Real& scale) {
  if (a == b) return 0;
  return static_cast<double>(Real(abs(a - b) / scale));
}

inline double relative_distance(const Real& a, const Real& b) {
  return distance(a, b, Real(abs(a) + abs(b)) / 2);
}

// Equal in the digits that the oracle promises.
inline testing::AssertionResult agree_to_50_digits(const Real& got, const Real& expected) {
  const double off = relative_distance(got, expected);
  if (off < 1e-50) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << got.str(60) << " against " << expected.str(60) << ", relative distance " << off;
}

}  // namespace attest::oracle_test

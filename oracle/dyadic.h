#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace attest::oracle {

// A machine number taken apart: mantissa * 2^exponent, exactly; |mantissa| < 2^53.
struct Dyadic {
  static constexpr int not_finite = std::numeric_limits<int>::max();
  static constexpr int lowest_exponent = -1126;  // of the smallest subnormal double
  static constexpr int highest_exponent = 971;   // of the largest double

  std::int64_t mantissa = 0;
  int exponent = 0;  // not_finite for NaN and infinities

  bool finite() const { return exponent != not_finite; }
};

inline Dyadic take_apart(double x) {
  if (x == 0) return {};
  if (!std::isfinite(x)) return {.mantissa = 0, .exponent = Dyadic::not_finite};
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return {.mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53)),
          .exponent = exponent - 53};
}

}  // namespace attest::oracle

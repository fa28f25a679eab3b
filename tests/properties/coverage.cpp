#include "tests/properties/coverage.h"

#include <cmath>

namespace attest::properties {
namespace {

struct Interval {
  double low, high;
};

// Wilson's score interval for a share, z standard deviations to each side.
Interval wilson(double hits, double cases, double z) {
  const double share = hits / cases;
  const double z2 = z * z;
  const double centre = share + z2 / (2 * cases);
  const double spread = z * std::sqrt(share * (1 - share) / cases + z2 / (4 * cases * cases));
  return {(centre - spread) / (1 + z2 / cases), (centre + spread) / (1 + z2 / cases)};
}

constexpr double z_of_one_in_a_billion = 6.0;  // one-sided normal tail 9.9e-10

}  // namespace

Covered coverage_of(std::int64_t hits, std::int64_t cases, double demanded) {
  if (cases == 0) return Covered::open;
  const Interval share =
      wilson(static_cast<double>(hits), static_cast<double>(cases), z_of_one_in_a_billion);
  if (share.low >= 0.9 * demanded) return Covered::met;
  if (share.high < demanded) return Covered::missed;
  return Covered::open;
}

}  // namespace attest::properties

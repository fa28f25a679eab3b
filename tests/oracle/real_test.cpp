#include "oracle/real.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/oracle/random_case.h"

namespace attest::oracle {
namespace {

using oracle_test::Draw;

// Is `machine` a nearest neighbour of x among its type's numbers?
template <class Machine>
bool is_nearest(const Real& x, Machine machine) {
  constexpr Machine infinity = std::numeric_limits<Machine>::infinity();
  const auto distance = [&](Machine m) { return Real(abs(x - Real(m))); };
  return distance(machine) <= distance(std::nextafter(machine, infinity)) &&
         distance(machine) <= distance(std::nextafter(machine, -infinity));
}

TEST(Real, RoundsToTheNearestDoubleAndFloatDownToTheSmallest) {
  Draw draw(5);
  for (int n = 0; n < 2000; ++n) {
    const Real x = Real(draw.normal()) + ldexp(Real(draw.normal()), -60);
    const int exponent = static_cast<int>(draw.between(-1080, 900));
    EXPECT_TRUE(is_nearest(ldexp(x, exponent), static_cast<double>(ldexp(x, exponent))));
    EXPECT_TRUE(is_nearest(ldexp(x, exponent / 8), static_cast<float>(ldexp(x, exponent / 8))));
  }
}

TEST(Real, RoundsTiesToEven) {
  EXPECT_EQ(static_cast<double>(ldexp(Real(1.5), -1074)), 0x1p-1073);
  EXPECT_EQ(static_cast<double>(ldexp(Real(2.5), -1074)), 0x1p-1073);
  EXPECT_EQ(static_cast<float>(Real(1 + 0x1p-24)), 1.0f);
  EXPECT_EQ(static_cast<float>(Real(1 + 3 * 0x1p-24)), 1 + 2 * 0x1p-23f);
}

TEST(Real, HoldsExponentialsThatNoMachineNumberDoes) {
  const Real tiny = ldexp(Real(1), std::int64_t{-4'000'000'000'000'000'000});
  EXPECT_GT(tiny, 0);
  EXPECT_EQ(static_cast<double>(tiny), 0.0);
  EXPECT_EQ(static_cast<double>(1 / tiny), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace attest::oracle

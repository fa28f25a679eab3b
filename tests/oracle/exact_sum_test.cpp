#include "oracle/exact_sum.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>

#include "tests/oracle/random_case.h"
#include "tests/oracle/real_matchers.h"

namespace attest::oracle {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using oracle_test::Draw;

Real sum_of(const std::vector<std::pair<double, double>>& terms) {
  ExactSum sum;
  for (const auto& [a, b] : terms) sum.add_product(take_apart(a), take_apart(b));
  return sum.value();
}

TEST(ExactSum, OfNothingIsZero) {
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({{0.0, 5.0}, {-0.0, 5.0}}), 0);
}

TEST(ExactSum, SurvivesCancellationAcrossTheWholeRange) {
  constexpr double huge = std::numeric_limits<double>::max();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(sum_of({{huge, huge}, {least, least}, {-huge, huge}}), ldexp(Real(1), -2148));
  EXPECT_EQ(sum_of({{huge, huge}, {-huge, huge}}), 0);
  EXPECT_EQ(sum_of({{-huge, huge}, {huge, huge}, {-least, 3 * least}}), ldexp(Real(-3), -2148));
}

TEST(ExactSum, CarriesThroughFullLimbs) {
  // 2^64 - 2^-60 + 2^-60, and the borrow back down.
  EXPECT_EQ(sum_of({{0x1p64, 1}, {-0x1p-60, 1}, {0x1p-60, 1}}), ldexp(Real(1), 64));
  EXPECT_EQ(sum_of({{0x1p64, 1}, {-0x1p-60, 1}}), ldexp(Real(1), 64) - ldexp(Real(1), -60));
  ExactSum ones;
  for (int n = 0; n < 300; ++n)
    ones.add_product(take_apart(0x1.fffffffffffffp0), take_apart(0x1p-3));
  EXPECT_EQ(ones.value(), 300 * (ldexp(Real(1), -2) - ldexp(Real(1), -55)));
}

TEST(ExactSum, ClearLeavesNothingBehind) {
  ExactSum sum;
  sum.add_product(take_apart(1e300), take_apart(1e300));
  sum.add_product(take_apart(-1e-300), take_apart(1e-10));
  sum.clear();
  EXPECT_EQ(sum.value(), 0);
  sum.add_product(take_apart(3.0), take_apart(-2.0));
  EXPECT_EQ(sum.value(), -6);
}

TEST(ExactSum, EqualsRationalArithmetic) {
  Draw draw(20240907);
  for (int round = 0; round < 200; ++round) {
    ExactSum sum;
    Rational expected = 0;
    for (Index n = draw.between(1, 12); n > 0; --n) {
      const double a = std::ldexp(draw.normal(), static_cast<int>(draw.between(-40, 40)));
      const double b = std::ldexp(draw.normal(), static_cast<int>(draw.between(-40, 40)));
      sum.add_product(take_apart(a), take_apart(b));
      expected += Rational(a) * Rational(b);
    }
    // At most 80 + 80 + 106 + 4 bits: the sum fits a Real exactly.
    const Real quotient = Real(numerator(expected)) / Real(denominator(expected));
    ASSERT_EQ(sum.value(), quotient) << "round " << round;
  }
}

TEST(TakeApart, PutsEveryDoubleBackTogether) {
  for (const double x : {1.0, -0.1, 0x1p-1074, 3 * 0x1p-1074, 0x1.fffffffffffffp1023, -7e-310}) {
    const Dyadic parts = take_apart(x);
    EXPECT_EQ(ldexp(Real(parts.mantissa), parts.exponent), Real(x)) << x;
    EXPECT_GE(parts.exponent, Dyadic::lowest_exponent);
    EXPECT_LE(parts.exponent, Dyadic::highest_exponent);
  }
  EXPECT_FALSE(take_apart(std::numeric_limits<double>::infinity()).finite());
  EXPECT_FALSE(take_apart(std::numeric_limits<double>::quiet_NaN()).finite());
  EXPECT_TRUE(take_apart(-0.0).finite());
}

}  // namespace
}  // namespace attest::oracle

#include "oracle/exponential.h"

#include <gtest/gtest.h>

#include "tests/oracle/random_case.h"
#include "tests/oracle/real_matchers.h"

namespace attest::oracle {
namespace {

using oracle_test::agree_to_50_digits;
using oracle_test::Draw;
using oracle_test::relative_distance;

// Twice Real's digits, and then some for the reduction of large arguments.
using Wider = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<180, boost::multiprecision::digit_base_10, void,
                                         std::int64_t>,
    boost::multiprecision::et_off>;

// The error that exponential.h states.
double stated(const Real& s) {
  return std::ldexp(1.0, -244) + static_cast<double>(abs(s)) * std::ldexp(1.0, -252);
}

TEST(Exponential, OfZeroIsOneExactly) {
  const Exponential one = exponential(Real(0));
  EXPECT_EQ(to_real(one), 1);
  EXPECT_EQ(one.exponent, 0);
}

TEST(Exponential, IsNormalised) {
  Draw draw(3);
  for (int n = 0; n < 500; ++n) {
    const Real fraction = to_real(exponential(Real(draw.normal() * 50)).fraction);
    EXPECT_GE(fraction, 1);
    EXPECT_LT(fraction, 2);
  }
}

TEST(Exponential, KeepsTheErrorItStatesAtEveryMagnitude) {
  Draw draw(11);
  for (int n = 0; n < 200; ++n) {
    const Real s = ldexp(Real(draw.normal()), static_cast<int>(draw.between(-60, 58)));
    const Real expected(exp(Wider(s)));
    EXPECT_LE(relative_distance(to_real(exponential(s)), expected), stated(s)) << s;
  }
}

TEST(Exponential, KeepsItAtTheEdgesOfItsTables) {
  // Powers of two a hair below and above multiples of 2^-8, 2^-16 and 2^-24.
  const Real ln2 = log(Real(2));
  for (const int edge : {8, 16, 24})
    for (const int multiple : {1, 3, 127, 255})
      for (const int side : {-1, 0, 1}) {
        const Real s = (ldexp(Real(multiple), -edge) + ldexp(Real(side), -120)) * ln2;
        EXPECT_LE(relative_distance(to_real(exponential(s)), Real(exp(Wider(s)))), stated(s))
            << edge << ' ' << multiple << ' ' << side;
      }
}

TEST(Exponential, KeepsFiftySevenDigitsAtTheLargestScores) {
  const Real largest = ldexp(Real(1), 61);
  for (const Real& s : {largest, Real(-largest), Real(largest - Real(1) / 3)})
    EXPECT_LT(relative_distance(to_real(exponential(s)), Real(exp(Wider(s)))), 1e-57);
}

TEST(Exponential, OfASumIsTheProduct) {
  const Real a("1.25e6"), b("-3.7e5");
  EXPECT_TRUE(agree_to_50_digits(to_real(exponential(a)) * to_real(exponential(b)),
                                 to_real(exponential(a + b))));
}

TEST(Logarithm, UndoesTheExponential) {
  Draw draw(5);
  for (int n = 0; n < 200; ++n) {
    const Real s = ldexp(Real(draw.normal()), static_cast<int>(draw.between(-70, 58)));
    const double scale = std::max(1.0, static_cast<double>(abs(s)));
    EXPECT_LT(static_cast<double>(Real(abs(logarithm(to_real(exponential(s))) - s))), 1e-65 * scale)
        << s;
  }
}

TEST(Logarithm, AgreesWithBoost) {
  for (const double x : {1.0, 1.5, 0.999999, 2.0, 1e-300, 3e17, 0x1.fffffffffffffp-1})
    EXPECT_LT(static_cast<double>(Real(abs(logarithm(Real(x)) - log(Real(x))))),
              1e-65 * std::max(1.0, std::abs(std::log(x))))
        << x;
}

TEST(Fraction, ProductsLoseLessThanTheirLastTwoBits) {
  Draw draw(9);
  for (int n = 0; n < 200; ++n) {
    const Real a = Real(draw.unit()) + ldexp(Real(draw.unit()), -150);
    const Real b = Real(draw.unit()) + ldexp(Real(draw.unit()), -200);
    const Real exact = to_real(to_fraction(a)) * to_real(to_fraction(b));
    const Real lost = exact - to_real(product(to_fraction(a), to_fraction(b)));
    // The product of two Reals is itself rounded, by less than 2^-253.
    EXPECT_LT(abs(lost), ldexp(Real(1), -252));
  }
}

TEST(Fraction, SumsCarryThroughEveryLimb) {
  const Fraction almost_one = to_fraction(Real(1) - ldexp(Real(1), -250));
  const Fraction rest = to_fraction(ldexp(Real(1), -250));
  EXPECT_EQ(to_real(sum(almost_one, rest)), 1);
}

}  // namespace
}  // namespace attest::oracle

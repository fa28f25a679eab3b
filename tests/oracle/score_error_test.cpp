#include "oracle/score_error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attest::oracle {
namespace {

const Arithmetic in_float = explicit_arithmetic<float>();
constexpr double u = 0x1p-24;

TEST(Gamma, IsTheBoundOfManyRoundings) {
  EXPECT_EQ(gamma(0, u), 0);
  EXPECT_DOUBLE_EQ(gamma(10, u), 10 * u / (1 - 10 * u));
  EXPECT_TRUE(std::isinf(gamma(0x1p24, u)));
}

TEST(ScoreError, OfAPlainProductIsGammaOfItsTerms) {
  const ScoreParts parts{
      .width = 64, .products = 100, .scale = 0.125, .after_cap = 3, .after_bias = 3, .entering = 3};
  EXPECT_NEAR(score_error(parts, in_float), gamma(67, u) * 12.5, 1e-30);
}

TEST(ScoreError, AddsATermForEveryRuleThatActs) {
  ScoreParts parts{
      .width = 4, .products = 10, .scale = 0.5, .after_cap = 2, .after_bias = 2, .entering = 2};
  const double plain = score_error(parts, in_float);
  parts.biased = true;
  const double biased = score_error(parts, in_float);
  EXPECT_NEAR(biased - plain, 2 * u, 2 * u * 1e-5);
  parts.slope = 3;
  EXPECT_NEAR(score_error(parts, in_float) - biased, (2 * 3 + 2) * u, 8 * u * 1e-5);
  parts.capped = true;
  EXPECT_GT(score_error(parts, in_float), biased + 8 * 2 * u);
}

TEST(ScoreError, IsInfiniteWhereAMachineMayOverflow) {
  ScoreParts parts{.width = 1, .products = 1e38, .scale = 1};
  EXPECT_TRUE(std::isinf(score_error(parts, in_float)));
  EXPECT_FALSE(std::isinf(score_error(parts, explicit_arithmetic<double>())));
  parts.products = std::nan("");
  EXPECT_TRUE(std::isinf(score_error(parts, in_float)));
}

TEST(Arithmetic, UnitRoundoffsAreThoseOfTheFormats) {
  EXPECT_EQ(explicit_arithmetic<float>().roundoff, 0x1p-24);
  EXPECT_EQ(explicit_arithmetic<double>().roundoff, 0x1p-53);
  EXPECT_EQ(explicit_arithmetic<Float16>().roundoff, 0x1p-24);
  EXPECT_EQ(explicit_arithmetic<Float16>().output_roundoff, 0x1p-11);
  EXPECT_EQ(explicit_arithmetic<BFloat16>().output_roundoff, 0x1p-8);
  EXPECT_EQ(explicit_arithmetic<double>().output_roundoff, 0);
}

TEST(Arithmetic, StorageBoundsCoverEveryHalf) {
  // Rounding any float of half's range to half errs by at most the two constants.
  const Arithmetic a = explicit_arithmetic<Float16>();
  for (int exponent = -30; exponent < 16; ++exponent)
    for (const float fraction : {1.0f, 1.00048828125f, 1.33333337f, 1.49999988f, 1.9995116f}) {
      const float x = std::ldexp(fraction, exponent);
      const double error =
          std::abs(static_cast<double>(Float16::from_float(x).to_float()) - static_cast<double>(x));
      if (static_cast<double>(x) > a.output_largest) continue;
      EXPECT_LE(error, a.output_roundoff * static_cast<double>(x) + a.output_least) << x;
    }
}

TEST(Arithmetic, StreamingRescalesOncePerKeyTile) {
  EXPECT_EQ(streaming_arithmetic<float>(10, 4).rescales, 3);
  EXPECT_EQ(streaming_arithmetic<float>(8, 4).rescales, 2);
  EXPECT_EQ(streaming_arithmetic<float>(1, 64).rescales, 1);
  EXPECT_EQ(explicit_arithmetic<float>().rescales, 0);
}

}  // namespace
}  // namespace attest::oracle

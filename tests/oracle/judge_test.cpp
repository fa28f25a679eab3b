#include "oracle/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace attest::oracle {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

Expected with_bound(double nearest, double rest, double sums) {
  Expected expected{nearest, rest, {}};
  expected.bound.sums = sums;
  return expected;
}

TEST(Expected, MeasuresDistancesBelowADoublesLastPlace) {
  EXPECT_EQ(with_bound(1, 0x1p-60, 1).distance(1), 0x1p-60);
  EXPECT_EQ(with_bound(1, -0x1p-60, 1).distance(1), 0x1p-60);
  EXPECT_EQ(with_bound(1, 0x1p-60, 1).distance(1 + 0x1p-52), 0x1p-52 - 0x1p-60);
}

TEST(Expected, RatioIsDistanceOverBound) {
  EXPECT_EQ(with_bound(2, 0, 0.5).ratio(2.25), 0.5);
  EXPECT_EQ(with_bound(2, 0, 0.5).ratio(2), 0);
}

TEST(Expected, NotANumberIsNeverWithinBounds) {
  EXPECT_EQ(with_bound(2, 0, 0.5).ratio(nan), infinity);
  EXPECT_EQ(with_bound(2, 0, 0.5).ratio(infinity), infinity);
  EXPECT_EQ(with_bound(0, 0, 0).ratio(nan), infinity);
}

TEST(Expected, TruthsThatAreNoNumbersAreMetExactly) {
  EXPECT_EQ(with_bound(nan, 0, 0).ratio(nan), 0);
  EXPECT_EQ(with_bound(nan, 0, 0).ratio(0), infinity);
  EXPECT_EQ(with_bound(-infinity, 0, 0).ratio(-infinity), 0);
  EXPECT_EQ(with_bound(-infinity, 0, 0).ratio(infinity), infinity);
  EXPECT_EQ(with_bound(-infinity, 0, 0).ratio(-1e300), infinity);
  EXPECT_EQ(with_bound(-infinity, 0, 0).ratio(nan), infinity);
}

TEST(Expected, ABoundOfZeroAdmitsOnlyTheTruth) {
  EXPECT_EQ(with_bound(0, 0, 0).ratio(0), 0);
  EXPECT_EQ(with_bound(0, 0, 0).ratio(-0.0), 0);
  EXPECT_EQ(with_bound(0, 0, 0).ratio(5e-324), infinity);
}

TEST(Expected, WhereNothingIsJudgedThereIsNoRatio) {
  Expected expected = with_bound(1, 0, 10);
  expected.bound.judged = false;
  EXPECT_FALSE(expected.ratio(3).has_value());
  EXPECT_FALSE(expected.ratio(nan).has_value());
}

TEST(Judge, HoldsTheTruthToThirtyDigits) {
  const std::vector<double> q = {1, 0}, k = {1, 0, 0, 1}, v = {10, 0};
  ProblemSpec<double> spec;
  spec.q = {q, {1, 1, 1, 2}};
  spec.k = {k, {1, 1, 2, 2}};
  spec.v = {v, {1, 1, 2, 1}};
  const ExpectedRow row = Judge<double>(spec, explicit_arithmetic<double>()).row(0, 0, 0);
  // 10 e^(1/sqrt 2) / (e^(1/sqrt 2) + 1) = 6.6976154932665692561679... by Python's decimal; the
  // double nearest to it and the rest, from the same 80 digits.
  EXPECT_EQ(row.output[0].nearest, 0x1.aca5bb7430d22p+2);
  EXPECT_NEAR(row.output[0].rest, -4.3000249239686938e-16, 1e-31);
  EXPECT_EQ(row.keys, (std::vector<Index>{0, 1}));
  EXPECT_TRUE(row.lse.bound.judged);
}

TEST(Judge, OfAnEmptyRowAsksForItsConvention) {
  const std::vector<float> one = {1};
  const std::vector<std::uint8_t> hidden = {0};
  ProblemSpec<float> spec;
  spec.q = spec.k = spec.v = {one, {1, 1, 1, 1}};
  spec.visibility.allow = TensorView<const std::uint8_t>(hidden, {1, 1, 1, 1});
  spec.empty_row = EmptyRow::zero;
  const ExpectedRow zero = Judge<float>(spec, explicit_arithmetic<float>()).row(0, 0, 0);
  EXPECT_EQ(zero.output[0].ratio(0), 0);
  EXPECT_EQ(zero.output[0].ratio(1e-30), infinity);
  EXPECT_EQ(zero.lse.ratio(-infinity), 0);
  spec.empty_row = EmptyRow::nan;
  const ExpectedRow undefined = Judge<float>(spec, explicit_arithmetic<float>()).row(0, 0, 0);
  EXPECT_EQ(undefined.output[0].ratio(nan), 0);
  EXPECT_EQ(undefined.output[0].ratio(0), infinity);
}

}  // namespace
}  // namespace attest::oracle

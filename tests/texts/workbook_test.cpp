// The figures, tests and fault experiments of the workbook, as facts about this library. Its limits
// of 64 rows, 64 columns and 1e6 in size are that text's own and do not hold here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "attention/block.h"
#include "attention/transformer.h"
#include "attention/visibility.h"
#include "tests/support/input_error.h"
#include "tests/support/run_kernels.h"

namespace attest::test {
namespace {

constexpr double six_decimals = 5e-7;

OwnedProblem<double> two_positions(bool causal = false) {
  OwnedProblem<double> p;
  p.q = {{1, 0}, {0, 1}};
  p.k = {{1, 0}, {0, 1}};
  p.v = {{10, 0}, {0, 20}};
  p.causal = causal;
  return p;
}

void expect_six_decimals(std::span<const double> got, std::initializer_list<double> printed) {
  ASSERT_EQ(got.size(), printed.size());
  for (std::size_t n = 0; n < got.size(); ++n)
    EXPECT_NEAR(got[n], printed.begin()[n], six_decimals) << n;
}

TEST(TwoPositions, PrintTheTablesOfBothVisibilities) {
  const auto open = run_explicit(two_positions());
  expect_six_decimals(open.weights.elements, {0.669762, 0.330238, 0.330238, 0.669762});
  expect_six_decimals(open.output.elements, {6.697615, 6.604769, 3.302385, 13.395231});
  const auto causal = run_explicit(two_positions(true));
  expect_six_decimals(causal.weights.elements, {1, 0, 0.330238, 0.669762});
  expect_six_decimals(causal.output.elements, {10, 0, 3.302385, 13.395231});
  EXPECT_EQ(causal.weights.elements[0], 1);
  EXPECT_EQ(causal.weights.elements[1], 0);
  EXPECT_EQ(causal.output.elements[0], 10);
}

TEST(TwoPositions, StreamToTheSameFigures) {
  expect_six_decimals(run_streaming(two_positions(), {1, 1}).output.elements,
                      {6.697615, 6.604769, 3.302385, 13.395231});
  expect_six_decimals(run_streaming(two_positions(true), {1, 1}).output.elements,
                      {10, 0, 3.302385, 13.395231});
}

TEST(TwoPositions, HaveTheClosedFormWeight) {
  const double e = std::exp(1 / std::sqrt(2.0));
  EXPECT_NEAR(run_explicit(two_positions()).weights.elements[0], e / (e + 1), 1e-15);
}

TEST(TwoPositions, WithoutTheScaleGiveAnotherRowThatAlsoSumsToOne) {
  OwnedProblem<double> p = two_positions();
  p.scale = 1;
  const auto weights = run_explicit(p).weights.elements;
  EXPECT_NEAR(weights[0], 0.731059, six_decimals);
  EXPECT_NEAR(weights[0] + weights[1], 1, 1e-15);
}

TEST(Mask, RenormalisesOverTheVisibleKeys) {
  OwnedProblem<double> p = two_positions();
  p.allow = Tensor<std::uint8_t>{{0, 1}, {0, 1}};
  const auto r = run_explicit(p);
  EXPECT_EQ(r.weights.elements, (std::vector<double>{0, 1, 0, 1}));
  EXPECT_EQ(r.output.elements, (std::vector<double>{0, 20, 0, 20}));
}

TEST(Mask, ThatLeavesNoKeyIsAnError) {
  OwnedProblem<double> p = two_positions(true);
  p.allow = Tensor<std::uint8_t>{{0, 0}, {0, 0}};
  EXPECT_THROW(Problem<double>(p.spec()), InputError);
  p.allow = Tensor<std::uint8_t>{{0, 1}, {1, 1}};
  EXPECT_THROW(Problem<double>(p.spec()), InputError);
}

std::vector<double> softmax(const std::vector<double>& scores) {
  OwnedProblem<double> p;
  p.scale = 1;
  p.q = {{1}};
  p.k = Tensor<double>({1, 1, std::ssize(scores), 1});
  p.k.elements = scores;
  p.v = Tensor<double>({1, 1, std::ssize(scores), 1});
  return run_explicit(p).weights.elements;
}

TEST(Softmax, HoldsLargeScoresAndIgnoresAShift) {
  EXPECT_EQ(softmax({10000, 10000}), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(softmax({1, 2, 3}), softmax({1001, 1002, 1003}));
}

TEST(Shapes, ThatDoNotFitAreRefused) {
  OwnedProblem<double> p = two_positions();
  p.k = {{1}};
  EXPECT_THROW(Problem<double>(p.spec()), InputError);
  p = two_positions();
  p.v = {{1}};
  EXPECT_THROW(Problem<double>(p.spec()), InputError);
  p = two_positions(true);
  p.q = {{0, 0}};
  EXPECT_THROW(Problem<double>(p.spec()), InputError);
  p.causal = false;
  p.v = {{1, 2, 3}, {3, 4, 5}};
  EXPECT_EQ(run_explicit(p).output.elements, (std::vector<double>{2, 3, 4}));
}

TEST(KeysAndValues, PermutedTogetherChangeNothingAndKeysAloneDo) {
  OwnedProblem<double> both = two_positions();
  both.k = {{0, 1}, {1, 0}};
  both.v = {{0, 20}, {10, 0}};
  const auto before = run_explicit(two_positions()).output.elements;
  const auto after = run_explicit(both).output.elements;
  for (std::size_t n = 0; n < 4; ++n) EXPECT_NEAR(before[n], after[n], 1e-14);
  OwnedProblem<double> keys_alone = two_positions();
  keys_alone.k = {{0, 1}, {1, 0}};
  EXPECT_GT(std::abs(run_explicit(keys_alone).output.elements[0] - before[0]), 1);
}

TEST(KeysAndValues, PermutedUnderACausalMaskChangeTheResult) {
  OwnedProblem<double> both = two_positions(true);
  both.k = {{0, 1}, {1, 0}};
  both.v = {{0, 20}, {10, 0}};
  EXPECT_NE(run_explicit(both).output.elements, run_explicit(two_positions(true)).output.elements);
}

TEST(Values, ThatAreConstantComeOutConstant) {
  for (const bool causal : {false, true}) {
    OwnedProblem<double> p = two_positions(causal);
    p.v = {{3, -2}, {3, -2}};
    const auto output = run_explicit(p).output.elements;
    for (std::size_t n = 0; n < 4; ++n) EXPECT_NEAR(output[n], n % 2 == 0 ? 3 : -2, 1e-15);
  }
}

// Attention's output only: an output projection or a residual sum need not stay there. Values of
// different signs by feature, so that neither bound holds for free.
TEST(AttentionOutput, StaysBetweenTheVisibleValues) {
  const Shape shape{.queries = 6, .keys = 6, .width = 3, .value_width = 2};
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (const bool causal : {false, true}) {
      OwnedProblem<double> p = uniform_problem<double>(shape, seed);
      p.causal = causal;
      const auto values = p.v.view();
      const auto output = run_explicit(p).output;
      const auto streamed = run_streaming(p, {2, 2}).output;
      for (Index i = 0; i < 6; ++i)
        for (Index c = 0; c < 2; ++c) {
          double least = values(0, 0, 0, c);
          double most = least;
          for (Index j = 1; j < (causal ? i + 1 : 6); ++j) {
            least = std::min(least, values(0, 0, j, c));
            most = std::max(most, values(0, 0, j, c));
          }
          // Six products and sums of numbers below 1 in size round by 2^-53 each.
          const double rounding = 12 * 0x1p-53;
          for (const auto& got : {output.view(), streamed.view()}) {
            EXPECT_GE(got(0, 0, i, c), least - rounding) << seed << causal << i;
            EXPECT_LE(got(0, 0, i, c), most + rounding) << seed << causal << i;
          }
        }
    }
}

// Under causal order the first rows leave the range of what they may not see, and an unmasked run
// leaves the range of what a causal one may: the invariant can fail.
TEST(AttentionOutput, LeavesTheRangeOfVisibleValuesWhereTheMaskIsMissing) {
  const Shape shape{.queries = 6, .keys = 6, .width = 3, .value_width = 1};
  const OwnedProblem<double> open = uniform_problem<double>(shape, 5);
  EXPECT_GT(std::abs(run_explicit(open).output.elements[0] - open.v.elements[0]), 0.01);
}

TEST(BlockOutput, NeedNotStayBetweenTheValues) {
  const Matrix output = apply(two_head_block(), two_head_block_input()).output;
  EXPECT_LT(*std::ranges::min_element(output.elements()), 0);
  EXPECT_GT(*std::ranges::max_element(output.elements()), 1);
}

TEST(RoundedWeights, ChangeTheLastDigitsOfTheOutput) {
  const auto printed = run_explicit(two_positions()).output.elements;
  EXPECT_GT(std::abs(10 * 0.669762 - printed[0]), six_decimals);
  EXPECT_GT(std::abs(20 * 0.330238 - printed[1]), six_decimals);
}

TEST(Scale, DependsOnTheWidthAlone) {
  // Keys repeated and values wider: the first scores stay.
  const auto first_ratio = [](Index keys, Index value_width) {
    OwnedProblem<double> p;
    p.q = {{1, 0}};
    p.k = Tensor<double>({1, 1, keys, 2});
    p.k.elements[0] = 1;  // key 0 = [1, 0], the others zero
    p.v = Tensor<double>({1, 1, keys, value_width}, 1);
    const auto weights = run_explicit(p).weights.elements;
    return std::log(weights[0] / weights[1]);
  };
  for (const Index keys : {2, 3, 7})
    for (const Index value_width : {1, 5})
      EXPECT_NEAR(first_ratio(keys, value_width), 1 / std::sqrt(2.0), 1e-15);
}

// The two boolean conventions are opposite: the same booleans, read by the other one, show exactly
// what was to be hidden.
TEST(MaskConventions, OfTheTwoFrameworkFunctionsAreOpposite) {
  const std::array<bool, 4> mask = {true, false, true, true};
  std::array<std::uint8_t, 4> takes_part{};
  std::array<std::uint8_t, 4> excluded{};
  allow_from_sdpa_mask(mask, takes_part);
  allow_from_multihead_mask(mask, excluded);
  EXPECT_EQ(takes_part, (std::array<std::uint8_t, 4>{1, 0, 1, 1}));
  EXPECT_EQ(excluded, (std::array<std::uint8_t, 4>{0, 1, 0, 0}));
}

TEST(MatrixProduct, IsThirteenAndSixteen) {
  EXPECT_EQ(multiply({{1, 2}}, {{3, 4}, {5, 6}}), (Matrix{{13, 16}}));
  EXPECT_THROW(multiply({{1, 2}}, {{3, 4}}), InputError);
}

TEST(Normalisation, MapsAConstantRowToZeros) {
  EXPECT_EQ(normalise({{3, 3, 3, 3}, {0.1, 0.1, 0.1, 0.1}}, {}), Matrix(2, 4));
}

// Hiding by a very negative score works by underflow; by a score of zero it does not.
TEST(HiddenKeys, HaveWeightZeroOnlyAtMinusInfinity) {
  OwnedProblem<double> p = two_positions();
  p.bias = Tensor<double>{{0, -std::numeric_limits<double>::infinity()}, {0, 0}};
  EXPECT_EQ(run_explicit(p).weights.elements[1], 0);
  EXPECT_GT(std::exp(0.0) / (std::exp(1 / std::sqrt(2.0)) + std::exp(0.0)), 0.3);
}

TEST(TwoHeadBlock, PrintsTheOutputAndBothHeadMaps) {
  const BlockResult r = apply(two_head_block(), two_head_block_input());
  expect_six_decimals(r.output.elements(),
                      {0.999998, -0.999998, 0.999998, -0.999998, -0.999998, 0.999998, -0.999998,
                       0.999998, 1.347147, 0.577349, -0.962248, -0.962248});
  ASSERT_EQ(r.self_maps.size(), 2u);
  expect_six_decimals(r.self_maps[0].elements(),
                      {1, 0, 0, 0.330238, 0.669762, 0, 0.248255, 0.248255, 0.503490});
  expect_six_decimals(r.self_maps[1].elements(),
                      {1, 0, 0, 0.330238, 0.669762, 0, 0.333333, 0.333333, 0.333333});
}

TEST(TwoHeadBlock, NormalisesEachRowToSlightlyLessThanUnitVariance) {
  const Matrix output = apply(two_head_block(), two_head_block_input()).output;
  for (Index r = 0; r < 3; ++r) {
    double mean = 0;
    double squares = 0;
    for (const double x : output.row(r)) {
      mean += x / 4;
      squares += x * x / 4;
    }
    EXPECT_NEAR(mean, 0, 1e-15);
    EXPECT_LT(squares, 1);
    EXPECT_GT(squares, 1 - 1e-4);
  }
}

TEST(TwoHeadBlock, KeepsItsPrefixWhenTheFutureChanges) {
  Matrix changed = two_head_block_input();
  std::ranges::copy(std::initializer_list<double>{10, -9, 8, -7}, changed.row(2).begin());
  const auto compare = [&](bool causal) {
    Block block = two_head_block();
    block.causal = causal;
    const Matrix before = apply(block, two_head_block_input()).output;
    const Matrix after = apply(block, changed).output;
    return std::ranges::equal(before.elements().first(8), after.elements().first(8));
  };
  EXPECT_TRUE(compare(true));
  EXPECT_FALSE(compare(false));
}

TEST(TwoHeadBlock, RefusesAnythingButFourFeatures) {
  EXPECT_THROW(apply(two_head_block(), Matrix(3, 3, 1)), InputError);
}

// Position i of the inputs a, b, c predicts b, c, d: it may read up to itself, never its own
// target.
TEST(NextTokenInputs, NeverReachTheirTargets) {
  const Transformer decoder = assemble({.family = Family::decoder_only});
  const InformationFlow flow = declared_flow(decoder, 0, 3);
  for (Index i = 0; i < 3; ++i)
    for (Index target = i + 1; target < 3; ++target) EXPECT_FALSE(flow(i, target));
}

TEST(WeightTable, GrowsFourfoldWhenTheSequenceDoubles) {
  const auto entries = [](Index n) {
    return nan_result<double>({.batch = 2, .query_heads = 2, .queries = n, .keys = n})
        .weights.elements.size();
  };
  EXPECT_EQ(entries(5), 2u * 2 * 5 * 5);
  EXPECT_EQ(entries(10), 4 * entries(5));
}

}  // namespace
}  // namespace attest::test

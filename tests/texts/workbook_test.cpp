// The figures, tests and fault experiments of the workbook, as facts about this library. Its limits
// of 64 rows, 64 columns and 1e6 in size are that text's own and do not hold here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attention/block.h"
#include "attention/transformer.h"
#include "tests/support/input_error.h"
#include "tests/support/run_kernels.h"
#include "tests/texts/teaching_attention.h"

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

TEST(AttentionOutput, StaysBetweenTheVisibleValues) {
  const auto p =
      uniform_problem<double>({.queries = 6, .keys = 6, .width = 3, .value_width = 2}, 5);
  const auto output = run_explicit(p).output;
  for (Index c = 0; c < 2; ++c) {
    double least = 1;
    double most = -1;
    for (Index j = 0; j < 6; ++j) {
      least = std::min(least, p.v.view()(0, 0, j, c));
      most = std::max(most, p.v.view()(0, 0, j, c));
    }
    for (Index i = 0; i < 6; ++i) {
      EXPECT_GE(output.view()(0, 0, i, c), least);
      EXPECT_LE(output.view()(0, 0, i, c), most);
    }
  }
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

// The text's checks, each over any implementation: true means that the check is satisfied.
struct Checks {
  const Rows q = {{1, 0}, {0, 1}};
  const Rows v = {{10, 0}, {0, 20}};
  TeachingAttention base;

  bool row_sums() const {
    TeachingAttention causal = base;
    causal.causal = true;
    const Rows weights = causal(q, q, v).weights;
    return std::ranges::all_of(weights, [](auto& row) { return std::abs(sum(row) - 1) < 1e-12; });
  }
  bool hand_calculation() const { return std::abs(base(q, q, v).weights[0][0] - 0.669762) < 1e-6; }
  bool causal_direction() const {
    TeachingAttention causal = base;
    causal.causal = true;
    const Rows output = causal(q, q, v).output;
    return output[0] == std::vector<double>{10, 0} && output[1][0] > 0;
  }
  bool mask_renormalises() const {
    TeachingAttention masked = base;
    masked.allow = {{false, true}, {false, true}};
    return masked(q, q, v).output == Rows{{0, 20}, {0, 20}};
  }
};

TEST(FaultExperiments, TheCleanImplementationSatisfiesEveryCheck) {
  const Checks clean;
  EXPECT_TRUE(clean.row_sums());
  EXPECT_TRUE(clean.hand_calculation());
  EXPECT_TRUE(clean.causal_direction());
  EXPECT_TRUE(clean.mask_renormalises());
}

TEST(FaultExperiments, ARemovedScaleIsSeenByTheHandCalculationAndMissedByRowSums) {
  const Checks faulty{.base = {.scale_removed = true}};
  EXPECT_TRUE(faulty.row_sums());
  EXPECT_FALSE(faulty.hand_calculation());
}

TEST(FaultExperiments, AReversedCausalTestIsSeenByItsDirection) {
  const Checks faulty{.base = {.causal_reversed = true}};
  EXPECT_TRUE(faulty.hand_calculation());
  EXPECT_FALSE(faulty.causal_direction());
}

TEST(FaultExperiments, AnIgnoredAllowMaskIsSeenByRenormalisation) {
  const Checks faulty{.base = {.allow_ignored = true}};
  EXPECT_TRUE(faulty.row_sums());
  EXPECT_TRUE(faulty.hand_calculation());
  EXPECT_FALSE(faulty.mask_renormalises());
}

}  // namespace
}  // namespace attest::test

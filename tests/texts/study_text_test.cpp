// The figures, rules and exercises of the study-assistant chapter, as facts about this library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attention/block.h"
#include "attention/positions.h"
#include "attention/seeded_weights.h"
#include "tests/support/input_error.h"
#include "tests/support/run_kernels.h"
#include "tests/texts/teaching_attention.h"

namespace attest::test {
namespace {

OwnedProblem<double> one_query() {
  OwnedProblem<double> p;
  p.q = {{1, 0}};
  p.k = {{2, 0}, {0, 2}, {1, 1}};
  p.v = {{10, 0}, {0, 10}, {4, 6}};
  return p;
}

OwnedProblem<double> two_queries() {
  const double root = std::sqrt(2.0);
  OwnedProblem<double> p;
  p.q = {{root, 0}, {0, root}};
  p.k = {{1, 0}, {0, 1}, {0, 0}};
  p.v = {{10}, {20}, {30}};
  return p;
}

void expect_printed(std::span<const double> got, std::initializer_list<double> printed,
                    double half_digit) {
  ASSERT_EQ(got.size(), printed.size());
  for (std::size_t n = 0; n < got.size(); ++n)
    EXPECT_NEAR(got[n], printed.begin()[n], half_digit) << n;
}

TEST(OneQuery, WeighsThreeKeysAsComputedByHand) {
  const auto r = run_explicit(one_query());
  expect_printed(r.weights.elements, {0.576, 0.140, 0.284}, 5e-4);
  expect_printed(r.output.elements, {6.896, 3.104}, 5e-4);
  expect_printed(run_streaming(one_query(), {1, 2}).output.elements, {6.896, 3.104}, 5e-4);
}

TEST(OneQuery, ChangingAValueMovesTheOutputAndLeavesTheWeights) {
  OwnedProblem<double> changed = one_query();
  changed.v = {{10, 0}, {0, 10}, {100, 100}};
  const auto before = run_explicit(one_query());
  const auto after = run_explicit(changed);
  EXPECT_EQ(before.weights.elements, after.weights.elements);
  EXPECT_GT(after.output.elements[0] - before.output.elements[0], 27);
}

TEST(TwoQueries, HaveTheWeightsAndOutputsOfTheText) {
  const auto r = run_explicit(two_queries());
  EXPECT_EQ(r.weights.extents, (Extents{1, 1, 2, 3}));
  EXPECT_EQ(r.output.extents, (Extents{1, 1, 2, 1}));
  expect_printed(std::span(r.weights.elements).first(3), {0.5761, 0.2119, 0.2119}, 5e-5);
  EXPECT_NEAR(r.output.elements[0], 16.36, 5e-3);
  EXPECT_NEAR(r.output.elements[1], 20, 1e-13);
}

TEST(TwoQueries, ZeroQueriesAnswerTheMeanOfTheValues) {
  OwnedProblem<double> p = two_queries();
  p.q = {{0, 0}, {0, 0}};
  for (const double x : run_explicit(p).output.elements) EXPECT_NEAR(x, 20, 1e-13);
}

TEST(TwoQueries, FiveAddedToEveryValueAddsFiveToEveryOutput) {
  OwnedProblem<double> shifted = two_queries();
  for (double& x : shifted.v.elements) x += 5;
  const auto before = run_explicit(two_queries());
  const auto after = run_explicit(shifted);
  EXPECT_EQ(before.weights.elements, after.weights.elements);
  for (std::size_t n = 0; n < 2; ++n)
    EXPECT_NEAR(after.output.elements[n], before.output.elements[n] + 5, 1e-13);
}

// The exercise: softmax over queries instead of keys. Shapes still fit; rows no longer sum to one,
// values shifted by a constant no longer shift the output, zero queries no longer give the mean.
TEST(WrongAxis, PassesTheShapeCheckAndFailsTheOthers) {
  const Rows q = {{std::sqrt(2.0), 0}, {0, std::sqrt(2.0)}};
  const Rows k = {{1, 0}, {0, 1}, {0, 0}};
  const Rows v = {{10}, {20}, {30}};
  const TeachingAttention wrong{.over_queries = true};
  const auto [output, weights] = wrong(q, k, v);
  EXPECT_EQ(weights.size(), 2u);
  EXPECT_EQ(weights[0].size(), 3u);
  EXPECT_GT(std::abs(sum(weights[0]) - 1), 0.1);
  const auto shifted = wrong(q, k, {{15}, {25}, {35}}).output;
  EXPECT_GT(std::abs(shifted[0][0] - output[0][0] - 5), 0.1);
  EXPECT_GT(std::abs(wrong({{0, 0}, {0, 0}}, k, v).output[0][0] - 20), 1);
  const auto right = TeachingAttention{}(q, k, v);
  EXPECT_NEAR(sum(right.weights[0]), 1, 1e-15);
}

TEST(Contracts, UnequalBatchesWidthsAndCountsAreRefused) {
  OwnedProblem<double> p = two_queries();
  p.k = Tensor<double>({2, 1, 3, 2});
  EXPECT_THROW(Problem<double>(p.spec()), InputError);
  p = two_queries();
  p.k = {{1}, {0}, {0}};
  EXPECT_THROW(Problem<double>(p.spec()), InputError);
  p = two_queries();
  p.v = {{10}, {20}};
  EXPECT_THROW(Problem<double>(p.spec()), InputError);
}

TEST(Scale, BringsTheVarianceOfDotProductsBackToOne) {
  // 4000 products of 64 independent components of mean 0 and variance 1. The sample variance of a
  // nearly normal sum has a relative standard deviation of sqrt(2 / 4000) = 2.2 %: 5 of them.
  const Index width = 64;
  SeededWeights draw(17);
  double squares = 0;
  for (int n = 0; n < 4000; ++n) {
    double dot = 0;
    for (Index c = 0; c < width; ++c)
      dot += draw.uniform(std::sqrt(3.0)) * draw.uniform(std::sqrt(3.0));
    squares += dot * dot;
  }
  EXPECT_NEAR(squares / 4000 / 64, 1, 0.112);
}

OwnedProblem<double> four_tokens() {
  OwnedProblem<double> p = uniform_problem<double>({.queries = 4, .keys = 4, .width = 4}, 7);
  const Matrix positions = sinusoidal_positions(4, 4);
  for (std::size_t n = 0; n < 16; ++n) p.q.elements[n] += positions.elements()[n];
  p.k = p.v = p.q;
  return p;
}

TEST(CausalMask, HidesSixEntriesOfFourByFourExactly) {
  OwnedProblem<double> p = four_tokens();
  p.causal = true;
  const auto r = run_explicit(p);
  EXPECT_EQ(std::ranges::count(r.weights.elements, 0.0), 6);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(sum({r.weights.elements.begin() + static_cast<std::ptrdiff_t>(4 * i),
                     r.weights.elements.begin() + static_cast<std::ptrdiff_t>(4 * i + 4)}),
                1, 1e-15);
}

TEST(CausalMask, KeepsTheFirstTwoOutputsWhenLaterInputsChange) {
  const auto first_two = [](bool causal, double change) {
    OwnedProblem<double> p = four_tokens();
    p.causal = causal;
    for (std::size_t n = 8; n < 16; ++n) p.q.elements[n] += change;
    p.k = p.v = p.q;
    auto output = run_explicit(p).output.elements;
    output.resize(8);
    return output;
  };
  EXPECT_EQ(first_two(true, 0), first_two(true, 100));
  EXPECT_NE(first_two(false, 0), first_two(false, 100));
}

// The exercise: the triangle reversed shows each position itself and its future.
TEST(ReversedTriangle, ShowsTheFuture) {
  OwnedProblem<double> p = four_tokens();
  p.window = {.left = 0, .right = {}};
  const auto r = run_explicit(p);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(r.weights.elements[4 * i + j] > 0, j >= i);
}

TEST(ScoreOfZero, IsNotAMask) {
  OwnedProblem<double> p;
  p.q = {{1}};
  p.k = {{0}, {1}};
  p.v = {{1}, {2}};
  EXPECT_GT(run_explicit(p).weights.elements[0], 0.2);
}

TEST(ZeroingAfterSoftmax, LosesTheRowSum) {
  auto weights = run_explicit(four_tokens()).weights.elements;
  weights[1] = weights[2] = weights[3] = 0;
  EXPECT_LT(sum({weights.begin(), weights.begin() + 4}), 0.9);
}

TEST(RowWithEverythingHidden, IsNotANumberByHandAndRefusedHere) {
  const double hidden = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(std::exp(hidden - hidden)));
  OwnedProblem<double> p = four_tokens();
  p.allow = Tensor<std::uint8_t>({1, 1, 1, 4}, 0);
  EXPECT_THROW(Problem<double>(p.spec()), InputError);
}

TEST(SelfAttention, WithoutPositionsFollowsAPermutationOfItsInput) {
  const OwnedProblem<double> p = [] {
    OwnedProblem<double> one = uniform_problem<double>({.queries = 3, .keys = 3, .width = 2}, 3);
    one.k = one.v = one.q;
    return one;
  }();
  OwnedProblem<double> turned = p;
  std::rotate(turned.q.elements.begin(), turned.q.elements.begin() + 2, turned.q.elements.end());
  turned.k = turned.v = turned.q;
  const auto before = run_explicit(p).output.elements;
  const auto after = run_explicit(turned).output.elements;
  for (std::size_t n = 0; n < 6; ++n) EXPECT_NEAR(after[n], before[(n + 2) % 6], 1e-15);
}

TEST(SelfAttention, PositionsMakeOrderMatter) {
  Matrix same(3, 4, 0.5);
  const Matrix placed = add(same, sinusoidal_positions(3, 4));
  for (Index r = 1; r < 3; ++r) {
    EXPECT_TRUE(std::ranges::equal(same.row(r), same.row(0)));
    EXPECT_FALSE(std::ranges::equal(placed.row(r), placed.row(0)));
  }
}

TEST(SinusoidalPositions, AreSinesAndCosinesOfFallingFrequency) {
  const Matrix p = sinusoidal_positions(4, 4);
  expect_printed(p.row(0), {0, 1, 0, 1}, 0);
  expect_printed(p.row(1), {std::sin(1), std::cos(1), std::sin(0.01), std::cos(0.01)}, 1e-15);
  expect_printed(p.row(3), {std::sin(3), std::cos(3), std::sin(0.03), std::cos(0.03)}, 1e-15);
}

TEST(StudyBlock, SplitsWidthSixtyFourIntoFourHeadsOfSixteen) {
  const MultiHead heads = study_block(7).self_attention;
  const std::vector<Matrix> batch(2, Matrix(5, 64, 0.1));
  for (const Matrix& x : batch) {
    EXPECT_EQ(apply(heads.query, x).columns() / heads.heads, 16);
    const MultiHeadResult r = apply(heads, x, x, {});
    EXPECT_EQ(r.maps.size(), 4u);
    EXPECT_EQ(shape_text(r.output), "(5, 64)");
  }
}

TEST(StudyBlock, RefusesHeadsThatDoNotDivideItsWidth) {
  Block block = study_block(7);
  block.self_attention.heads = block.self_attention.kv_heads = 5;
  EXPECT_THROW(apply(block, Matrix(5, 64, 0.1)), InputError);
}

TEST(StudyBlock, RefusesAFeedForwardThatReturnsAnotherWidth) {
  Block block = study_block(7);
  block.feed_forward.contract = SeededWeights(1).linear(256, 256);
  EXPECT_EQ(message_of([&] { apply(block, Matrix(5, 64, 0.1)); }),
            "residual: got (5, 64) plus (5, 256); accepted: equal shapes");
}

TEST(TwoLinearLayers, CollapseIntoOneWithoutAnActivation) {
  SeededWeights draw(2);
  const Linear expand = draw.linear(4, 16);
  const Linear contract = draw.linear(16, 4);
  const Matrix x = draw.matrix(3, 4, 1);
  const Matrix two = apply(contract, apply(expand, x));
  Linear one{.weight = multiply(expand.weight, contract.weight)};
  for (Index c = 0; c < 4; ++c) {
    double bias = contract.bias[static_cast<std::size_t>(c)];
    for (Index n = 0; n < 16; ++n)
      bias += expand.bias[static_cast<std::size_t>(n)] * contract.weight(n, c);
    one.bias.push_back(bias);
  }
  const Matrix collapsed = apply(one, x);
  for (std::size_t n = 0; n < 12; ++n)
    EXPECT_NEAR(two.elements()[n], collapsed.elements()[n], 1e-14);
  EXPECT_NE(apply(FeedForward{expand, contract}, x), two);
}

Matrix changed_fifth(const Matrix& x) {
  Matrix changed = x;
  SeededWeights draw(99);
  for (double& value : changed.row(4)) value += 10 * draw.uniform(1);
  return changed;
}

bool first_four_equal(const Matrix& a, const Matrix& b) {
  return std::ranges::equal(a.elements().first(256), b.elements().first(256));
}

TEST(StudyBlock, KeepsTheFirstFourOutputsWhenTheFifthTokenChanges) {
  const Block block = study_block(7);
  SeededWeights draw(8);
  for (int sequence = 0; sequence < 2; ++sequence) {
    const Matrix x = draw.matrix(5, 64, 1);
    const Matrix output = apply(block, x).output;
    EXPECT_EQ(shape_text(output), shape_text(x));
    EXPECT_TRUE(std::ranges::all_of(output.elements(), [](double v) { return std::isfinite(v); }));
    EXPECT_TRUE(first_four_equal(output, apply(block, changed_fifth(x)).output));
    Block unmasked = block;
    unmasked.causal = false;
    EXPECT_FALSE(
        first_four_equal(apply(unmasked, x).output, apply(unmasked, changed_fifth(x)).output));
  }
}

}  // namespace
}  // namespace attest::test

// The figures, rules and exercises of the study-assistant chapter, as facts about this library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "attention/block.h"
#include "attention/positions.h"
#include "attention/seeded_weights.h"
#include "attention/transformer.h"
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

// Unscaled, 64 components of variance 1 give scores of deviation 8: most weight on one key.
TEST(Scale, KeepsWideRowsFromConcentrating) {
  const auto mean_of_largest = [](std::optional<double> scale) {
    double total = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      OwnedProblem<double> p =
          uniform_problem<double>({.queries = 1, .keys = 8, .width = 64}, seed);
      for (Tensor<double>* t : {&p.q, &p.k})
        for (double& x : t->elements) x *= std::sqrt(3.0);
      p.scale = scale;
      const auto weights = run_explicit(p).weights.elements;
      total += *std::ranges::max_element(weights);
    }
    return total / 50;
  };
  EXPECT_GT(mean_of_largest(1), 0.8);
  EXPECT_LT(mean_of_largest({}), 0.5);
}

// Scaling repairs nothing: a NaN in a query reaches its row, and no other.
TEST(NotANumber, IsRefusedByDefaultAndOtherwiseReachesItsOwnRow) {
  OwnedProblem<double> p = two_queries();
  p.q.elements[0] = std::nan("");
  EXPECT_THROW(Problem<double>(p.spec()), InputError);
  const auto r = run_explicit(p, Contents::unchecked);
  EXPECT_TRUE(std::isnan(r.output.elements[0]));
  EXPECT_NEAR(r.output.elements[1], 20, 1e-13);
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

// Four tokens, of which query 2 may read none.
OwnedProblem<double> third_row_hidden() {
  OwnedProblem<double> p = four_tokens();
  p.allow = Tensor<std::uint8_t>{{1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}};
  return p;
}

TEST(RowWithEverythingHidden, IsNotANumberByHandAndRefusedHere) {
  const double hidden = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(std::exp(hidden - hidden)));
  const OwnedProblem<double> p = third_row_hidden();
  EXPECT_EQ(p.empty_row, EmptyRow::error);
  EXPECT_NE(message_of([&] { Problem<double>(p.spec()); }).find("2"), std::string::npos);
  OwnedProblem<double> padded = four_tokens();
  padded.key_lengths = {0};
  EXPECT_THROW(Problem<double>(padded.spec()), InputError);
}

TEST(RowWithEverythingHidden, IsZeroOrNotANumberByConventionAndItsSumIsZero) {
  const auto open = run_explicit(four_tokens());
  for (const EmptyRow convention : {EmptyRow::zero, EmptyRow::nan}) {
    OwnedProblem<double> p = third_row_hidden();
    p.empty_row = convention;
    const auto r = run_explicit(p);
    const auto streamed = run_streaming(p, {2, 3});
    const auto filled = [&](double x) {
      return convention == EmptyRow::zero ? x == 0 : std::isnan(x);
    };
    for (std::size_t n = 8; n < 12; ++n) {
      EXPECT_TRUE(filled(r.output.elements[n]));
      EXPECT_TRUE(filled(r.weights.elements[n]));
      EXPECT_TRUE(filled(streamed.output.elements[n]));
    }
    // The logarithm of a sum of nothing.
    EXPECT_EQ(r.lse.elements[2], -std::numeric_limits<double>::infinity());
    EXPECT_EQ(streamed.lse.elements[2], -std::numeric_limits<double>::infinity());
    for (std::size_t n = 0; n < 16; ++n)
      if (n / 4 != 2) {
        EXPECT_EQ(r.output.elements[n], open.output.elements[n]);
      }
  }
}

// How far a block's output is from following its tokens when they are turned by one place; with or
// without positions, which stay where they are.
double order_matters_by(const Block& block, bool positions) {
  const Matrix tokens = SeededWeights(21).matrix(3, 8, 1);
  Matrix turned = tokens;
  for (Index r = 0; r < 3; ++r) std::ranges::copy(tokens.row((r + 1) % 3), turned.row(r).begin());
  const auto run = [&](const Matrix& x) {
    return apply(block, positions ? add(x, sinusoidal_positions(3, 8)) : x).output;
  };
  const Matrix before = run(tokens);
  const Matrix after = run(turned);
  double most = 0;
  for (Index r = 0; r < 3; ++r)
    for (Index c = 0; c < 8; ++c)
      most = std::max(most, std::abs(after(r, c) - before((r + 1) % 3, c)));
  return most;
}

Block open_block(NormPlacement placement) {
  SeededWeights weights(20);
  return {.placement = placement,
          .self_attention = weights.multi_head(8, 2),
          .feed_forward = {.expand = weights.linear(8, 32), .contract = weights.linear(32, 8)}};
}

TEST(SelfAttention, PositionsMakeOrderMatter) {
  // Turned tokens change only the order in which a row sums its three keys. A row is fewer than
  // 2^10 operations on numbers of size about one, each off by 2^-53.
  constexpr double rounding = 0x1p-43;
  constexpr double margin = 0.05;
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
    Block block = open_block(placement);
    EXPECT_LT(order_matters_by(block, false), rounding);
    EXPECT_GT(order_matters_by(block, true), margin);
    // A causal mask is itself an order, positions or not.
    block.causal = true;
    EXPECT_GT(order_matters_by(block, false), margin);
  }
}

// A token that comes twice is told apart by its place alone.
TEST(SelfAttention, PositionsTellARepeatedTokenApart) {
  const Matrix same(3, 8, 0.5);
  const Matrix placed = add(same, sinusoidal_positions(3, 8));
  const Block block = open_block(NormPlacement::pre);
  const Matrix alike = apply(block, same).output;
  const Matrix apart = apply(block, placed).output;
  for (Index r = 1; r < 3; ++r) {
    double most = 0;
    for (Index c = 0; c < 8; ++c) {
      EXPECT_EQ(alike(r, c), alike(0, c));
      most = std::max(most, std::abs(apart(r, c) - apart(0, c)));
    }
    EXPECT_GT(most, 0.05);
  }
}

TEST(Positions, DoNotReplaceACausalMask) {
  Block block = open_block(NormPlacement::pre);
  const auto first_changes = [&](bool causal) {
    block.causal = causal;
    const Matrix x = add(SeededWeights(21).matrix(3, 8, 1), sinusoidal_positions(3, 8));
    Matrix changed = x;
    changed(2, 0) += 1;
    return !std::ranges::equal(apply(block, x).output.row(0), apply(block, changed).output.row(0));
  };
  EXPECT_TRUE(first_changes(false));
  EXPECT_FALSE(first_changes(true));
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

TEST(Normalisation, IsOfEachTokenOverItsFeatures) {
  const Matrix x = SeededWeights(5).matrix(3, 64, 1);
  Matrix changed = x;
  changed(2, 0) += 10;
  const Matrix before = normalise(x, {});
  const Matrix after = normalise(changed, {});
  EXPECT_TRUE(std::ranges::equal(before.elements().first(128), after.elements().first(128)));
  EXPECT_FALSE(std::ranges::equal(before.row(2), after.row(2)));
}

TEST(Normalisation, WithoutEpsilonIsNotANumberOnAConstantRow) {
  EXPECT_TRUE(std::isnan(normalise(Matrix(1, 64, 0.1), {.epsilon = 0})(0, 0)));
  EXPECT_EQ(normalise(Matrix(1, 64, 0.1), {}), Matrix(1, 64));
}

TEST(Families, ScoreTwelveSourceAndThreeTargetTokens) {
  const Transformer t = assemble({.family = Family::encoder_decoder, .layers = 6});
  EXPECT_EQ(t.encoder.size(), 6u);
  EXPECT_EQ(t.decoder.size(), 6u);
  const Matrix source(12, 8, 0.5);
  const BlockResult decoded = apply(t.decoder[0], Matrix(3, 8, 0.25), &source);
  EXPECT_EQ(shape_text(apply(t.encoder[0], source).self_maps[0]), "(12, 12)");
  EXPECT_EQ(shape_text(decoded.self_maps[0]), "(3, 3)");
  EXPECT_EQ(shape_text(decoded.cross_maps[0]), "(3, 12)");
}

// The tracing exercise: a passage of two, a question of two after it. Which of the passage's
// positions read the question?
TEST(Families, ReadAQuestionAfterAPassage) {
  const auto passage_reads_question = [](Family family, Index source, Index target) {
    const InformationFlow flow = measured_flow(assemble({.family = family}), source, target, 3);
    EXPECT_EQ(flow, declared_flow(assemble({.family = family}), source, target));
    return flow(0, 2);
  };
  EXPECT_TRUE(passage_reads_question(Family::encoder_only, 4, 0));
  EXPECT_FALSE(passage_reads_question(Family::decoder_only, 0, 4));
  // Apart, the question reads the whole passage, by cross-attention.
  const InformationFlow apart =
      measured_flow(assemble({.family = Family::encoder_decoder}), 2, 2, 3);
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 2; ++j) EXPECT_TRUE(apart(i, j));
  EXPECT_FALSE(apart(0, 3));
}

// The two mistakes that no shape shows: an encoder restricted, a target that sees its answers.
TEST(Families, AreBrokenByATriangleTooManyOrTooFew) {
  const Transformer right = assemble({.family = Family::encoder_decoder});
  const InformationFlow expected = declared_flow(right, 3, 3);
  Transformer restricted = right;
  for (Block& block : restricted.encoder) block.causal = true;
  Transformer leaking = right;
  for (Block& block : leaking.decoder) block.causal = false;
  const Sequences sequences{.source = Matrix(3, 8, 0.5), .target = Matrix(3, 8, 0.25)};
  for (const Transformer& wrong : {restricted, leaking})
    EXPECT_EQ(shape_text(apply(wrong, sequences)), shape_text(apply(right, sequences)));
  EXPECT_TRUE(measured_flow(leaking, 3, 3, 1)(0, 5));
  EXPECT_FALSE(expected(0, 5));
  // Cross-attention reads every encoded position, so a whole triangle in the encoder shows only in
  // the encoder's own flow.
  Transformer encoder = restricted;
  encoder.family = Family::encoder_only;
  encoder.decoder.clear();
  EXPECT_FALSE(measured_flow(encoder, 3, 0, 1)(0, 2));
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

// Matrix, positions, layer norm, feed-forward, multi-head attention and blocks: contracts and bad
// input. The numbers of worked examples are in tests/texts.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attention/block.h"
#include "attention/positions.h"
#include "attention/seeded_weights.h"
#include "tests/support/input_error.h"

namespace attest {
namespace {

using test::message_of;

TEST(Matrix, RefusesRaggedEmptyAndNonFiniteRows) {
  EXPECT_EQ(message_of([] {
              Matrix({{1, 2}, {3}});
            }),
            "matrix row 1: got 1 elements; accepted: 2, as in row 0");
  EXPECT_EQ(message_of([] {
              Matrix({{1}, {std::nan("")}});
            }),
            "matrix row 1: got nan; accepted: finite numbers");
  EXPECT_EQ(message_of([] { Matrix({std::initializer_list<double>{}}); }),
            "matrix: got no elements; accepted: one row and one column or more");
  EXPECT_EQ(message_of([] { Matrix(0, 3); }),
            "matrix: got (0, 3); accepted: one row and one column or more");
}

TEST(Matrix, MultipliesRowsByColumns) {
  EXPECT_EQ(multiply({{1, 2}}, {{3, 4}, {5, 6}}), (Matrix{{13, 16}}));
  EXPECT_EQ(message_of([] {
              multiply({{1, 2}}, {{3, 4}});
            }),
            "product: got (1, 2) times (1, 2); accepted: as many columns on the left as rows on "
            "the right");
}

TEST(Matrix, JoinsSideBySide) {
  EXPECT_EQ(beside({{1}, {2}}, {{3, 4}, {5, 6}}), (Matrix{{1, 3, 4}, {2, 5, 6}}));
  EXPECT_THROW(beside({{1}}, {{1}, {2}}), InputError);
}

TEST(Residual, RefusesAnotherWidthInsteadOfRepairingIt) {
  EXPECT_EQ(message_of([] { add(Matrix(5, 64), Matrix(5, 256)); }),
            "residual: got (5, 64) plus (5, 256); accepted: equal shapes");
}

TEST(LayerNorm, MapsAConstantRowToZeros) {
  EXPECT_EQ(normalise({{7, 7, 7}}, {}), (Matrix{{0, 0, 0}}));
}

TEST(LayerNorm, MapsAConstantRowToZerosWhateverItsNumber) {
  for (const double x : {0.1, -0.1, 1.0 / 3, 1e300, -1e308, 1e-300, 5e-324, 0.0})
    for (const Index width : {1, 3, 7, 64})
      for (const double epsilon : {1e-5, 1e-300, 1e300})
        EXPECT_EQ(normalise(Matrix(2, width, x), {.epsilon = epsilon}), Matrix(2, width)) << x;
  EXPECT_EQ(normalise(Matrix(1, 2, 0.1), {.gain = {3, 4}, .bias = {5, 6}}), (Matrix{{5, 6}}));
}

TEST(LayerNorm, HoldsRowsWhoseSquaresOrSumsOverflow) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(normalise({{1e300, 3e300}}, {}), (Matrix{{-1, 1}}));
  EXPECT_EQ(normalise({{-largest, largest}}, {}), (Matrix{{-1, 1}}));
  EXPECT_EQ(normalise({{0x1p-1000, 0x3p-1000}}, {.epsilon = 0}), (Matrix{{-1, 1}}));
  EXPECT_EQ(normalise({{0, 0x1p-1074}}, {.epsilon = 0}), (Matrix{{-1, 1}}));
}

TEST(LayerNorm, IgnoresAnOffsetCommonToAllFeatures) {
  EXPECT_EQ(normalise({{0x1p40 + 1, 0x1p40 + 2, 0x1p40 + 5}}, {}), normalise({{1, 2, 5}}, {}));
}

TEST(LayerNorm, LeavesATokenThatIsNotFiniteNotANumberAlone) {
  Matrix x(2, 3, 1);
  x(0, 1) = std::numeric_limits<double>::infinity();
  const Matrix out = normalise(x, {.gain = {1, 0, 1}});
  for (Index c = 0; c < 3; ++c) {
    EXPECT_TRUE(std::isnan(out(0, c)));
    EXPECT_EQ(out(1, c), 0);
  }
}

TEST(LayerNorm, RefusesParametersThatAreNotFinite) {
  EXPECT_EQ(message_of([] {
              normalise({{1, 3}}, {.gain = {1, std::nan("")}});
            }),
            "gain: got nan; accepted: finite numbers");
  EXPECT_EQ(message_of([] {
              normalise({{1, 3}}, {.bias = {std::numeric_limits<double>::infinity(), 0}});
            }),
            "bias: got inf; accepted: finite numbers");
  EXPECT_THROW(normalise({{1, 3}}, {.epsilon = std::nan("")}), InputError);
  EXPECT_THROW(normalise({{1, 3}}, {.epsilon = std::numeric_limits<double>::infinity()}),
               InputError);
}

TEST(LayerNorm, WithoutEpsilonAConstantRowIsNotANumber) {
  EXPECT_TRUE(std::isnan(normalise({{7, 7, 7}}, {.epsilon = 0})(0, 0)));
}

TEST(LayerNorm, DividesByThePopulationVariancePlusEpsilon) {
  const Matrix out = normalise({{1, 3}}, {.epsilon = 3});  // mean 2, variance 1
  EXPECT_EQ(out, (Matrix{{-0.5, 0.5}}));
}

TEST(LayerNorm, AppliesGainThenBias) {
  EXPECT_EQ(normalise({{1, 3}}, {.epsilon = 3, .gain = {2, 4}, .bias = {10, 20}}),
            (Matrix{{9, 22}}));
  EXPECT_EQ(message_of([] {
              normalise({{1, 3}}, {.gain = {1}});
            }),
            "gain: got 1 values; accepted: 2, one per feature");
  EXPECT_THROW(normalise({{1, 3}}, {.bias = {1, 2, 3}}), InputError);
  EXPECT_THROW(normalise({{1, 3}}, {.epsilon = -1}), InputError);
}

TEST(LayerNorm, TreatsEachTokenAlone) {
  const Matrix both = normalise({{1, 2, 5}, {4, 4, 9}}, {});
  const Matrix first = normalise({{1, 2, 5}}, {});
  const Matrix other = normalise({{1, 2, 5}, {-100, 0, 1000}}, {});
  for (Index c = 0; c < 3; ++c) {
    EXPECT_EQ(both(0, c), first(0, c));
    EXPECT_EQ(both(0, c), other(0, c));
  }
}

TEST(FeedForward, KeepsPositivesZeroesNegativesAndAddsBiases) {
  const FeedForward layer{.expand = {.weight = {{1, -1}}, .bias = {0, 1}},
                          .contract = {.weight = {{1}, {10}}, .bias = {100}}};
  EXPECT_EQ(apply(layer, {{3}, {-3}}), (Matrix{{103}, {140}}));
  EXPECT_EQ(message_of([] {
              apply(Linear{.weight = {{1, 2}}, .bias = {1}}, {{1}});
            }),
            "bias: got 1 values; accepted: 2, one per output feature");
}

TEST(SinusoidalPositions, RefuseOddWidths) {
  EXPECT_EQ(message_of([] { sinusoidal_positions(4, 3); }),
            "width: got 3; accepted: an even number of 2 or more");
  EXPECT_THROW(sinusoidal_positions(0, 4), InputError);
}

TEST(SeededWeights, AreTheSameEverywhere) {
  SeededWeights weights(1);
  // The first number of SplitMix64 from seed 1, as published, over 2^64.
  EXPECT_EQ(weights.uniform(1), static_cast<double>(0x910a2dec89025cc1u >> 11) * 0x1p-52 - 1);
  SeededWeights again(1);
  for (int n = 0; n < 1000; ++n) {
    const double x = again.uniform(0.5);
    EXPECT_GE(x, -0.5);
    EXPECT_LT(x, 0.5);
  }
}

MultiHead seeded_heads(Index heads) { return SeededWeights(3).multi_head(8, heads); }

TEST(MultiHead, RefusesAWidthItsHeadsDoNotDivide) {
  EXPECT_EQ(message_of([] { apply(seeded_heads(3), Matrix(2, 8, 1), Matrix(2, 8, 1), {}); }),
            "query projection: got 8 features; accepted: a width that 3 heads divide");
}

TEST(MultiHead, RefusesNoHeads) {
  MultiHead none = seeded_heads(2);
  none.kv_heads = 0;
  EXPECT_EQ(message_of([&] { apply(none, Matrix(2, 8, 1), Matrix(2, 8, 1), {}); }),
            "heads: got 0; accepted: a whole number of 1 or more");
}

TEST(MultiHead, GivesEachHeadProjectionsOfTheWholeInput) {
  const MultiHead heads = seeded_heads(4);
  const Matrix x = SeededWeights(4).matrix(3, 8, 1);
  Matrix changed = x;
  changed(2, 7) += 1;  // one feature of one token
  const MultiHeadResult before = apply(heads, x, x, {});
  const MultiHeadResult after = apply(heads, changed, changed, {});
  ASSERT_EQ(before.maps.size(), 4u);
  for (std::size_t h = 0; h < 4; ++h) EXPECT_NE(before.maps[h], after.maps[h]) << h;
}

TEST(MultiHead, StreamsToTheSameOutputWithinRounding) {
  const MultiHead heads = seeded_heads(2);
  const Matrix x = SeededWeights(5).matrix(7, 8, 1);
  const AttentionMode causal{.visibility = {.causal = true}};
  AttentionMode streaming = causal;
  streaming.streaming = Tiles{2, 3};
  const Matrix a = apply(heads, x, x, causal).output;
  const MultiHeadResult b = apply(heads, x, x, streaming);
  EXPECT_TRUE(b.maps.empty());
  // Both round sums of at most 8 terms below 8 in size: far below 1e-13.
  for (std::size_t n = 0; n < a.elements().size(); ++n)
    EXPECT_NEAR(a.elements()[n], b.output.elements()[n], 1e-13);
}

TEST(MultiHead, SharesKeyValueHeads) {
  SeededWeights weights(6);
  const MultiHead shared{.heads = 4,
                         .kv_heads = 2,
                         .query = weights.linear(8, 8),
                         .key = weights.linear(8, 4),
                         .value = weights.linear(8, 4),
                         .output = weights.linear(8, 8)};
  const MultiHeadResult r = apply(shared, Matrix(3, 8, 1), Matrix(5, 8, 1), {});
  EXPECT_EQ(shape_text(r.output), "(3, 8)");
  ASSERT_EQ(r.maps.size(), 4u);
  EXPECT_EQ(shape_text(r.maps[0]), "(3, 5)");
}

TEST(Block, TakesMemoryExactlyWhereItCrossAttends) {
  const Matrix x = two_head_block_input();
  EXPECT_EQ(message_of([&] { apply(two_head_block(), x, &x); }),
            "memory: got given; accepted: none: the block has no cross-attention");
  Block crossing = two_head_block();
  crossing.cross_attention = crossing.self_attention;
  EXPECT_EQ(message_of([&] { apply(crossing, x); }),
            "memory: got not given; accepted: a sequence for the block's cross-attention");
}

TEST(Block, RefusesAnotherWidth) {
  EXPECT_EQ(message_of([] { apply(two_head_block(), Matrix(3, 5, 1)); }),
            "product: got (3, 5) times (4, 4); accepted: as many columns on the left as rows on "
            "the right");
}

}  // namespace
}  // namespace attest

#include "oracle/visible_keys.h"

#include <gtest/gtest.h>
// RapidCheck's GoogleTest glue needs gtest first.
#include <rapidcheck/gtest.h>

#include "attention/kv_head.h"
#include "tests/oracle/plain_attention.h"
#include "tests/oracle/random_case.h"

namespace attest::oracle {
namespace {

using Keys = std::vector<Index>;

struct Tokens {
  Tokens(Index queries, Index keys)
      : elements(static_cast<std::size_t>(std::max(queries, keys)), 1.0f) {
    const std::span<const float> all(elements);
    spec.q = {all.first(static_cast<std::size_t>(queries)), {1, 1, queries, 1}};
    spec.k = {all.first(static_cast<std::size_t>(keys)), {1, 1, keys, 1}};
    spec.v = spec.k;
  }
  Keys row(Index i) const { return visible_keys(spec, 0, 0, i); }

  std::vector<float> elements;
  ProblemSpec<float> spec;
};

TEST(VisibleKeys, CausalOrderEndsAtTheDiagonal) {
  Tokens tokens(3, 3);
  tokens.spec.visibility.causal = true;
  EXPECT_EQ(tokens.row(0), (Keys{0}));
  EXPECT_EQ(tokens.row(2), (Keys{0, 1, 2}));
}

TEST(VisibleKeys, TheTwoAlignmentsFaceDifferentKeys) {
  Tokens tokens(2, 4);
  tokens.spec.visibility.causal = true;
  tokens.spec.visibility.alignment = Alignment::top_left;
  EXPECT_EQ(tokens.row(1), (Keys{0, 1}));
  tokens.spec.visibility.alignment = Alignment::bottom_right;
  EXPECT_EQ(tokens.row(0), (Keys{0, 1, 2}));
  EXPECT_EQ(tokens.row(1), (Keys{0, 1, 2, 3}));
}

TEST(VisibleKeys, MoreQueriesThanKeysLeaveTheFirstOnesBlindAtTheBottomRight) {
  Tokens tokens(3, 1);
  tokens.spec.visibility.causal = true;
  tokens.spec.visibility.alignment = Alignment::bottom_right;
  EXPECT_EQ(tokens.row(0), Keys{});
  EXPECT_EQ(tokens.row(1), Keys{});
  EXPECT_EQ(tokens.row(2), (Keys{0}));
}

TEST(VisibleKeys, TheBottomRightFollowsTheSequenceNotItsPadding) {
  Tokens tokens(2, 5);
  const std::vector<Index> lengths = {3};
  tokens.spec.visibility.causal = true;
  tokens.spec.visibility.alignment = Alignment::bottom_right;
  tokens.spec.visibility.key_lengths = lengths;
  EXPECT_EQ(tokens.row(0), (Keys{0, 1}));
  EXPECT_EQ(tokens.row(1), (Keys{0, 1, 2}));
}

TEST(VisibleKeys, BothEndsOfAWindowAreInside) {
  Tokens tokens(5, 5);
  tokens.spec.visibility.window = {.left = 1, .right = 2};
  EXPECT_EQ(tokens.row(0), (Keys{0, 1, 2}));
  EXPECT_EQ(tokens.row(2), (Keys{1, 2, 3, 4}));
  tokens.spec.visibility.window = {.left = 0, .right = {}};
  EXPECT_EQ(tokens.row(3), (Keys{3, 4}));
}

TEST(VisibleKeys, WindowsAsWideAsIntegersGoHideNothing) {
  Tokens tokens(3, 3);
  constexpr Index widest = std::numeric_limits<Index>::max();
  tokens.spec.visibility.window = {.left = widest, .right = widest};
  EXPECT_EQ(tokens.row(1), (Keys{0, 1, 2}));
}

TEST(VisibleKeys, MasksAndInfiniteBiasesTakeKeysAway) {
  Tokens tokens(2, 3);
  const std::vector<std::uint8_t> allow = {1, 0, 1};
  const std::vector<float> bias = {0, 0, 0, 0, 0, -std::numeric_limits<float>::infinity()};
  tokens.spec.visibility.allow = TensorView<const std::uint8_t>(allow, {1, 1, 1, 3});
  tokens.spec.score.bias = TensorView<const float>(bias, {1, 1, 2, 3});
  EXPECT_EQ(tokens.row(0), (Keys{0, 2}));
  EXPECT_EQ(tokens.row(1), (Keys{0}));
}

TEST(VisibleKeys, HeadMapsAreBlockedOrInterleaved) {
  EXPECT_EQ(kv_heads_of(HeadMap::blocked, 6, 2), (Keys{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(kv_heads_of(HeadMap::interleaved, 6, 2), (Keys{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(kv_heads_of(HeadMap::blocked, 3, 1), (Keys{0, 0, 0}));
}

// Two derivations of one set of conventions: the kernels' predicate and the oracle's removal.
RC_GTEST_PROP(VisibleKeys, AgreeWithTheKernelsVisibility, (std::uint64_t seed)) {
  const oracle_test::RandomCase<float> drawn(seed, {});
  const Problem<float> problem(drawn.spec());
  const Shape& shape = problem.shape();
  RC_ASSERT(shape_of(drawn.spec()) == shape);
  const Keys kv_heads = kv_heads_of(drawn.spec().head_map, shape.query_heads, shape.kv_heads);
  oracle_test::for_each_row(shape, [&](Index b, Index h, Index i) {
    Keys expected;
    for (Index j = 0; j < shape.keys; ++j)
      if (oracle_test::plain_sees(problem, b, h, i, j)) expected.push_back(j);
    RC_ASSERT(visible_keys(drawn.spec(), b, h, i) == expected);
    RC_ASSERT(facing_key(drawn.spec(), b, i) == problem.visibility().diagonal(b, i));
    RC_ASSERT(kv_heads[static_cast<std::size_t>(h)] == kv_head(drawn.spec().head_map, shape, h));
  });
}

}  // namespace
}  // namespace attest::oracle

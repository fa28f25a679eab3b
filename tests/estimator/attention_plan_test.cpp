#include "estimator/attention_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "attention/visibility.h"
#include "tests/support/input_error.h"

namespace attest::estimator {
namespace {

AttentionPlan plan(std::uint64_t heads, std::uint64_t tokens, std::uint64_t width) {
  const DType& f16 = find_dtype("f16");
  return {.batch = 1,
          .query_heads = heads,
          .kv_heads = heads,
          .queries = tokens,
          .keys = tokens,
          .width = width,
          .value_width = width,
          .dtype = &f16,
          .score_dtype = &f16};
}

const Line& line(const Ledger& ledger, const std::string& name) {
  for (const Line& candidate : ledger.lines())
    if (candidate.name == name) return candidate;
  throw std::runtime_error("no line " + name);
}

constexpr Wide mebibyte = 1 << 20;

TEST(ExplicitLedger, CountsTheScoresOfEightHeadsAt2048And4096) {
  const Ledger at_2048 = explicit_ledger(plan(8, 2048, 64));
  EXPECT_EQ(line(at_2048, "scores").elements().count(), 33554432u);
  EXPECT_EQ(line(at_2048, "scores").bytes().count(), 64 * mebibyte);
  const Ledger at_4096 = explicit_ledger(plan(8, 4096, 64));
  EXPECT_EQ(line(at_4096, "scores").bytes().count(), 256 * mebibyte);
}

TEST(ExplicitLedger, DoublesTheScoresWithSixteenHeads) {
  EXPECT_EQ(line(explicit_ledger(plan(16, 2048, 64)), "scores").bytes().count(), 128 * mebibyte);
  EXPECT_EQ(line(explicit_ledger(plan(16, 4096, 64)), "scores").bytes().count(), 512 * mebibyte);
}

TEST(ExplicitLedger, AtFixedModelWidthHeadsChangeScoresButNotQKV) {
  const Ledger eight = explicit_ledger(plan(8, 2048, 512 / 8));
  const Ledger sixteen = explicit_ledger(plan(16, 2048, 512 / 16));
  for (const char* name : {"Q", "K", "V", "output"})
    EXPECT_EQ(line(eight, name).bytes(), line(sixteen, name).bytes()) << name;
  EXPECT_EQ(2 * line(eight, "scores").bytes(), line(sixteen, "scores").bytes());
}

TEST(ExplicitLedger, IsQuadraticInScoresAndLinearInTheRest) {
  const Ledger one = explicit_ledger(plan(8, 1024, 64));
  const Ledger two = explicit_ledger(plan(8, 2048, 64));
  for (const char* name : {"Q", "K", "V", "output"})
    EXPECT_EQ(2 * line(one, name).bytes(), line(two, name).bytes()) << name;
  for (const char* name : {"scores", "probabilities"})
    EXPECT_EQ(4 * line(one, name).bytes(), line(two, name).bytes()) << name;
}

TEST(ExplicitLedger, FormulaAndNumbersAreThoseOfTheBytes) {
  const Line scores = line(explicit_ledger(plan(8, 2048, 64)), "scores");
  EXPECT_EQ(scores.formula(), "B*Hq*Nq*Nk*e");
  EXPECT_EQ(scores.substitution(), "1*8*2048*2048*2");
}

TEST(ExplicitLedger, KeepsScoresInTheirOwnFormat) {
  AttentionPlan p = plan(8, 2048, 64);
  p.score_dtype = &find_dtype("f32");
  EXPECT_EQ(line(explicit_ledger(p), "scores").bytes().count(), 128 * mebibyte);
  EXPECT_EQ(line(explicit_ledger(p), "Q").bytes().count(), 2 * mebibyte);
}

TEST(ExplicitLedger, CountsSharedKeyValueHeadsOnce) {
  AttentionPlan p = plan(8, 2048, 64);
  p.kv_heads = 2;
  const Ledger ledger = explicit_ledger(p);
  EXPECT_EQ(4 * line(ledger, "K").bytes(), line(ledger, "Q").bytes());
  EXPECT_EQ(line(ledger, "scores").bytes().count(), 64 * mebibyte);
}

TEST(StreamingLedger, HoldsNothingThatGrowsWithQueriesTimesKeys) {
  const Ledger one = streaming_ledger(plan(8, 1 << 20, 64));
  const Ledger two = streaming_ledger(plan(8, 2 << 20, 64));
  EXPECT_EQ(2 * one.total(), two.total());
  EXPECT_EQ(one.total(Role::score).count(), 0u);
}

TEST(Ledger, TotalsByRoleAddUp) {
  const Ledger ledger = explicit_ledger(plan(8, 2048, 64));
  EXPECT_EQ(ledger.total(Role::input) + ledger.total(Role::score) + ledger.total(Role::output),
            ledger.total());
}

TEST(Ledger, NamesTheLineWhoseRowsAreNotWholeBlocks) {
  AttentionPlan p = plan(8, 2048, 40);
  p.dtype = &find_dtype("q8_0");
  EXPECT_EQ(test::message_of([&] { explicit_ledger(p).total(); }),
            "Q: got rows of 40 elements; accepted: rows of whole q8_0 blocks, a multiple of 32");
}

TEST(AttentionPlan, RefusesExtentsOfZeroAndHeadsThatDoNotDivide) {
  AttentionPlan p = plan(8, 2048, 64);
  p.keys = 0;
  EXPECT_EQ(test::message_of([&] { explicit_ledger(p); }),
            "keys: got 0; accepted: a whole number of 1 or more");
  p = plan(8, 2048, 64);
  p.kv_heads = 3;
  EXPECT_EQ(test::message_of([&] { streaming_ledger(p); }),
            "kv_heads: got 3; accepted: a divisor of heads = 8");
}

TEST(CausalPairs, AreTheOnesVisibilityShows) {
  rc::check([] {
    const auto queries = *rc::gen::inRange<Index>(1, 20);
    const auto keys = *rc::gen::inRange<Index>(1, 20);
    for (const Alignment alignment : {Alignment::top_left, Alignment::bottom_right}) {
      const Visibility sees({.queries = queries, .keys = keys},
                            {.causal = true, .alignment = alignment});
      std::uint64_t pairs = 0;
      for (Index i = 0; i < queries; ++i)
        for (Index j = 0; j < keys; ++j)
          if (sees(0, 0, i, j)) ++pairs;
      RC_ASSERT(causal_pairs(static_cast<std::uint64_t>(queries), static_cast<std::uint64_t>(keys),
                             alignment)
                    .count() == pairs);
    }
  });
}

TEST(CausalPairs, HideSixEntriesOfFourByFour) {
  EXPECT_EQ(16 - causal_pairs(4, 4, Alignment::square).count(), 6u);
  EXPECT_THROW(causal_pairs(3, 4, Alignment::square), InputError);
}

TEST(CausalPairs, StayExactWhereSixtyFourBitsWouldWrap) {
  const std::uint64_t n = std::uint64_t{1} << 40;
  EXPECT_EQ(causal_pairs(n, n, Alignment::square).count(), Wide{n} * (n + 1) / 2);
}

TEST(Padding, CountsPairsOfRealTokens) {
  const std::array<std::uint64_t, 3> lengths{2048, 512, 512};
  const Padding p = padding(lengths, 2048);
  EXPECT_EQ(p.stored.count(), 3u * 2048 * 2048);
  EXPECT_EQ(p.useful.count(), 2048u * 2048 + 2 * 512 * 512);
}

}  // namespace
}  // namespace attest::estimator

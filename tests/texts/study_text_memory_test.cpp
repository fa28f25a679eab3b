// The bytes that the study-assistant chapter counts.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

#include "attention/visibility.h"
#include "estimator/attention_plan.h"

namespace attest::estimator {
namespace {

// Batch 1, self-attention over `tokens`, 2 bytes an element, model width 512.
AttentionPlan plan(std::uint64_t heads, std::uint64_t tokens) {
  const DType& f16 = find_dtype("f16");
  return {.batch = 1,
          .query_heads = heads,
          .kv_heads = heads,
          .queries = tokens,
          .keys = tokens,
          .width = 512 / heads,
          .value_width = 512 / heads,
          .dtype = &f16,
          .score_dtype = &f16};
}

const Line& line(const Ledger& ledger, const std::string& name) {
  for (const Line& candidate : ledger.lines())
    if (candidate.name == name) return candidate;
  throw std::runtime_error("no line " + name);
}

Wide score_mebibytes(const AttentionPlan& p) {
  return line(explicit_ledger(p), "scores").bytes().count() / (1 << 20);
}

TEST(ScoreTensor, TakesSixtyFourMebibytesAndFourTimesThatAtTwiceTheLength) {
  EXPECT_EQ(line(explicit_ledger(plan(8, 2048)), "scores").elements().count(), 33554432u);
  EXPECT_EQ(score_mebibytes(plan(8, 2048)), 64u);
  EXPECT_EQ(score_mebibytes(plan(8, 4096)), 256u);
}

// The exercise: sixteen heads. At one model width Q, K and V stay, and the scores double.
TEST(ScoreTensor, DoublesWithTheHeadsWhileQueriesKeysAndValuesStay) {
  EXPECT_EQ(score_mebibytes(plan(16, 2048)), 128u);
  EXPECT_EQ(score_mebibytes(plan(16, 4096)), 512u);
  for (const char* name : {"Q", "K", "V"})
    EXPECT_EQ(line(explicit_ledger(plan(16, 2048)), name).bytes(),
              line(explicit_ledger(plan(8, 2048)), name).bytes());
}

// A dense kernel stores what its mask hides: 32 MiB of numbers can be read, 64 MiB are stored.
TEST(ScoreTensor, IsNotHalvedByACausalMask) {
  const Elements visible = 8 * causal_pairs(2048, 2048, Alignment::square);
  const Elements stored = line(explicit_ledger(plan(8, 2048)), "scores").elements();
  EXPECT_EQ(visible.count(), 8u * 2048 * 2049 / 2);
  EXPECT_EQ(stored.count(), 8u * 2048 * 2048);
}

// One sequence of 2048 tokens and three of 512, padded to the longest: the mean is 896.
TEST(ScoreTensor, FollowsThePaddedLength) {
  AttentionPlan padded = plan(8, 2048);
  padded.batch = 4;
  EXPECT_EQ(score_mebibytes(padded), 4 * 64u);
  const Padding pairs = padding(std::array<std::uint64_t, 4>{2048, 512, 512, 512}, 2048);
  EXPECT_EQ(8 * pairs.stored, line(explicit_ledger(padded), "scores").elements());
  EXPECT_EQ(pairs.useful.count(), 2048u * 2048 + 3 * 512 * 512);
}

}  // namespace
}  // namespace attest::estimator

#include "attention/visibility.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/input_error.h"

namespace attest {
namespace {

using test::message_of;

// One line per query, '#' where the key is visible.
std::vector<std::string> picture(const Shape& s, const VisibilityRule& rule, Index b = 0,
                                 Index h = 0) {
  const Visibility sees(s, rule);
  std::vector<std::string> rows;
  for (Index i = 0; i < s.queries; ++i) {
    rows.emplace_back();
    for (Index j = 0; j < s.keys; ++j) rows.back() += sees(b, h, i, j) ? '#' : '.';
  }
  return rows;
}

using Rows = std::vector<std::string>;

TEST(Visibility, ShowsEveryKeyWithoutConditions) {
  EXPECT_EQ(picture({.queries = 2, .keys = 3}, {}), (Rows{"###", "###"}));
}

TEST(Visibility, CausalHidesTheFutureAndKeepsTheDiagonal) {
  EXPECT_EQ(picture({.queries = 4, .keys = 4}, {.causal = true}),
            (Rows{"#...", "##..", "###.", "####"}));
}

TEST(Visibility, TopLeftStartsBothSequencesTogether) {
  const VisibilityRule rule{.causal = true, .alignment = Alignment::top_left};
  EXPECT_EQ(picture({.queries = 2, .keys = 4}, rule), (Rows{"#...", "##.."}));
  EXPECT_EQ(picture({.queries = 4, .keys = 2}, rule), (Rows{"#.", "##", "##", "##"}));
}

TEST(Visibility, BottomRightEndsBothSequencesTogether) {
  const VisibilityRule rule{.causal = true, .alignment = Alignment::bottom_right};
  EXPECT_EQ(picture({.queries = 2, .keys = 4}, rule), (Rows{"###.", "####"}));
  EXPECT_EQ(picture({.queries = 4, .keys = 2}, rule), (Rows{"..", "..", "#.", "##"}));
}

TEST(Visibility, BottomRightFollowsEachSequencesOwnLength) {
  const std::array<Index, 2> lengths{4, 2};
  const VisibilityRule rule{
      .causal = true, .alignment = Alignment::bottom_right, .key_lengths = lengths};
  const Shape s{.batch = 2, .queries = 2, .keys = 4};
  EXPECT_EQ(picture(s, rule, 0), (Rows{"###.", "####"}));
  EXPECT_EQ(picture(s, rule, 1), (Rows{"#...", "##.."}));
}

TEST(Visibility, WindowEndsAreInclusive) {
  const Shape s{.queries = 4, .keys = 4};
  EXPECT_EQ(picture(s, {.window = {.left = 1, .right = 0}}),
            (Rows{"#...", "##..", ".##.", "..##"}));
  EXPECT_EQ(picture(s, {.window = {.left = 0, .right = 1}}),
            (Rows{"##..", ".##.", "..##", "...#"}));
  EXPECT_EQ(picture(s, {.window = {.left = 0, .right = 0}}),
            (Rows{"#...", ".#..", "..#.", "...#"}));
}

TEST(Visibility, AnAbsentWindowEndIsUnlimited) {
  const Shape s{.queries = 3, .keys = 3};
  EXPECT_EQ(picture(s, {.window = {.left = {}, .right = 0}}), (Rows{"#..", "##.", "###"}));
  EXPECT_EQ(picture(s, {.window = {.left = 0, .right = {}}}), (Rows{"###", ".##", "..#"}));
}

TEST(Visibility, LengthsHidePadding) {
  const std::array<Index, 3> lengths{3, 1, 0};
  const Shape s{.batch = 3, .queries = 1, .keys = 3};
  EXPECT_EQ(picture(s, {.key_lengths = lengths}, 0), (Rows{"###"}));
  EXPECT_EQ(picture(s, {.key_lengths = lengths}, 1), (Rows{"#.."}));
  EXPECT_EQ(picture(s, {.key_lengths = lengths}, 2), (Rows{"..."}));
}

TEST(Visibility, ConditionsIntersect) {
  const std::array<std::uint8_t, 4> allow{0, 1, 1, 1};
  const std::array<Index, 1> lengths{3};
  const VisibilityRule rule{
      .causal = true,
      .window = {.left = 1, .right = {}},
      .key_lengths = lengths,
      .allow = TensorView<const std::uint8_t>(std::span(allow), {1, 1, 1, 4})};
  EXPECT_EQ(picture({.queries = 4, .keys = 4}, rule), (Rows{"....", ".#..", ".##.", "..#."}));
}

TEST(Visibility, AllowMasksAreReadPerBatchHeadQueryAndKey) {
  const Shape s{.batch = 2, .query_heads = 2, .queries = 2, .keys = 2};
  std::array<std::uint8_t, 16> allow{};
  for (std::size_t n = 0; n < 16; ++n) allow[n] = 1;
  allow[0 * 8 + 1 * 4 + 1 * 2 + 0] = 0;  // batch 0, head 1, query 1, key 0
  const VisibilityRule rule{.allow =
                                TensorView<const std::uint8_t>(std::span(allow), {2, 2, 2, 2})};
  EXPECT_EQ(picture(s, rule, 0, 0), (Rows{"##", "##"}));
  EXPECT_EQ(picture(s, rule, 0, 1), (Rows{"##", ".#"}));
  EXPECT_EQ(picture(s, rule, 1, 1), (Rows{"##", "##"}));
}

TEST(Visibility, AnAxisOfExtentOneIsBroadcast) {
  const Shape s{.batch = 2, .query_heads = 3, .queries = 2, .keys = 2};
  const std::array<std::uint8_t, 4> per_key_of_batch{1, 0, 0, 1};
  const VisibilityRule rule{
      .allow = TensorView<const std::uint8_t>(std::span(per_key_of_batch), {2, 1, 1, 2})};
  for (Index h = 0; h < 3; ++h) {
    EXPECT_EQ(picture(s, rule, 0, h), (Rows{"#.", "#."}));
    EXPECT_EQ(picture(s, rule, 1, h), (Rows{".#", ".#"}));
  }
}

TEST(Visibility, SquareAlignmentRefusesUnequalCountsAndNamesTheAlternatives) {
  const Shape s{.queries = 2, .keys = 3};
  for (const VisibilityRule& rule :
       {VisibilityRule{.causal = true}, VisibilityRule{.window = {.left = 1, .right = {}}}}) {
    const std::string line = message_of([&] { Visibility(s, rule); });
    EXPECT_NE(line.find("2 queries and 3 keys"), std::string::npos) << line;
    EXPECT_NE(line.find("top_left"), std::string::npos) << line;
    EXPECT_NE(line.find("bottom_right"), std::string::npos) << line;
  }
}

TEST(Visibility, RefusesWindowsLengthsAndMasksOutOfRange) {
  const Shape s{.batch = 2, .queries = 2, .keys = 2};
  const std::array<Index, 1> one{2};
  const std::array<Index, 2> long_one{2, 3};
  const std::array<Index, 2> negative{-1, 2};
  const std::array<std::uint8_t, 4> two{1, 1, 2, 1};
  const auto refused = [&](const VisibilityRule& rule) {
    return message_of([&] { Visibility(s, rule); });
  };
  EXPECT_EQ(refused({.window = {.left = -1, .right = {}}}),
            "window.left: got -1; accepted: a count of 0 or more, or no limit");
  EXPECT_EQ(refused({.window = {.left = {}, .right = -2}}),
            "window.right: got -2; accepted: a count of 0 or more, or no limit");
  EXPECT_EQ(refused({.key_lengths = one}),
            "key_lengths: got 1 lengths; accepted: one per batch entry, 2");
  EXPECT_EQ(refused({.key_lengths = long_one}), "key_lengths[1]: got 3; accepted: 0 to keys = 2");
  EXPECT_EQ(refused({.key_lengths = negative}), "key_lengths[0]: got -1; accepted: 0 to keys = 2");
  EXPECT_EQ(refused({.allow = TensorView<const std::uint8_t>(std::span(two), {1, 1, 2, 2})}),
            "allow(0, 0, 1, 0): got 2; accepted: a boolean: 1 (visible) or 0 (hidden)");
  EXPECT_EQ(refused({.allow = TensorView<const std::uint8_t>(std::span(two), {1, 1, 1, 4})}),
            "allow: got shape (1, 1, 1, 4); accepted: (batch, query_heads, queries, keys) = "
            "(2, 1, 2, 2), with 1 for an axis that is broadcast");
}

TEST(MaskConversions, TheTwoPyTorchConventionsAreOpposite) {
  const std::array<bool, 3> mask{true, false, true};
  std::array<std::uint8_t, 3> sdpa{};
  std::array<std::uint8_t, 3> multihead{};
  allow_from_sdpa_mask(mask, sdpa);
  allow_from_multihead_mask(mask, multihead);
  EXPECT_EQ(sdpa, (std::array<std::uint8_t, 3>{1, 0, 1}));
  EXPECT_EQ(multihead, (std::array<std::uint8_t, 3>{0, 1, 0}));
}

}  // namespace
}  // namespace attest

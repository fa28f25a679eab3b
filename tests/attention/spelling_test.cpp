#include "attention/spelling.h"

#include <gtest/gtest.h>

#include <array>

namespace attest {
namespace {

constexpr std::array<std::string_view, 5> words = {"f16", "bf16", "square", "top_left",
                                                   "bottom_right"};

TEST(DidYouMean, NamesTheNearestFirst) {
  EXPECT_EQ(did_you_mean("f61", words), "; did you mean f16?");
  EXPECT_EQ(did_you_mean("b16", words), "; did you mean f16 or bf16?");
  EXPECT_EQ(did_you_mean("bottom-right", words), "; did you mean bottom_right?");
  EXPECT_EQ(did_you_mean("SQAURE", words), "; did you mean square?");
}

TEST(DidYouMean, SaysNothingWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean("q8_0", words), "");
  EXPECT_EQ(did_you_mean("", words), "");
  EXPECT_EQ(did_you_mean(std::string(100000, 'f'), words), "");
}

TEST(Listed, SeparatesByCommas) {
  EXPECT_EQ(listed(words), "f16, bf16, square, top_left, bottom_right");
  EXPECT_EQ(listed({}), "");
}

}  // namespace
}  // namespace attest

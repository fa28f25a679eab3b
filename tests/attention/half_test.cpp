#include "attention/half.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <limits>

namespace attest {
namespace {

template <class F>
void for_every_pattern(F visit) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) visit(static_cast<std::uint16_t>(bits));
}

#ifdef __FLT16_MANT_DIG__  // this compiler has a half of its own for this machine
std::uint32_t word(float x) { return std::bit_cast<std::uint32_t>(x); }

TEST(Float16, WidensEveryPatternAsTheCompilersOwnHalfDoes) {
  for_every_pattern([](std::uint16_t bits) {
    const auto theirs = static_cast<float>(std::bit_cast<_Float16>(bits));
    const float ours = Float16{bits}.to_float();
    if (std::isnan(theirs))
      ASSERT_TRUE(std::isnan(ours)) << bits;
    else
      ASSERT_EQ(word(ours), word(theirs)) << bits;
  });
}

TEST(Float16, RoundsAsTheCompilersOwnHalfDoes) {
  rc::check("any float pattern", [](std::uint32_t pattern) {
    const auto value = std::bit_cast<float>(pattern);
    const auto theirs = std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    if (std::isnan(value))
      RC_ASSERT(std::isnan(Float16::from_float(value).to_float()));
    else
      RC_ASSERT(Float16::from_float(value).bits == theirs);
  });
}
#endif

// Around every representable value lie the points where rounding can go wrong: the value itself,
// the midpoint to its neighbour, and one float to each side of that.
TEST(Float16, RoundsEveryMidpointToEven) {
  for_every_pattern([](std::uint16_t bits) {
    if ((bits & 0x7fff) >= 0x7bff) return;  // no finite neighbour above
    const float low = Float16{bits}.to_float();
    const float high = Float16{static_cast<std::uint16_t>(bits + 1)}.to_float();
    const float middle = low + (high - low) / 2;  // exact: eleven bits and one more
    const std::uint16_t even = bits % 2 == 0 ? bits : static_cast<std::uint16_t>(bits + 1);
    ASSERT_EQ(Float16::from_float(low).bits, bits);
    ASSERT_EQ(Float16::from_float(middle).bits, even);
    ASSERT_EQ(Float16::from_float(std::nextafter(middle, low)).bits, bits);
    ASSERT_EQ(Float16::from_float(std::nextafter(middle, high)).bits, bits + 1);
  });
}

TEST(Float16, OverflowsToInfinityFrom65520On) {
  EXPECT_EQ(Float16::from_float(std::nextafter(65520.0f, 0.0f)).bits, 0x7bff);
  EXPECT_EQ(Float16::from_float(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Float16::from_float(-65520.0f).bits, 0xfc00);
  EXPECT_EQ(Float16::from_float(std::numeric_limits<float>::infinity()).bits, 0x7c00);
}

TEST(BFloat16, KeepsEveryPattern) {
  for_every_pattern([](std::uint16_t bits) {
    const float wide = BFloat16{bits}.to_float();
    if (std::isnan(wide))
      ASSERT_TRUE(std::isnan(BFloat16::from_float(wide).to_float())) << bits;
    else
      ASSERT_EQ(BFloat16::from_float(wide).bits, bits);
  });
}

TEST(BFloat16, RoundsToNearestEven) {
  rc::check("the nearer neighbour, or the even one", [](std::uint32_t pattern) {
    const auto value = std::bit_cast<float>(pattern);
    RC_PRE(std::isfinite(value));
    const std::uint32_t below = pattern & 0xffff0000u;
    const std::uint32_t rest = pattern & 0xffffu;
    const std::uint32_t up = rest > 0x8000u || (rest == 0x8000u && (below & 0x10000u)) ? 1 : 0;
    RC_ASSERT(BFloat16::from_float(value).bits == (below >> 16) + up);
  });
}

TEST(BFloat16, KeepsASignallingNaNANaN) {
  const auto signalling = std::bit_cast<float>(0x7f800001u);
  EXPECT_TRUE(std::isnan(BFloat16::from_float(signalling).to_float()));
}

TEST(Accumulator, IsFloatForSixteenBitsAndTheTypeItselfOtherwise) {
  static_assert(std::is_same_v<Accumulator<Float16>, float>);
  static_assert(std::is_same_v<Accumulator<BFloat16>, float>);
  static_assert(std::is_same_v<Accumulator<float>, float>);
  static_assert(std::is_same_v<Accumulator<double>, double>);
}

}  // namespace
}  // namespace attest

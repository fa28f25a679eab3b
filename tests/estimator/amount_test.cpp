#include "estimator/amount.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "tests/support/input_error.h"

namespace attest::estimator {
namespace {

constexpr Wide largest = (Wide{1} << 127) - 1;

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Multipliable = requires(A a, B b) {
  a* b;
};

TEST(Amount, OnlyMeaningfulArithmeticCompiles) {
  static_assert(Addable<Bytes, Bytes>);
  static_assert(Multipliable<Bytes, Wide>);
  static_assert(!Addable<Bytes, Elements>);
  static_assert(!Multipliable<Bytes, Bytes>);
  static_assert(!Multipliable<Bytes, Elements>);
  static_assert(!std::is_convertible_v<Wide, Bytes>);
}

TEST(Amount, IsExactFarBeyondSixtyFourBits) {
  EXPECT_EQ(to_string(Bytes::of(~std::uint64_t{0}) * (Wide{1} << 63)),
            "170141183460469231722463931679029329920");
  EXPECT_LT(Bytes::of(largest - 1), Bytes::of(largest));
}

TEST(Amount, RefusesToLeaveItsRangeSilently) {
  const auto line = [](auto action) { return test::message_of(action); };
  const std::string expected =
      "bytes: got more than 2^127 - 1; accepted: a plan whose amounts stay below 2^127";
  EXPECT_EQ(line([] { Bytes::of(largest + 1); }), expected);
  EXPECT_EQ(line([] { Bytes::of(largest) + Bytes::of(1); }), expected);
  EXPECT_EQ(line([] { Bytes::of(Wide{1} << 64) * (Wide{1} << 63); }), expected);
  EXPECT_EQ(line([] { Bytes::of(Wide{1} << 100) * (Wide{1} << 100); }), expected);
  EXPECT_EQ(line([] {
              product({~std::uint64_t{0}, ~std::uint64_t{0}});
            }).find("elements: got more than 2^127 - 1"),
            0u);
  EXPECT_NO_THROW(Bytes::of(largest) + Bytes::of(0));
}

TEST(Product, MultipliesExtents) {
  EXPECT_EQ(product({}).count(), 1u);
  EXPECT_EQ(product({1, 8, 2048, 2048}).count(), 33554432u);
  EXPECT_EQ(product({5, 0}).count(), 0u);
}

struct Printed {
  Wide bytes;
  const char* text;
};

TEST(BinaryUnits, ShowAtMostTwoDecimalsRoundedToNearest) {
  const Printed cases[] = {{0, "0 B"},
                           {1023, "1023 B"},
                           {1024, "1 KiB"},
                           {1536, "1.5 KiB"},
                           {67108864, "64 MiB"},
                           {268435456, "256 MiB"},
                           {Wide{1342177280}, "1.25 GiB"},
                           {1034, "1.01 KiB"},
                           {1029, "1 KiB"},     // 1.00488
                           {1048575, "1 MiB"},  // 1023.999 KiB rounds up a unit
                           {1048064, "1023.5 KiB"},
                           {16908288, "16.12 MiB"},  // 16.125: the tie goes to the even digit
                           {Wide{1} << 80, "1 YiB"},
                           {largest, "140737488355328 YiB"}};
  for (const Printed& c : cases)
    EXPECT_EQ(in_binary_units(Bytes::of(c.bytes)), c.text) << to_string(c.bytes);
}

}  // namespace
}  // namespace attest::estimator

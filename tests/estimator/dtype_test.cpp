#include "estimator/dtype.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/input_error.h"

namespace attest::estimator {
namespace {

struct Fraction {
  const char* name;
  std::uint32_t numerator;
  std::uint32_t denominator;
};

// Bytes per element as ggml's block structures and the formats' own specifications have them.
constexpr Fraction fractions[] = {
    {"f64", 8, 1},        {"f32", 4, 1},      {"f16", 2, 1},        {"bf16", 2, 1},
    {"f8_e4m3", 1, 1},    {"f8_e5m2", 1, 1},  {"i64", 8, 1},        {"i32", 4, 1},
    {"i16", 2, 1},        {"i8", 1, 1},       {"u8", 1, 1},         {"bool", 1, 1},
    {"i4", 1, 2},         {"q1_0", 9, 64},    {"q4_0", 18, 32},     {"q4_1", 20, 32},
    {"q5_0", 22, 32},     {"q5_1", 24, 32},   {"q8_0", 34, 32},     {"q8_1", 36, 32},
    {"iq4_nl", 18, 32},   {"mxfp4", 17, 32},  {"nvfp4", 36, 64},    {"q2_k", 84, 256},
    {"q3_k", 110, 256},   {"q4_k", 144, 256}, {"q5_k", 176, 256},   {"q6_k", 210, 256},
    {"q8_k", 292, 256},   {"iq1_s", 50, 256}, {"iq1_m", 56, 256},   {"iq2_xxs", 66, 256},
    {"iq2_xs", 74, 256},  {"iq2_s", 82, 256}, {"iq3_xxs", 98, 256}, {"iq3_s", 110, 256},
    {"iq4_xs", 136, 256}, {"tq1_0", 54, 256}, {"tq2_0", 66, 256}};

TEST(DType, HasTheExactSizeOfItsFormat) {
  std::set<std::string_view> tested;
  for (const Fraction& f : fractions) {
    const DType& dtype = find_dtype(f.name);
    EXPECT_EQ(dtype.block_bytes * f.denominator, dtype.block_elements * f.numerator) << f.name;
    tested.insert(f.name);
  }
  for (const DType& dtype : dtypes()) EXPECT_TRUE(tested.contains(dtype.name)) << dtype.name;
}

TEST(DType, IsFoundByEverySpellingInUse) {
  for (const char* name : {"f16", "F16", "float16", "half", "fp16", "torch.float16", "Float16"})
    EXPECT_EQ(find_dtype(name).name, "f16") << name;
  for (const char* name : {"bf16", "BF16", "bfloat16", "torch.bfloat16"})
    EXPECT_EQ(find_dtype(name).name, "bf16") << name;
  for (const char* name : {"fp8", "F8_E4M3", "float8_e4m3fn", "torch.float8_e4m3fn"})
    EXPECT_EQ(find_dtype(name).name, "f8_e4m3") << name;
  EXPECT_EQ(find_dtype("Q4_K").name, "q4_k");
  EXPECT_EQ(find_dtype("torch.float32").name, "f32");
  EXPECT_EQ(find_dtype("MXFP4").name, "mxfp4");
}

TEST(DType, RefusesAnUnknownNameWithTheNearest) {
  const std::string line = test::message_of([] { find_dtype("flaot16", "--dtype"); });
  EXPECT_EQ(line.find("--dtype: got \"flaot16\"; accepted: f64, f32, f16, bf16, "), 0u) << line;
  EXPECT_NE(line.find("did you mean float16"), std::string::npos) << line;
  EXPECT_NE(test::message_of([] { find_dtype("q8_O"); }).find("did you mean q8_0"),
            std::string::npos);
  EXPECT_THROW(find_dtype(""), InputError);
  EXPECT_THROW(find_dtype("torch."), InputError);
}

TEST(DType, WritesItsSizeAsItStandsInAFormula) {
  EXPECT_EQ(find_dtype("f16").bytes_per_element(), "2");
  EXPECT_EQ(find_dtype("q8_0").bytes_per_element(), "34/32");
}

TEST(SizeOf, IsExactForWholeBlocks) {
  EXPECT_EQ(size_of(Elements::of(64), find_dtype("q8_0")).count(), 68u);
  EXPECT_EQ(size_of(Elements::of(256), find_dtype("q6_k")).count(), 210u);
  EXPECT_EQ(size_of(Elements::of(10), find_dtype("i4")).count(), 5u);
  EXPECT_EQ(size_of(Elements::of(0), find_dtype("f32")).count(), 0u);
}

TEST(SizeOf, RefusesPartsOfABlock) {
  EXPECT_EQ(test::message_of([] { size_of(Elements::of(33), find_dtype("q8_0")); }),
            "elements: got 33; accepted: whole q8_0 blocks of 32 elements");
}

}  // namespace
}  // namespace attest::estimator

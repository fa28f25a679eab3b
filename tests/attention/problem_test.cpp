#include "attention/problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "tests/support/input_error.h"
#include "tests/support/run_kernels.h"

namespace attest {
namespace {

using test::message_of;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

OwnedProblem<double> two_by_two() {
  OwnedProblem<double> p;
  p.q = {{1, 0}, {0, 1}};
  p.k = {{1, 0}, {0, 1}};
  p.v = {{10, 0}, {0, 20}};
  return p;
}

struct Refusal {
  const char* name;
  std::function<void(OwnedProblem<double>&)> spoil;
  const char* line;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class ProblemRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(ProblemRefuses, InOneLineThatNamesTheField) {
  OwnedProblem<double> p = two_by_two();
  ASSERT_NO_THROW(Problem<double>(p.spec()));
  GetParam().spoil(p);
  EXPECT_EQ(message_of([&] { Problem<double>(p.spec()); }), GetParam().line);
}

const Refusal refusals[] = {
    {"WidthMismatch",
     [](auto& p) {
       p.k = {{1}, {0}};
     },
     "k width: got 1; accepted: 2, as in q"},
    {"KeyAndValueCounts",
     [](auto& p) {
       p.v = {{1, 2}};
     },
     "v keys: got 1; accepted: 2, as in k (each key has one value)"},
    {"UnequalKeyBatch",
     [](auto& p) {
       p.q = Tensor<double>({2, 1, 2, 2});
     },
     "k batch: got 1; accepted: 2, as in q (no batch is broadcast)"},
    {"UnequalValueBatch",
     [](auto& p) {
       p.v = Tensor<double>({3, 1, 2, 2});
     },
     "v batch: got 3; accepted: 1, as in q (no batch is broadcast)"},
    {"ValueHeads",
     [](auto& p) {
       p.v = Tensor<double>({1, 2, 2, 2});
     },
     "v kv_heads: got 2; accepted: 1, as in k"},
    {"HeadsThatDoNotDivide",
     [](auto& p) {
       p.q = Tensor<double>({1, 3, 2, 2});
       p.k = p.v = Tensor<double>({1, 2, 2, 2});
     },
     "query_heads: got 3; accepted: a multiple of kv_heads = 2"},
    {"NaNQuery", [](auto& p) { p.q.elements[3] = nan; },
     "q(0, 0, 1, 1): got nan; accepted: a finite number"},
    {"InfiniteKey", [](auto& p) { p.k.elements[2] = -infinity; },
     "k(0, 0, 1, 0): got -inf; accepted: a finite number"},
    {"InfiniteValue", [](auto& p) { p.v.elements[1] = infinity; },
     "v(0, 0, 0, 1): got inf; accepted: a finite number"},
    {"CausalWithUnequalCounts",
     [](auto& p) {
       p.q = {{0, 0}};
       p.causal = true;
     },
     "causal: got 1 queries and 2 keys under square alignment; accepted: equal counts, or a "
     "declared alignment: top_left or bottom_right"},
    {"AlibiWithUnequalCounts",
     [](auto& p) {
       p.q = {{0, 0}};
       p.alibi_slopes = {0.5};
     },
     "alibi_slopes: got 1 queries and 2 keys under square alignment; accepted: equal counts, or a "
     "declared alignment: top_left or bottom_right"},
    {"InfiniteScale", [](auto& p) { p.scale = infinity; },
     "scale: got inf; accepted: a finite number"},
    {"ZeroSoftcap", [](auto& p) { p.softcap = 0.0; },
     "softcap: got 0.000000; accepted: a finite number above 0"},
    {"NaNSoftcap", [](auto& p) { p.softcap = nan; },
     "softcap: got nan; accepted: a finite number above 0"},
    {"NaNBias",
     [](auto& p) {
       p.bias = Tensor<double>{{0, 0}, {nan, 0}};
     },
     "bias(0, 0, 1, 0): got nan; accepted: a finite number, or -infinity to hide the pair"},
    {"PositiveInfiniteBias",
     [](auto& p) {
       p.bias = Tensor<double>{{infinity, 0}, {0, 0}};
     },
     "bias(0, 0, 0, 0): got inf; accepted: a finite number, or -infinity to hide the pair"},
    {"BiasOfAnotherShape",
     [](auto& p) {
       p.bias = Tensor<double>{{0, 0, 0}};
     },
     "bias: got shape (1, 1, 1, 3); accepted: (batch, query_heads, queries, keys) = (1, 1, 2, 2), "
     "with 1 for an axis that is broadcast"},
    {"SlopesPerHead",
     [](auto& p) {
       p.alibi_slopes = {1, 2};
     },
     "alibi_slopes: got 2 values; accepted: one per query head, 1"},
    {"InfiniteSink", [](auto& p) { p.sinks = {-infinity}; },
     "sinks[0]: got -inf; accepted: a finite number"},
    {"AllowThatIsNotBoolean",
     [](auto& p) {
       p.allow = Tensor<std::uint8_t>{{1, 255}};
     },
     "allow(0, 0, 0, 1): got 255; accepted: a boolean: 1 (visible) or 0 (hidden)"},
    {"EveryKeyHidden",
     [](auto& p) {
       p.allow = Tensor<std::uint8_t>{{0, 0}, {0, 0}};
     },
     "visibility: got no visible key for query 0 of batch 0, head 0; accepted: a visible key in "
     "every row, or empty_row = zero or nan"},
    {"RowHiddenByCausalAndAllowTogether",
     [](auto& p) {
       p.causal = true;
       p.allow = Tensor<std::uint8_t>{{0, 1}, {1, 1}};
     },
     "visibility: got no visible key for query 0 of batch 0, head 0; accepted: a visible key in "
     "every row, or empty_row = zero or nan"},
    {"RowHiddenByBias",
     [](auto& p) {
       p.bias = Tensor<double>{{0, 0}, {-infinity, -infinity}};
     },
     "visibility: got no visible key for query 1 of batch 0, head 0; accepted: a visible key in "
     "every row, or empty_row = zero or nan"},
    {"RowHiddenByLength", [](auto& p) { p.key_lengths = {0}; },
     "visibility: got no visible key for query 0 of batch 0, head 0; accepted: a visible key in "
     "every row, or empty_row = zero or nan"},
};

INSTANTIATE_TEST_SUITE_P(All, ProblemRefuses, testing::ValuesIn(refusals),
                         [](const auto& param_info) { return param_info.param.name; });

TEST(Problem, RefusesATensorThatIsNotGiven) {
  EXPECT_EQ(message_of([] { Problem<float>(ProblemSpec<float>{}); }),
            "q: got no tensor; accepted: a tensor of rank 4");
}

TEST(Problem, AcceptsAnEmptyRowUnderADeclaredConventionOrWithASink) {
  OwnedProblem<double> p = two_by_two();
  p.allow = Tensor<std::uint8_t>{{0, 0}, {1, 1}};
  p.empty_row = EmptyRow::zero;
  EXPECT_NO_THROW(Problem<double>(p.spec()));
  p.empty_row = EmptyRow::nan;
  EXPECT_NO_THROW(Problem<double>(p.spec()));
  p.empty_row = EmptyRow::error;
  p.sinks = {0.0};
  EXPECT_NO_THROW(Problem<double>(p.spec()));
}

TEST(Problem, TakesAnythingUncheckedInElementsOnly) {
  OwnedProblem<double> p = two_by_two();
  p.k.elements[0] = nan;
  EXPECT_NO_THROW(Problem<double>(p.spec(), Contents::unchecked));
  p.scale = nan;
  EXPECT_THROW(Problem<double>(p.spec(), Contents::unchecked), InputError);
}

TEST(Problem, RefusesAScaleThatTheAccumulatorCannotHold) {
  OwnedProblem<float> p = test::uniform_problem<float>({}, 1);
  p.scale = 1e39;
  EXPECT_THROW(Problem<float>(p.spec()), InputError);
  p.scale.reset();
  p.softcap = 1e-60;  // zero in float
  EXPECT_THROW(Problem<float>(p.spec()), InputError);
}

TEST(Tensor, RefusesRaggedAndMissingRows) {
  EXPECT_EQ(message_of([] {
              Tensor<float>({{1, 2}, {3}});
            }),
            "row: got 1 numbers; accepted: 2 numbers, as in the first row");
  EXPECT_EQ(
      message_of([] { Tensor<float>(std::initializer_list<std::initializer_list<float>>{}); }),
      "rows: got none; accepted: one row or more, of one number or more");
  EXPECT_EQ(message_of([] { Tensor<float>({std::initializer_list<float>{}}); }),
            "rows: got none; accepted: one row or more, of one number or more");
}

TEST(Shape, NamesTheExtentThatIsNotPositive) {
  for (Index bad : {Index{0}, Index{-3}}) {
    const std::string got = "got " + std::to_string(bad) + ";";
    EXPECT_EQ(message_of([&] { validate(Shape{.batch = bad}); }).find("batch: " + got), 0u);
    EXPECT_EQ(message_of([&] { validate(Shape{.query_heads = bad}); }).find("query_heads: " + got),
              0u);
    EXPECT_EQ(message_of([&] { validate(Shape{.kv_heads = bad}); }).find("kv_heads: " + got), 0u);
    EXPECT_EQ(message_of([&] { validate(Shape{.queries = bad}); }).find("queries: " + got), 0u);
    EXPECT_EQ(message_of([&] { validate(Shape{.keys = bad}); }).find("keys: " + got), 0u);
    EXPECT_EQ(message_of([&] { validate(Shape{.width = bad}); }).find("width: " + got), 0u);
    EXPECT_EQ(message_of([&] { validate(Shape{.value_width = bad}); }).find("value_width: " + got),
              0u);
  }
}

TEST(Shape, RefusesAnArrayThatNoIndexCanReach) {
  EXPECT_EQ(message_of([] { validate(Shape{.batch = Index{1} << 40, .queries = Index{1} << 23}); }),
            "scores: got more than 2^62 elements; accepted: at most 2^62 elements");
  EXPECT_NO_THROW(validate(Shape{.batch = Index{1} << 40, .queries = Index{1} << 22}));
}

TEST(Shape, PrintsEveryExtent) {
  EXPECT_EQ(to_string(Shape{.batch = 1,
                            .query_heads = 8,
                            .kv_heads = 2,
                            .queries = 3,
                            .keys = 4,
                            .width = 5,
                            .value_width = 6}),
            "B1 Hq8 Hkv2 Nq3 Nk4 d5 dv6");
}

TEST(TensorView, ReachesElementsThroughAnyStrides) {
  const std::vector<float> storage{0, 1, 2, 3, 4, 5};
  const TensorView<const float> rows(storage, {1, 1, 2, 3});
  const TensorView<const float> transposed(storage, {1, 1, 3, 2}, {6, 6, 1, 3}, 0);
  const TensorView<const float> reversed(storage, {1, 1, 2, 3}, {6, 6, -3, -1}, 5);
  const TensorView<const float> repeated(storage, {4, 1, 2, 3}, {0, 0, 3, 1}, 0);
  EXPECT_EQ(rows(0, 0, 1, 2), 5);
  EXPECT_EQ(transposed(0, 0, 2, 1), 5);
  EXPECT_EQ(reversed(0, 0, 0, 0), 5);
  EXPECT_EQ(reversed(0, 0, 1, 2), 0);
  EXPECT_EQ(repeated(3, 0, 1, 1), 4);
}

TEST(TensorView, RefusesViewsThatLeaveTheirStorage) {
  const std::vector<float> storage(6);
  const auto strided = [&](Strides strides, Index offset) {
    return message_of([&] {
      TensorView<const float>(storage, {1, 1, 2, 3}, strides, offset, "k");
    });
  };
  EXPECT_EQ(strided({0, 0, 4, 1}, 0),
            "k: got elements 0 to 6; accepted: elements inside the storage, 0 to 5");
  EXPECT_EQ(strided({0, 0, -3, 1}, 2),
            "k: got elements -1 to 4; accepted: elements inside the storage, 0 to 5");
  EXPECT_EQ(strided({0, 0, std::numeric_limits<Index>::max(), 1}, 1),
            "k: got strides beyond 2^63; accepted: elements inside the storage");
  EXPECT_EQ(message_of([&] {
              TensorView<const float>(storage, {1, 1, 2, 2}, "k");
            }),
            "k: got 6 elements; accepted: 4 elements for (1, 1, 2, 2)");
  EXPECT_EQ(message_of([&] {
              TensorView<const float>(storage, {1, 1, 0, 3}, "k");
            }),
            "k: got (1, 1, 0, 3); accepted: extents of 1 or more");
}

}  // namespace
}  // namespace attest

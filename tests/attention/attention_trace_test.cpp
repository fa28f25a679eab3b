#include "attention/attention_trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/input_error.h"
#include "tests/support/run_kernels.h"

namespace attest {
namespace {

using test::run_explicit;
using test::uniform_problem;

constexpr double infinity = std::numeric_limits<double>::infinity();

OwnedProblem<double> with_every_option() {
  OwnedProblem<double> p = uniform_problem<double>({.batch = 2,
                                                    .query_heads = 4,
                                                    .kv_heads = 2,
                                                    .queries = 4,
                                                    .keys = 5,
                                                    .width = 3,
                                                    .value_width = 2},
                                                   21);
  p.causal = true;
  p.alignment = Alignment::bottom_right;
  p.window = {.left = 2, .right = {}};
  p.key_lengths = {5, 3};
  p.bias = Tensor<double>({1, 1, 4, 5}, 0.25);
  p.bias->elements[7] = -infinity;
  p.softcap = 1.5;
  p.alibi_slopes = {0.5, 0.25, 0.125, 0.0625};
  p.empty_row = EmptyRow::zero;
  return p;
}

void expect_bitwise_the_kernels(const OwnedProblem<double>& p) {
  const Problem<double> problem(p.spec());
  const auto r = run_explicit(problem);
  const Shape& s = problem.shape();
  for (Index b = 0; b < s.batch; ++b)
    for (Index h = 0; h < s.query_heads; ++h)
      for (Index i = 0; i < s.queries; ++i) {
        const RowTrace row = trace_row(problem, b, h, i);
        for (Index j = 0; j < s.keys; ++j)
          ASSERT_EQ(row.weights[static_cast<std::size_t>(j)], r.weights.view()(b, h, i, j));
        for (Index c = 0; c < s.value_width; ++c)
          ASSERT_EQ(row.output[static_cast<std::size_t>(c)], r.output.view()(b, h, i, c));
        ASSERT_EQ(row.lse, r.lse.view()(b, h, i, 0));
      }
}

TEST(AttentionTrace, EndsInTheExplicitKernelsBits) {
  OwnedProblem<double> p = with_every_option();
  expect_bitwise_the_kernels(p);
  p.sinks = {0.5, -0.5, 2, 30};
  expect_bitwise_the_kernels(p);
  p.head_map = HeadMap::interleaved;
  expect_bitwise_the_kernels(p);
}

TEST(AttentionTrace, ShowsEachStepOfTheArithmetic) {
  OwnedProblem<double> p;
  p.q = {{2, 1}};
  p.k = {{1, 0}, {0, 4}, {3, 3}};
  p.v = {{1}, {2}, {4}};
  p.scale = 0.5;
  p.softcap = 2;
  p.bias = Tensor<double>{{0.5, 0, -infinity}};
  p.alibi_slopes = {1};
  p.alignment = Alignment::bottom_right;
  const RowTrace row = trace_row(Problem<double>(p.spec()), 0, 0, 0);
  using Values = std::vector<double>;
  EXPECT_EQ(row.products, (Values{2, 4, 9}));
  EXPECT_EQ(row.scaled, (Values{1, 2, 4.5}));
  EXPECT_EQ(row.capped, (Values{2 * std::tanh(0.5), 2 * std::tanh(1.0), 2 * std::tanh(2.25)}));
  EXPECT_EQ(row.biased, (Values{row.capped[0] + 0.5, row.capped[1], -infinity}));
  EXPECT_EQ(row.sloped, (Values{row.biased[0] - 2, row.biased[1] - 1, -infinity}));
  EXPECT_EQ(row.masked, row.sloped);
  EXPECT_EQ(row.max, row.sloped[1]);
  EXPECT_EQ(row.shifted, (Values{row.sloped[0] - row.max, 0, -infinity}));
  EXPECT_EQ(row.exponentials, (Values{std::exp(row.shifted[0]), 1, 0}));
  EXPECT_EQ(row.sum, row.exponentials[0] + 1);
  EXPECT_EQ(row.weights, (Values{row.exponentials[0] / row.sum, 1 / row.sum, 0}));
}

TEST(AttentionTrace, KeepsTheScoreOfAHiddenKeyBesideItsMask) {
  OwnedProblem<double> p;
  p.q = {{1}, {1}};
  p.k = {{1}, {5}};
  p.v = {{1}, {2}};
  p.causal = true;
  const RowTrace row = trace_row(Problem<double>(p.spec()), 0, 0, 0);
  EXPECT_EQ(row.sloped[1], 5);
  EXPECT_EQ(row.masked[1], -infinity);
  EXPECT_EQ(row.output[0], 1);
}

TEST(AttentionTrace, RefusesAPositionOutsideTheProblem) {
  const OwnedProblem<double> p = uniform_problem<double>({.batch = 2, .queries = 3, .keys = 3}, 1);
  const Problem<double> problem(p.spec());
  EXPECT_EQ(test::message_of([&] { trace_row(problem, 2, 0, 0); }),
            "batch: got 2; accepted: 0 to 1");
  EXPECT_EQ(test::message_of([&] { trace_row(problem, 0, -1, 0); }),
            "head: got -1; accepted: 0 to 0");
  EXPECT_EQ(test::message_of([&] { trace_row(problem, 0, 0, 3); }),
            "query: got 3; accepted: 0 to 2");
}

}  // namespace
}  // namespace attest

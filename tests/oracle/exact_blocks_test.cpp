#include "oracle/exact_blocks.h"

#include <gtest/gtest.h>

#include "oracle/exact_attention.h"
#include "tests/oracle/random_case.h"
#include "tests/oracle/real_matchers.h"

namespace attest::oracle {
namespace {

using oracle_test::agree_to_50_digits;
using oracle_test::Draw;

Rows identity(std::size_t width, double diagonal) {
  Rows rows(width, std::vector<double>(width, 0));
  for (std::size_t n = 0; n < width; ++n) rows[n][n] = diagonal;
  return rows;
}

Rows normal(Draw& draw, std::size_t count, std::size_t width) {
  Rows rows(count, std::vector<double>(width));
  for (auto& row : rows)
    for (double& x : row) x = draw.normal();
  return rows;
}

// The workbook's block: head one reads features 0 and 1, head two features 2 and 3, both as query,
// key and value; identity output, four ReLU features halved.
BlockWeights workbook_weights() {
  BlockWeights weights;
  weights.attention = {.heads = 2,
                       .q = identity(4, 1),
                       .k = identity(4, 1),
                       .v = identity(4, 1),
                       .out = identity(4, 1),
                       .q_bias = {},
                       .k_bias = {},
                       .v_bias = {},
                       .out_bias = {}};
  weights.feed_forward = {.expand = {{1, -1, 0, 0}, {0, 1, -1, 0}, {0, 0, 1, -1}, {-1, 0, 0, 1}},
                          .project = identity(4, 0.5),
                          .expand_bias = {},
                          .project_bias = {}};
  return weights;
}

const Rows workbook_input = {{1, 0, 1, 0}, {0, 1, 0, 1}, {1, 1, 0, 0}};

TEST(ExactBlocks, GiveTheWorkbookBlockToFiftyDigits) {
  const ExactHeads block = post_norm_block(exactly(workbook_input), workbook_weights(), true);
  // The workbook's formulas in Python's decimal at 80 digits, epsilon being the double 1e-5.
  const Real a("0.9999977777629630836761114566029150304484594862050831555126");
  const Real b("0.9999977777356465076292124375638969986015386611948690481685");
  for (std::size_t c = 0; c < 4; ++c) {
    const int sign = c % 2 == 0 ? 1 : -1;
    EXPECT_TRUE(agree_to_50_digits(block.output[0][c], sign * a));
    EXPECT_TRUE(agree_to_50_digits(block.output[1][c], -sign * b));
  }
  const std::vector<Real> last = {
      Real("1.347146636490091736830748815901877402909534886332397961687"),
      Real("0.5773485584957536014988923496722331726755149512853134121515"),
      Real("-0.9622475974929226691648205827870552877925249188088556869192"),
      Real("-0.9622475974929226691648205827870552877925249188088556869192")};
  for (std::size_t c = 0; c < 4; ++c) EXPECT_TRUE(agree_to_50_digits(block.output[2][c], last[c]));
  EXPECT_TRUE(
      agree_to_50_digits(block.weights[0][2][2],
                         Real("0.5034898434845538606136266209005915180367082258549905926548")));
  for (const Real& weight : block.weights[1][2])
    EXPECT_TRUE(agree_to_50_digits(weight, Real(1) / 3));
}

TEST(ExactBlocks, AttendAsTheOracleOfWholeProblemsDoes) {
  Draw draw(77);
  const Rows q = normal(draw, 5, 3), k = normal(draw, 5, 3), v = normal(draw, 5, 2);
  const auto flat = [](const Rows& rows) {
    std::vector<double> elements;
    for (const auto& row : rows) elements.insert(elements.end(), row.begin(), row.end());
    return elements;
  };
  const std::vector<double> qs = flat(q), ks = flat(k), vs = flat(v);
  ProblemSpec<double> spec;
  spec.q = {qs, {1, 1, 5, 3}};
  spec.k = {ks, {1, 1, 5, 3}};
  spec.v = {vs, {1, 1, 5, 2}};
  for (const bool causal : {false, true}) {
    spec.visibility.causal = causal;
    const ExactHead head = attend(exactly(q), exactly(k), exactly(v), causal);
    for (Index i = 0; i < 5; ++i) {
      const ExactRow row = ExactAttention<double>(spec).row(0, 0, i);
      for (std::size_t c = 0; c < 2; ++c)
        EXPECT_TRUE(agree_to_50_digits(head.output[static_cast<std::size_t>(i)][c], row.output[c]));
      for (std::size_t n = 0; n < row.keys.size(); ++n)
        EXPECT_TRUE(
            agree_to_50_digits(head.weights[static_cast<std::size_t>(i)][n], row.weights[n]));
    }
  }
}

TEST(ExactBlocks, LayerNormOfAConstantRowIsZero) {
  for (const auto& row : layer_norm(exactly({{3, 3, 3}, {-0.1, -0.1, -0.1}}), 1e-5))
    for (const Real& x : row) EXPECT_EQ(x, 0);
}

TEST(ExactBlocks, LayerNormUsesThePopulationVarianceThenGainAndBias) {
  // Mean 2, variance 1 over two features.
  const RealRows normal = layer_norm(exactly({{1, 3}}), 0.25, {2, 4}, {10, 20});
  const Real deviation = sqrt(Real(1.25));
  EXPECT_TRUE(agree_to_50_digits(normal[0][0], 10 - 2 / deviation));
  EXPECT_TRUE(agree_to_50_digits(normal[0][1], 20 + 4 / deviation));
}

TEST(ExactBlocks, FeedForwardCutsBetweenItsTwoMaps) {
  const FeedForwardWeights weights{
      .expand = {{1, -1}}, .project = {{3}, {5}}, .expand_bias = {0.5, 0}, .project_bias = {-1}};
  const RealRows mapped = feed_forward(exactly({{2}, {-2}}), weights);
  EXPECT_EQ(mapped[0][0], 3 * 2.5 - 1);
  EXPECT_EQ(mapped[1][0], 5 * 2 - 1);
}

TEST(ExactBlocks, PreNormKeepsTheResidualPathUntouched) {
  BlockWeights silent = workbook_weights();
  silent.attention.out = identity(4, 0);
  silent.feed_forward.project = identity(4, 0);
  const RealRows x = exactly(workbook_input);
  EXPECT_EQ(pre_norm_block(x, silent, true).output, x);
  EXPECT_NE(post_norm_block(x, silent, true).output, x);
}

TEST(ExactBlocks, PrefixesDoNotFeelTheFutureUnderCausalOrder) {
  Rows changed = workbook_input;
  changed[2] = {10, -9, 8, -7};
  for (const auto block : {post_norm_block, pre_norm_block}) {
    const auto original = block(exactly(workbook_input), workbook_weights(), true).output;
    const auto altered = block(exactly(changed), workbook_weights(), true).output;
    EXPECT_EQ(original[0], altered[0]);
    EXPECT_EQ(original[1], altered[1]);
    EXPECT_NE(original[2], altered[2]);
    const auto open = block(exactly(changed), workbook_weights(), false).output;
    EXPECT_NE(open[0], block(exactly(workbook_input), workbook_weights(), false).output[0]);
  }
}

TEST(ExactBlocks, CrossAttentionReadsItsMemory) {
  Draw draw(4);
  const HeadsWeights weights = workbook_weights().attention;
  const RealRows target = exactly(normal(draw, 3, 4));
  const RealRows source = exactly(normal(draw, 12, 4));
  const ExactHeads heads = multi_head(target, source, weights, false);
  EXPECT_EQ(heads.weights[1].size(), 3u);
  EXPECT_EQ(heads.weights[1][0].size(), 12u);
}

}  // namespace
}  // namespace attest::oracle

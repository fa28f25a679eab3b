#include "oracle/exact_attention.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/oracle/real_matchers.h"

namespace attest::oracle {
namespace {

using oracle_test::agree_to_50_digits;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// One head of doubles; tests set the rules they are about.
struct OneHead {
  OneHead(std::vector<double> q, std::vector<double> k, std::vector<double> v, Index width)
      : q_elements(std::move(q)), k_elements(std::move(k)), v_elements(std::move(v)) {
    const Index keys = std::ssize(k_elements) / width;
    spec.q = {q_elements, {1, 1, std::ssize(q_elements) / width, width}};
    spec.k = {k_elements, {1, 1, keys, width}};
    spec.v = {v_elements, {1, 1, keys, std::ssize(v_elements) / keys}};
  }
  OneHead(const OneHead&) = delete;
  OneHead& operator=(const OneHead&) = delete;

  ExactRow row(Index i = 0) const { return ExactAttention<double>(spec).row(0, 0, i); }

  std::vector<double> q_elements, k_elements, v_elements;
  ProblemSpec<double> spec;
};

// Constants below were computed with Python's decimal at 80 digits from the formula named with
// each, D(x) being the exact value of the double x.

TEST(ExactAttention, GivesTheWorkbookRowToFiftyDigits) {
  const OneHead problem({1, 0, 0, 1}, {1, 0, 0, 1}, {10, 0, 0, 20}, 2);
  const ExactRow row = problem.row();
  // a = e^(1/sqrt 2) / (e^(1/sqrt 2) + 1);  ln(e^(1/sqrt 2) + 1)
  EXPECT_TRUE(agree_to_50_digits(
      row.weights[0], Real("0.669761549326656925616794945834144107779286214915832524779320")));
  EXPECT_TRUE(agree_to_50_digits(
      row.weights[1], Real("0.330238450673343074383205054165855892220713785084167475220680")));
  EXPECT_TRUE(agree_to_50_digits(
      row.output[0], Real("6.69761549326656925616794945834144107779286214915832524779320")));
  EXPECT_TRUE(agree_to_50_digits(
      row.lse, Real("1.10794030765724989623877394633422873216312845078349206519608")));
}

TEST(ExactAttention, TakesGivenNumbersAtTheirBinaryValue) {
  OneHead problem({0.1}, {0.2, 0.3, -0.7}, {0.1, 0.2, 0.3}, 1);
  problem.spec.score.scale = 1.0;
  const ExactRow row = problem.row();
  // softmax(D(0.1) * [D(0.2), D(0.3), D(-0.7)]) . [D(0.1), D(0.2), D(0.3)]
  EXPECT_TRUE(agree_to_50_digits(
      row.weights[0], Real("0.341999445104003755888771682794595247939366623757770063455508")));
  EXPECT_TRUE(agree_to_50_digits(
      row.output[0], Real("0.197056451312200075645311953931071413053069485130781986990634")));
  EXPECT_TRUE(agree_to_50_digits(
      row.lse, Real("1.09294616442376115581004048079829362410442343164969626535825")));
}

TEST(ExactAttention, AppliesCapBiasSlopeAndSinkInTheirOrder) {
  OneHead problem({9, 9, 9, 1, 0, 0, 9, 9, 9}, {7, 0, 0, -2, 0, 0, 1.5, 0, 0}, {1, -2, 4}, 3);
  const std::vector<double> bias = {0.1};
  const std::vector<double> slopes = {0.25};
  const std::vector<double> sinks = {0.3};
  problem.spec.score.softcap = 2.5;
  problem.spec.score.bias = TensorView<const double>(bias, {1, 1, 1, 1});
  problem.spec.score.alibi_slopes = slopes;
  problem.spec.sinks = sinks;
  const ExactRow row = problem.row(1);
  // s_j = 2.5 tanh(q.k_j / sqrt 3 / 2.5) + D(0.1) - 0.25 |j - 1|;  sink D(0.3)
  EXPECT_TRUE(agree_to_50_digits(
      row.scores[0], Real("2.16031654376559062962336563548479599250133674546209087448953")));
  EXPECT_TRUE(agree_to_50_digits(
      row.scores[1], Real("-0.979038496881961823547695442489292278934197586167497013688701")));
  EXPECT_TRUE(agree_to_50_digits(
      row.weights[1], Real("0.0303471354370623721116600325711075200786230615344332109200616")));
  EXPECT_TRUE(agree_to_50_digits(
      row.output[0], Real("1.27969356318795067096705953944560047536211335030003034201229")));
  EXPECT_TRUE(agree_to_50_digits(
      row.lse, Real("2.51601465333045022565802842642544406334817982075681368736387")));
}

TEST(ExactAttention, KeepsFiftyDigitsOfWeightsAtScoresOfTenToTheThirteen) {
  const OneHead problem({1, 0, 0}, {1e13, 0, 0, 1e13 + 0.5, 0, 0}, {1, 0}, 3);
  const ExactRow row = problem.row();
  // s = [1e13, 1e13 + 1/2] / sqrt 3;  1 / (1 + e^(s_0 - s_1));  s_1 + ln(1 + e^(s_0 - s_1))
  EXPECT_TRUE(agree_to_50_digits(
      row.weights[1], Real("0.571671753051153083373757644845167689105955025371722660075086")));
  EXPECT_TRUE(agree_to_50_digits(
      row.weights[0], Real("0.428328246948846916626242355154832310894044974628277339924914")));
  EXPECT_TRUE(agree_to_50_digits(
      row.lse, Real("5773502691897.10551053670683266061730340441849262627918215196")));
}

TEST(ExactAttention, HoldsWeightsFarBelowAnyMachineNumber) {
  OneHead problem({1}, {0, -10000}, {0, 1}, 1);
  const ExactRow row = problem.row();
  // e^-10000 / (1 + e^-10000)
  EXPECT_TRUE(agree_to_50_digits(
      row.weights[1], Real("1.13548386531473609854093887506624840195743161009031884267155e-4343")));
  EXPECT_TRUE(agree_to_50_digits(row.output[0], row.weights[1]));
}

TEST(ExactAttention, EqualKeysGiveRationalWeights) {
  const std::vector<double> keys = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
  const OneHead problem({1.7}, keys, {1, 2, 3, 4, 5, 6, 8}, 1);
  const ExactRow row = problem.row();
  for (const Real& weight : row.weights) EXPECT_TRUE(agree_to_50_digits(weight, Real(1) / 7));
  EXPECT_TRUE(agree_to_50_digits(row.output[0], Real(29) / 7));
  EXPECT_TRUE(agree_to_50_digits(row.lse, Real(1.7) * Real(0.3) + log(Real(7))));
}

TEST(ExactAttention, ASinkOfZeroIsOneMoreKeyWithoutAValue) {
  OneHead problem({0}, {5, -5, 2}, {3, 6, 9}, 1);
  const std::vector<double> sinks = {0};
  problem.spec.sinks = sinks;
  const ExactRow row = problem.row();
  EXPECT_TRUE(agree_to_50_digits(row.weights[0], Real(1) / 4));
  EXPECT_TRUE(agree_to_50_digits(row.output[0], Real(18) / 4));
  EXPECT_TRUE(agree_to_50_digits(row.lse, log(Real(4))));
}

TEST(ExactAttention, ARowThatSeesOneKeyIsItsValue) {
  OneHead problem({2, 3}, {1e3, -1e3}, {0.1, 0.7}, 1);
  problem.spec.visibility.causal = true;
  EXPECT_TRUE(agree_to_50_digits(problem.row(0).output[0], Real(0.1)));
  EXPECT_TRUE(agree_to_50_digits(problem.row(0).weights[0], Real(1)));
  EXPECT_TRUE(agree_to_50_digits(problem.row(0).lse, Real(2000)));
}

TEST(ExactAttention, OppositeScoresGiveComplementaryWeights) {
  const OneHead problem({1.25}, {0.4, -0.4}, {1, -1}, 1);
  const ExactRow row = problem.row();
  EXPECT_TRUE(agree_to_50_digits(row.output[0], tanh(Real(1.25) * Real(0.4))));
}

TEST(ExactAttention, SumsAScoreWithoutCancellationLoss) {
  const OneHead problem({1e300, 1, -1e300}, {1e300, 3, 1e300}, {1}, 3);
  EXPECT_TRUE(agree_to_50_digits(problem.row().scores[0], 3 / sqrt(Real(3))));
}

TEST(ExactAttention, NeverReadsWhatIsHidden) {
  OneHead problem({1, nan}, {1, infinity}, {4, nan}, 1);
  problem.spec.visibility.causal = true;
  EXPECT_EQ(problem.row(0).output[0], Real(4));
  EXPECT_EQ(problem.row(0).keys, std::vector<Index>{0});
}

TEST(ExactAttention, RefusesWhatHasNoTrueResultAndSaysWhich) {
  const auto field_at_fault = [](const OneHead& problem) -> std::string {
    try {
      problem.row();
    } catch (const InputError& error) {
      return error.field();
    }
    return "none";
  };
  EXPECT_EQ(field_at_fault(OneHead({nan}, {1}, {1}, 1)), "q");
  EXPECT_EQ(field_at_fault(OneHead({1}, {infinity}, {1}, 1)), "k");
  EXPECT_EQ(field_at_fault(OneHead({1}, {1}, {-infinity}, 1)), "v");
  EXPECT_EQ(field_at_fault(OneHead({1e10}, {1e10}, {1}, 1)), "score");
  EXPECT_EQ(field_at_fault(OneHead({1e10}, {-1e10}, {1}, 1)), "score");
  EXPECT_EQ(field_at_fault(OneHead({1e300}, {1e300}, {1}, 1)), "score");
  EXPECT_EQ(field_at_fault(OneHead({1}, {1e18}, {1}, 1)), "none");
}

TEST(ExactAttention, HoldsTheWidestRangeOfScoresItAccepts) {
  const OneHead problem({1}, {2e18, -2e18}, {1, 1e308}, 1);
  const ExactRow row = problem.row();
  EXPECT_TRUE(agree_to_50_digits(row.lse, Real(2e18)));
  EXPECT_TRUE(agree_to_50_digits(row.output[0], Real(1)));
  EXPECT_GT(row.weights[1], 0);
  // ln(e^-4e18) = -4e18
  EXPECT_TRUE(agree_to_50_digits(log(row.weights[1]), Real(-4e18)));
}

TEST(ExactAttention, TheSoftcapTamesAnyScore) {
  OneHead problem({1e300, 1e300}, {1e300, -1e300}, {1, 3}, 1);
  problem.spec.score.softcap = 0.5;
  const ExactRow row = problem.row();
  EXPECT_TRUE(agree_to_50_digits(row.scores[0], Real(0.5)));
  EXPECT_TRUE(agree_to_50_digits(row.scores[1], Real(-0.5)));
}

TEST(ExactAttention, EmptyRowsFollowTheirConvention) {
  OneHead problem({1}, {1}, {1}, 1);
  const std::vector<std::uint8_t> hidden = {0};
  problem.spec.visibility.allow = TensorView<const std::uint8_t>(hidden, {1, 1, 1, 1});
  EXPECT_THROW(problem.row(), InputError);
  problem.spec.empty_row = EmptyRow::zero;
  EXPECT_EQ(problem.row().output[0], 0);
  EXPECT_EQ(problem.row().lse, -std::numeric_limits<Real>::infinity());
  problem.spec.empty_row = EmptyRow::nan;
  EXPECT_TRUE(isnan(problem.row().output[0]));
  const std::vector<double> sinks = {-2};
  problem.spec.sinks = sinks;
  EXPECT_EQ(problem.row().output[0], 0);
  EXPECT_TRUE(agree_to_50_digits(problem.row().lse, Real(-2)));
}

TEST(ExactAttention, ReadsSixteenBitElementsExactly) {
  const std::vector<Float16> one = {Float16::from_float(1.0f)};
  const std::vector<Float16> third = {Float16::from_float(1.0f / 3.0f)};
  ProblemSpec<Float16> spec;
  spec.q = {one, {1, 1, 1, 1}};
  spec.k = {third, {1, 1, 1, 1}};
  spec.v = {third, {1, 1, 1, 1}};
  // The half nearest 1/3 is 1365 * 2^-12.
  EXPECT_TRUE(
      agree_to_50_digits(ExactAttention<Float16>(spec).row(0, 0, 0).output[0], Real(1365) / 4096));
}

}  // namespace
}  // namespace attest::oracle

#include "oracle/row_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "tests/oracle/kernel_run.h"

namespace attest::oracle {
namespace {

using oracle_test::Draw;
using oracle_test::KernelRun;
using oracle_test::RandomCase;

// Ratios observed / bound by kind of number: output, weights, lse.
struct Ratios {
  std::map<char, std::vector<double>> judged;
  std::size_t unjudged = 0;

  double worst() const {
    double worst = 0;
    for (const auto& [kind, ratios] : judged)
      worst = std::max(worst, *std::ranges::max_element(ratios));
    return worst;
  }
};

template <class T>
void collect(const Problem<T>& problem, const Arithmetic& arithmetic, const KernelRun<T>& run,
             Ratios& ratios) {
  oracle_test::for_each_number(problem, Judge<T>(problem.spec(), arithmetic), run,
                               [&](char kind, const Expected& expected, double got) {
                                 if (const auto ratio = expected.ratio(got))
                                   ratios.judged[kind].push_back(*ratio);
                                 else
                                   ++ratios.unjudged;
                               });
}

template <class T>
void collect_explicit(const Problem<T>& problem, Ratios& ratios) {
  collect(problem, explicit_arithmetic<T>(), KernelRun<T>::explicitly(problem), ratios);
}

template <class T>
void collect_streaming(const Problem<T>& problem, Index tile, Ratios& ratios) {
  collect(problem, streaming_arithmetic<T>(problem.shape().keys, tile),
          KernelRun<T>::streaming(problem, {.queries = 3, .keys = tile}), ratios);
}

void report(const char* element, Ratios& ratios) {
  const std::map<char, const char*> names = {{'o', "output"}, {'w', "weights"}, {'l', "lse"}};
  for (auto& [kind, all] : ratios.judged) {
    std::ranges::sort(all);
    std::cout << "observed/bound of " << names.at(kind) << ", " << element << ": " << all.size()
              << " numbers, median " << all[all.size() / 2] << ", 99 % "
              << all[all.size() * 99 / 100] << ", largest " << all.back() << "\n";
  }
  std::cout << "not judged, " << element << ": " << ratios.unjudged << " numbers\n";
}

// ATTEST_BOUND_CASES and ATTEST_BOUND_SEED widen the search beyond the quick default.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Every family, rule and shape that RandomCase draws, both kernels, every tile from one key up.
template <class T>
void search(const char* element) {
  const std::uint64_t first = setting("ATTEST_BOUND_SEED", 1);
  const std::uint64_t cases = setting("ATTEST_BOUND_CASES", 250);
  Ratios all;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const RandomCase<T> drawn(seed, {.tokens = 12, .width = 9});
    const Problem<T> problem(drawn.spec());
    Ratios ratios;
    collect_explicit(problem, ratios);
    collect_streaming(problem, 1 + static_cast<Index>(seed % 5), ratios);
    ASSERT_LE(ratios.worst(), 1) << "seed " << seed << ", " << to_string(problem.shape());
    for (const auto& [kind, found] : ratios.judged)
      all.judged[kind].insert(all.judged[kind].end(), found.begin(), found.end());
    all.unjudged += ratios.unjudged;
  }
  report(element, all);
  std::size_t judged = 0;
  for (const auto& [kind, ratios] : all.judged) judged += ratios.size();
  EXPECT_LT(all.unjudged, judged / 20) << "a search that is not judged finds nothing";
}

TEST(RowBounds, NoCleanKernelExceedsThemInDouble) { search<double>("double"); }
TEST(RowBounds, NoCleanKernelExceedsThemInFloat) { search<float>("float"); }
TEST(RowBounds, NoCleanKernelExceedsThemInFloat16) { search<Float16>("float16"); }
TEST(RowBounds, NoCleanKernelExceedsThemInBFloat16) { search<BFloat16>("bfloat16"); }

// A small problem whose elements can be nudged.
template <class T>
struct Climber {
  static constexpr Index keys = 3, width = 2;
  std::vector<T> q = std::vector<T>(width), k = std::vector<T>(keys * width),
                 v = std::vector<T>(keys);

  double ratio(bool streaming) const {
    ProblemSpec<T> spec;
    spec.q = {q, {1, 1, 1, width}};
    spec.k = {k, {1, 1, keys, width}};
    spec.v = {v, {1, 1, keys, 1}};
    const Problem<T> problem(spec);
    Ratios ratios;
    if (streaming)
      collect_streaming(problem, 1, ratios);
    else
      collect_explicit(problem, ratios);
    const auto outputs = ratios.judged.find('o');
    return outputs == ratios.judged.end() ? 0 : outputs->second.front();
  }

  void nudge(Draw& draw) {
    std::vector<T>& tensor = draw.chance(3) ? v : draw.chance(2) ? q : k;
    T& x = tensor[static_cast<std::size_t>(draw.between(0, std::ssize(tensor) - 1))];
    x = draw.chance(4) ? static_cast<T>(draw.normal())
                       : static_cast<T>(static_cast<double>(x) * (1 + 1e-3 * draw.normal()));
  }
};

// Climbs from zero towards the worst case it can find; the best observed/bound of the output.
template <class T>
double climb(bool streaming) {
  Draw draw(42);
  Climber<T> best;
  double reached = 0;
  for (int step = 0; step < 2000; ++step) {
    Climber<T> next = best;
    for (Index changes = draw.between(1, 4); changes > 0; --changes) next.nudge(draw);
    const double ratio = next.ratio(streaming);
    if (ratio < reached) continue;
    reached = ratio;
    best = next;
  }
  return reached;
}

// A bound ten times too wide would let a tenfold error through: for small shapes it must be within
// reach, and never passed.
TEST(RowBounds, AreWithinReachOfAHillClimb) {
  for (const bool streaming : {false, true}) {
    const double in_float = climb<float>(streaming);
    const double in_double = climb<double>(streaming);
    std::cout << "hill climb, " << (streaming ? "streaming, tiles of one key" : "explicit")
              << ": observed/bound " << in_float << " in float, " << in_double << " in double\n";
    for (const double reached : {in_float, in_double}) {
      EXPECT_GE(reached, 0.1);
      EXPECT_LE(reached, 1);
    }
  }
}

struct FloatHead {
  std::vector<float> q, k, v;
  Index width;

  ProblemSpec<float> spec() const {
    const Index keys = std::ssize(k) / width;
    ProblemSpec<float> s;
    s.q = {q, {1, 1, std::ssize(q) / width, width}};
    s.k = {k, {1, 1, keys, width}};
    s.v = {v, {1, 1, keys, std::ssize(v) / keys}};
    return s;
  }
  RowBounds bounds(const Arithmetic& arithmetic = explicit_arithmetic<float>()) const {
    return bounds_of(spec(), ExactAttention<float>(spec()).row(0, 0, 0), 0, 0, 0, arithmetic);
  }
};

constexpr double u = 0x1p-24;

TEST(RowBounds, OfConstantValuesHoldNoErrorOfTheWeights) {
  const FloatHead head{{3, -2}, {1, 2, 0.5f, -4, 2, 2}, {7, 7, 7}, 2};
  const Bound bound = head.bounds().output[0];
  EXPECT_EQ(bound.weights, 0);
  // Three products and sums above, three below, one division: gamma_4 + gamma_2 of |7|.
  EXPECT_NEAR(bound.sums, 6 * u * 7, 6 * u * 7 * 1e-5);  // second order in u
  EXPECT_TRUE(bound.judged);
}

TEST(RowBounds, OfASingleKeyDoNotFeelItsScore) {
  const FloatHead head{{1e6f}, {1e5f}, {0.25f}, 1};
  const RowBounds bounds = head.bounds();
  EXPECT_TRUE(bounds.output[0].judged);
  EXPECT_LT(bounds.output[0].total(), 2.1 * u * 0.25);
  EXPECT_GT(bounds.lse.weights, 1e11 * u);  // but the LSE is the score
}

TEST(RowBounds, OfEqualScoresHoldOneExponentialAndOneMoreForEveryRescaling) {
  // Scores 0 without error and values -1 and 1 around 0: what is left of theta is exp's own error.
  const FloatHead head{{0}, {1, 2}, {-1, 1}, 1};
  const double once = 2 * u;  // 1 ulp
  EXPECT_NEAR(head.bounds().output[0].weights, once, once * 1e-5);
  EXPECT_NEAR(head.bounds(streaming_arithmetic<float>(2, 1)).output[0].weights, 3 * once,
              once * 1e-5);
}

TEST(RowBounds, FeelTheRangeOfScoresOnlyInTheRoundingOfTheShift) {
  // Scores 0 and -8, exact in float: theta of the second key is 8u for its shift, plus exp's 2u,
  // plus gamma_4 |s| for a dot product and scale that happened to be exact.
  FloatHead head{{1}, {0, -8}, {0, 1}, 1};
  const double p = std::exp(-8.0) / (1 + std::exp(-8.0));
  const double errors = 4 * 8 * u;  // of the second score
  const double expected = p * (1 - p) * ((8 + 2) * u + errors + 2 * u);
  EXPECT_NEAR(head.bounds().output[0].weights, expected, expected * 1e-3);
}

TEST(RowBounds, GrowWithRescalings) {
  const FloatHead head{{1}, {1, 2, 3, 4}, {1, -1, 1, -1}, 1};
  const double once = head.bounds(streaming_arithmetic<float>(4, 4)).output[0].total();
  const double often = head.bounds(streaming_arithmetic<float>(4, 1)).output[0].total();
  EXPECT_GT(once, head.bounds().output[0].total());
  EXPECT_GT(often, once);
}

// Scores near 2e5 made of 64 products: a float score is known to about 3.
FloatHead large_scores(Index keys) {
  Draw draw(7);
  FloatHead head{{}, {}, {}, 64};
  for (int c = 0; c < 64; ++c) head.q.push_back(static_cast<float>(400 * draw.normal()));
  for (Index n = 0; n < keys * 64; ++n) head.k.push_back(static_cast<float>(400 * draw.normal()));
  for (Index n = 0; n < keys; ++n) head.v.push_back(static_cast<float>(n + 1));
  return head;
}

TEST(RowBounds, JudgeNothingWhereTheProblemIsIllConditioned) {
  FloatHead tied = large_scores(2);
  std::copy_n(tied.k.begin(), 64, tied.k.begin() + 64);  // which of two equal keys wins is noise
  EXPECT_FALSE(tied.bounds().output[0].judged);
  EXPECT_FALSE(tied.bounds().weights[0].judged);
  EXPECT_TRUE(tied.bounds().lse.judged);
}

TEST(RowBounds, StillJudgeLargeScoresWhereOneKeyWinsByFar) {
  const Bound bound = large_scores(8).bounds().output[0];
  EXPECT_TRUE(bound.judged);
  EXPECT_LT(bound.total(), 1e-4);
}

TEST(RowBounds, JudgeNothingWhereACorrectKernelMayOverflow) {
  FloatHead scores{{1e20f, 1e20f}, {1e20f, -1e20f, 1, -1}, {1, 2}, 2};
  EXPECT_FALSE(scores.bounds().output[0].judged);
  FloatHead values{{1}, {1, 1}, {3e38f, 3e38f}, 1};
  EXPECT_FALSE(values.bounds().output[0].judged);
}

TEST(RowBounds, OfStoredHalvesAreMostlyTheirLastRounding) {
  const std::vector<Float16> one = {Float16::from_float(1)};
  ProblemSpec<Float16> spec;
  spec.q = spec.k = spec.v = {one, {1, 1, 1, 1}};
  const Bound bound = bounds_of(spec, ExactAttention<Float16>(spec).row(0, 0, 0), 0, 0, 0,
                                explicit_arithmetic<Float16>())
                          .output[0];
  EXPECT_NEAR(bound.storage, 0x1p-11 + 0x1p-25, 1e-9);
  EXPECT_LT(bound.sums, 0x1p-20);
}

// What a tolerance must never admit, on ordinary problems: every one of these answers is wrong in
// some row of each problem.
TEST(RowBounds, RejectAnswersThatAreNotAttention) {
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    Draw draw(seed);
    FloatHead head{{}, {}, {}, 4};
    for (int n = 0; n < 5 * 4; ++n) head.q.push_back(static_cast<float>(draw.normal()));
    for (int n = 0; n < 7 * 4; ++n) head.k.push_back(static_cast<float>(draw.normal()));
    for (int n = 0; n < 7 * 3; ++n) head.v.push_back(static_cast<float>(draw.normal()));
    const ProblemSpec<float> spec = head.spec();
    const Judge<float> judge(spec, streaming_arithmetic<float>(7, 1));
    std::map<std::string, double> worst;
    for (Index i = 0; i < 5; ++i) {
      const ExpectedRow row = judge.row(0, 0, i);
      for (std::size_t c = 0; c < 3; ++c) {
        const Expected& expected = row.output[c];
        double mean = 0;
        for (std::size_t j = 0; j < 7; ++j) mean += static_cast<double>(head.v[j * 3 + c]) / 7;
        const auto see = [&](const char* answer, double got) {
          worst[answer] = std::max(worst[answer], expected.ratio(got).value());
        };
        see("zeros", 0);
        see("mean of values", mean);
        see("first value", static_cast<double>(head.v[c]));
        see("not a number", std::nan(""));
        see("one part in ten thousand too large", expected.nearest * (1 + 1e-4));
        see("weights that sum to 1 + 1e-5", expected.nearest * (1 + 1e-5));
      }
    }
    for (const auto& [answer, ratio] : worst) EXPECT_GT(ratio, 1) << answer << ", seed " << seed;
  }
}

// A rule and a mistake in it: two readings of the same elements.
struct Mistake {
  const char* name;
  std::function<void(ProblemSpec<float>&)> right;
  std::function<void(ProblemSpec<float>&)> wrong;
};

// The largest ratio that the truth of the wrong reading reaches when judged by the right one.
double ratio_of_mistake(const Mistake& mistake, const ProblemSpec<float>& elements) {
  ProblemSpec<float> right = elements, wrong = elements;
  right.empty_row = wrong.empty_row = EmptyRow::zero;
  mistake.right(right);
  mistake.wrong(wrong);
  const Judge<float> judge(right, streaming_arithmetic<float>(right.k.extents()[2], 1));
  const ExactAttention<float> mistaken(wrong);
  double worst = 0;
  oracle_test::for_each_row(mistaken.shape(), [&](Index b, Index h, Index i) {
    const ExpectedRow expected = judge.row(b, h, i);
    const ExactRow got = mistaken.row(b, h, i);
    for (std::size_t c = 0; c < got.output.size(); ++c)
      worst = std::max(worst, expected.output[c]
                                  .ratio(static_cast<double>(static_cast<float>(got.output[c])))
                                  .value_or(0));
  });
  return worst;
}

TEST(RowBounds, RejectTheExactAnswerToAMistakenRule) {
  static const std::vector<float> slopes = {0.5f, 0.25f, 0.125f, 0.0625f},
                                  next_slopes = {0.25f, 0.125f, 0.0625f, 0.5f};
  const auto nothing = [](ProblemSpec<float>&) {};
  const auto window = [](std::optional<Index> left, std::optional<Index> right) {
    return [=](ProblemSpec<float>& s) { s.visibility.window = {left, right}; };
  };
  const auto causal = [](Alignment alignment) {
    return [=](ProblemSpec<float>& s) {
      s.visibility.causal = true;
      s.visibility.alignment = alignment;
    };
  };
  const auto scale = [](double factor) {
    return [=](ProblemSpec<float>& s) { s.score.scale = factor; };
  };
  const auto alibi = [](const std::vector<float>& of) {
    return [&of](ProblemSpec<float>& s) { s.score.alibi_slopes = of; };
  };
  const std::vector<Mistake> mistakes = {
      {"causal order dropped", causal(Alignment::square), nothing},
      {"one future key seen", window({}, 0), window({}, 1)},
      {"the diagonal hidden by a shift", window(2, 0), window(1, 0)},
      {"window one too wide", window(1, 1), window(2, 1)},
      {"scale removed", nothing, scale(1)},
      {"scale off by one per cent", nothing, scale(0.5 * 1.01)},
      {"scale 1/sqrt(d + 1)", nothing, scale(1 / std::sqrt(5.0))},
      {"softcap dropped", [](ProblemSpec<float>& s) { s.score.softcap = 5; }, nothing},
      {"slopes of the next head", alibi(slopes), alibi(next_slopes)},
      {"heads interleaved", nothing,
       [](ProblemSpec<float>& s) { s.head_map = HeadMap::interleaved; }},
  };
  Draw draw(31);
  const auto elements = [&](std::size_t count) {
    std::vector<float> drawn(count);
    for (float& x : drawn) x = static_cast<float>(draw.normal());
    return drawn;
  };
  const std::vector<float> q = elements(64), k = elements(32), v = elements(16);
  ProblemSpec<float> spec;
  spec.q = {q, {1, 4, 4, 4}};
  spec.k = {k, {1, 2, 4, 4}};
  spec.v = {v, {1, 2, 4, 2}};
  for (const Mistake& mistake : mistakes)
    EXPECT_GT(ratio_of_mistake(mistake, spec), 1) << mistake.name;
}

}  // namespace
}  // namespace attest::oracle

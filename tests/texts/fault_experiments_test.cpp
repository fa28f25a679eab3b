// The workbook's checks over an implementation that may be faulty, and which of them notices which
// fault: a table asserted whole, so that a check that loses its grip shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "tests/texts/teaching_attention.h"

namespace attest::test {
namespace {

const Rows q = {{1, 0}, {0, 1}};
const Rows v = {{10, 0}, {0, 20}};
const Rows block_input = {{1, 0, 1, 0}, {0, 1, 0, 1}, {1, 1, 0, 0}};

bool near(double a, double b, double within = 5e-8) { return std::abs(a - b) <= within; }

bool near(const Rows& a, const Rows& b, double within = 5e-8) {
  return std::ranges::equal(a, b, [&](const auto& x, const auto& y) {
    return std::ranges::equal(x, y, [&](double m, double n) { return near(m, n, within); });
  });
}

template <class Action>
bool refused(Action action) {
  try {
    action();
  } catch (const InputError&) {
    return true;
  }
  return false;
}

TeachingAttention causal(TeachingAttention attention) {
  attention.causal = true;
  return attention;
}

TeachingAttention allowing(TeachingAttention attention, std::vector<std::vector<bool>> allow) {
  attention.allow = std::move(allow);
  return attention;
}

// A check of the text: its fact, and whether an implementation satisfies it.
struct Check {
  const char* fact;
  std::function<bool(const TeachingBlock&)> holds;
};

const std::vector<Check>& checks() {
  using Block = const TeachingBlock&;
  static const std::vector<Check> all = {
      {"hand calculation",
       [](Block b) {
         const auto [output, weights] = b.attention(q, q, v);
         const double e = std::exp(1 / std::sqrt(2.0));
         const double a = e / (e + 1);
         return near(weights[0][0], a) && near(output[0][0], 10 * a) &&
                near(output[0][1], 20 * (1 - a));
       }},
      {"causal direction and diagonal",
       [](Block b) {
         const auto [output, weights] = causal(b.attention)(q, q, v);
         return weights[0] == std::vector<double>{1, 0} &&
                output[0] == std::vector<double>{10, 0} && weights[1][0] > 0 && weights[1][1] > 0;
       }},
      {"mask renormalises",
       [](Block b) {
         const auto [output, weights] =
             allowing(b.attention, {{false, true}, {false, true}})(q, q, v);
         return weights == Rows{{0, 1}, {0, 1}} && output == Rows{{0, 20}, {0, 20}};
       }},
      {"no visible key is refused",
       [](Block b) {
         const std::vector<std::vector<std::vector<bool>>> masks = {
             {{false, false}, {false, false}}, {{false, true}, {true, true}}};
         return std::ranges::all_of(masks, [&](const auto& mask) {
           return refused([&] { causal(allowing(b.attention, mask))(q, q, v); });
         });
       }},
      {"softmax shift and large scores",
       [](Block) {
         return softmax_of({10000, 10000}) == std::vector<double>{0.5, 0.5} &&
                near({softmax_of({1, 2, 3})}, {softmax_of({1001, 1002, 1003})});
       }},
      {"shapes",
       [](Block b) {
         return refused([&] { b.attention(q, {{1}}, v); }) &&
                refused([&] { b.attention(q, q, {{1}}); }) &&
                b.attention({{0, 0}}, q, {{1, 2, 3}, {3, 4, 5}}).output == Rows{{2, 3, 4}} &&
                refused([&] {
                  causal(b.attention)({{0, 0}}, q, v);
                });
       }},
      {"invalid numbers and masks",
       [](Block b) {
         const double inf = std::numeric_limits<double>::infinity();
         const std::vector<Rows> bad = {
             {}, {{inf, 0}}, {{std::nan(""), 0}}, {{1e7, 0}}, {{1, 2}, {3}}};
         return std::ranges::all_of(
                    bad, [&](const Rows& x) { return refused([&] { b.attention(x, q, v); }); }) &&
                refused([&] { allowing(b.attention, {{true}})(q, q, v); });
       }},
      {"keys and values permuted together",
       [](Block b) {
         return near(b.attention(q, q, v).output,
                     b.attention(q, {q[1], q[0]}, {v[1], v[0]}).output);
       }},
      {"constant values",
       [](Block b) {
         const Rows constant = {{3, -2}, {3, -2}};
         return near(causal(b.attention)(q, q, constant).output, constant);
       }},
      {"matrix multiplication",
       [](Block) {
         return product({{1, 2}}, {{3, 4}, {5, 6}}) == Rows{{13, 16}} && refused([] {
                  product({{1, 2}}, {{3, 4}});
                });
       }},
      {"block shape and normalisation",
       [](Block b) {
         const auto [output, maps] = b(block_input);
         return output.size() == 3 && output[0].size() == 4 && maps.size() == 2 &&
                near(output[0][0], 1, 5e-6) && near(output[0][1], -1, 5e-6) &&
                std::ranges::all_of(output, [](const auto& row) { return near(sum(row), 0); });
       }},
      {"future changes leave the block's prefix",
       [](Block b) {
         Rows changed = block_input;
         changed[2] = {10, -9, 8, -7};
         const Rows before = b(block_input).output;
         const Rows after = b(changed).output;
         return before[0] == after[0] && before[1] == after[1] && before[2] != after[2];
       }},
      // Beside the twelve: what the text prints and says of its numbers.
      {"row sums",
       [](Block b) {
         return std::ranges::all_of(causal(b.attention)(q, q, v).weights,
                                    [](const auto& row) { return near(sum(row), 1); });
       }},
      {"printed block and maps", [](Block b) {
         const auto [output, maps] = b(block_input);
         return near(output,
                     {{0.999998, -0.999998, 0.999998, -0.999998},
                      {-0.999998, 0.999998, -0.999998, 0.999998},
                      {1.347147, 0.577349, -0.962248, -0.962248}},
                     5e-7) &&
                near(maps[0], {{1, 0, 0}, {0.330238, 0.669762, 0}, {0.248255, 0.248255, 0.503490}},
                     5e-7) &&
                near(maps[1], {{1, 0, 0}, {0.330238, 0.669762, 0}, {0.333333, 0.333333, 0.333333}},
                     5e-7);
       }}};
  return all;
}

using Facts = std::vector<std::string>;

// The checks that an implementation fails, in the order of the text.
Facts noticed_by(const TeachingBlock& block) {
  Facts noticed;
  for (const Check& check : checks())
    if (!check.holds(block)) noticed.emplace_back(check.fact);
  return noticed;
}

TEST(FaultExperiments, TheCleanImplementationSatisfiesEveryCheck) {
  EXPECT_EQ(checks().size(), 12u + 2);
  EXPECT_EQ(noticed_by({}), Facts{});
}

// Rows still sum to one, and the third row of a map is another distribution.
TEST(FaultExperiments, ARemovedScaleIsNoticedByNumbersKnownBeforehandAlone) {
  EXPECT_EQ(noticed_by({.attention = {.scale_removed = true}}),
            (Facts{"hand calculation", "printed block and maps"}));
}

// The mask that with causal order leaves query 0 nothing leaves it key 1 when order is reversed;
// and the block's first row, mixed with the others, is no longer plus and minus one.
TEST(FaultExperiments, AReversedCausalTestIsNoticedByDirectionAndFlow) {
  EXPECT_EQ(noticed_by({.attention = {.causal_reversed = true}}),
            (Facts{"causal direction and diagonal", "no visible key is refused",
                   "block shape and normalisation", "future changes leave the block's prefix",
                   "printed block and maps"}));
}

TEST(FaultExperiments, AnIgnoredAllowMaskIsNoticedByTheChecksThatMask) {
  EXPECT_EQ(noticed_by({.attention = {.allow_ignored = true}}),
            (Facts{"mask renormalises", "no visible key is refused"}));
}

// Not one of the text's three, but its warning: attention is right, and yet the future leaks.
TEST(FaultExperiments, NormalisingAcrossPositionsLeaksTheFuture) {
  const Facts noticed = noticed_by({.attention = {}, .across_positions = true});
  EXPECT_EQ(noticed, (Facts{"block shape and normalisation",
                            "future changes leave the block's prefix", "printed block and maps"}));
}

}  // namespace
}  // namespace attest::test

#include "cli/trace_fixtures.h"

#include <array>
#include <cmath>
#include <vector>

#include "attention/spelling.h"

namespace attest::cli {
namespace {

using Double = OwnedProblem<double>;

Double two_positions() {
  Double p;
  p.q = {{1, 0}, {0, 1}};
  p.k = {{1, 0}, {0, 1}};
  p.v = {{10, 0}, {0, 20}};
  return p;
}

Double two_positions_causal() {
  Double p = two_positions();
  p.causal = true;
  return p;
}

Double two_positions_unscaled() {
  Double p = two_positions();
  p.scale = 1;
  return p;
}

Double second_key_only() {
  Double p = two_positions();
  p.allow = Tensor<std::uint8_t>{{0, 1}, {0, 1}};
  return p;
}

Double constant_values() {
  Double p = two_positions_causal();
  p.v = {{3, -2}, {3, -2}};
  return p;
}

Double zero_query_mean() {
  Double p = two_positions();
  p.q = {{0, 0}};
  p.v = {{1, 2, 3}, {3, 4, 5}};
  return p;
}

Double large_scores() {
  Double p;
  p.q = {{100}};
  p.k = {{100}, {100}};
  p.v = {{1}, {3}};
  return p;
}

Double one_query() {
  Double p;
  p.q = {{1, 0}};
  p.k = {{2, 0}, {0, 2}, {1, 1}};
  p.v = {{10, 0}, {0, 10}, {4, 6}};
  return p;
}

Double one_query_changed_value() {
  Double p = one_query();
  p.v = {{10, 0}, {0, 10}, {100, 100}};
  return p;
}

Double two_queries() {
  const double root = std::sqrt(2.0);
  Double p;
  p.q = {{root, 0}, {0, root}};
  p.k = {{1, 0}, {0, 1}, {0, 0}};
  p.v = {{10}, {20}, {30}};
  return p;
}

Double two_queries_shifted_values() {
  Double p = two_queries();
  p.v = {{15}, {25}, {35}};
  return p;
}

Double two_zero_queries() {
  Double p = two_queries();
  p.q = {{0, 0}, {0, 0}};
  return p;
}

constexpr std::array fixtures = {
    TraceFixture{"two-positions", "identity queries and keys: weights 0.669762 and 0.330238",
                 two_positions},
    TraceFixture{"two-positions-causal", "the same, each query reading itself and what came before",
                 two_positions_causal},
    TraceFixture{"two-positions-unscaled",
                 "the fault of a missing 1/sqrt(d): 0.731059, and the row still sums to one",
                 two_positions_unscaled},
    TraceFixture{"second-key-only", "an allow mask renormalises over what it leaves visible",
                 second_key_only},
    TraceFixture{"constant-values", "equal values come out unchanged, whatever the scores",
                 constant_values},
    TraceFixture{"zero-query-mean", "a zero query weighs its keys equally", zero_query_mean},
    TraceFixture{"large-scores", "scores of 10000, which exp alone cannot hold", large_scores},
    TraceFixture{"one-query", "one query, three keys: weights 0.576, 0.140, 0.284", one_query},
    TraceFixture{"one-query-changed-value",
                 "the third value is [100, 100]: the weights stay, the output moves",
                 one_query_changed_value},
    TraceFixture{"two-queries", "two queries, three keys, values of width one", two_queries},
    TraceFixture{"two-queries-shifted-values",
                 "five added to every value adds five to every output", two_queries_shifted_values},
    TraceFixture{"two-zero-queries", "zero queries answer the mean of the values, 20",
                 two_zero_queries},
};

}  // namespace

std::span<const TraceFixture> trace_fixtures() { return fixtures; }

const TraceFixture& find_trace_fixture(std::string_view name,
                                       std::span<const std::string_view> others) {
  std::vector<std::string_view> names;
  for (const TraceFixture& fixture : fixtures) {
    if (fixture.name == name) return fixture;
    names.push_back(fixture.name);
  }
  names.insert(names.end(), others.begin(), others.end());
  throw InputError("fixture", std::string(name), listed(names) + did_you_mean(name, names));
}

}  // namespace attest::cli

#include "attention/attention_trace.h"

#include <cmath>
#include <limits>
#include <string>

#include "attention/kv_head.h"
#include "attention/scoring.h"
#include "attention/softmax.h"

namespace attest {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void check_position(const char* field, Index position, Index extent) {
  if (position < 0 || position >= extent)
    throw InputError(field, std::to_string(position), "0 to " + std::to_string(extent - 1));
}

// The steps from q . k to the masked score. Returns whether any key is visible.
bool trace_scores(const Problem<double>& problem, Token query, Index kv, RowTrace& row) {
  const auto [b, h, i] = query;
  const ProblemSpec<double>& spec = problem.spec();
  const Scoring scoring(problem.shape(), spec.score, problem.visibility());
  bool any = false;
  for (Index j = 0; j < problem.shape().keys; ++j) {
    const bool sees = problem.visibility()(b, h, i, j) && !scoring.hidden(b, h, i, j);
    row.products.push_back(dot(spec.q, query, spec.k, {b, kv, j}));
    row.scaled.push_back(scoring.scaled(row.products.back()));
    row.capped.push_back(scoring.capped(row.scaled.back()));
    row.biased.push_back(scoring.biased(row.capped.back(), b, h, i, j));
    row.sloped.push_back(scoring.sloped(row.biased.back(), b, h, i, j));
    row.masked.push_back(sees ? row.sloped.back() : -infinity);
    any = any || sees;
  }
  return any;
}

// The steps from masked scores to weights, where some key is visible or a sink is given.
void trace_softmax(const double* sink, RowTrace& row) {
  row.max = sink ? *sink : -infinity;
  for (double score : row.masked) row.max = larger(row.max, score);
  row.sum = sink ? exponential(*sink, row.max) : 0;
  for (double score : row.masked) {
    row.shifted.push_back(score - row.max);
    row.exponentials.push_back(exponential(score, row.max));
    row.sum += row.exponentials.back();
  }
  for (double part : row.exponentials) row.weights.push_back(part / row.sum);
  row.lse = row.max + std::log(row.sum);
}

void trace_empty_row(EmptyRow convention, RowTrace& row) {
  row.max = row.lse = -infinity;
  row.shifted = row.masked;
  row.exponentials.assign(row.masked.size(), 0);
  row.weights.assign(row.masked.size(), empty_row_fill<double>(convention));
}

}  // namespace

RowTrace trace_row(const Problem<double>& problem, Index b, Index h, Index i) {
  const Shape& s = problem.shape();
  const ProblemSpec<double>& spec = problem.spec();
  check_position("batch", b, s.batch);
  check_position("head", h, s.query_heads);
  check_position("query", i, s.queries);
  const Index kv = kv_head(spec.head_map, s, h);

  RowTrace row;
  const bool any = trace_scores(problem, {b, h, i}, kv, row);
  const double* sink = spec.sinks.empty() ? nullptr : &spec.sinks[static_cast<std::size_t>(h)];
  if (any || sink)
    trace_softmax(sink, row);
  else
    trace_empty_row(spec.empty_row, row);
  row.output.assign(static_cast<std::size_t>(s.value_width), 0);
  for (Index j = 0; j < s.keys; ++j)
    if (const double weight = row.weights[static_cast<std::size_t>(j)]; weight != 0)
      for (Index c = 0; c < s.value_width; ++c)
        row.output[static_cast<std::size_t>(c)] += weight * spec.v(b, kv, j, c);
  return row;
}

}  // namespace attest

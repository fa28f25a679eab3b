#pragma once

#include <vector>

#include "attention/kv_head.h"
#include "attention/problem.h"

namespace attest::oracle_test {

// The triple loop anybody would write first, in any number type, unshifted. A second opinion on the
// oracle: it asks the kernels' Visibility and kv_head(), rounds at every step and calls Number's
// own exp.
template <class Number>
struct PlainRow {
  std::vector<Number> weights;  // one per key, 0 where hidden
  std::vector<Number> output;
  Number lse;
};

template <class Number, class T>
Number plain_score(const Problem<T>& problem, Index b, Index h, Index i, Index j) {
  const auto& spec = problem.spec();
  const Shape& s = problem.shape();
  const auto& rule = spec.score;
  const Index kv = kv_head(spec.head_map, s, h);
  Number score = 0;
  for (Index c = 0; c < s.width; ++c)
    score += Number(widen(spec.q(b, h, i, c))) * Number(widen(spec.k(b, kv, j, c)));
  score = rule.scale ? Number(score * Number(*rule.scale)) : Number(score / sqrt(Number(s.width)));
  if (rule.softcap) {
    const Number growth = exp(Number(2 * score / Number(*rule.softcap)));
    score = Number(*rule.softcap) * (growth - 1) / (growth + 1);
  }
  if (rule.bias) {
    const Extents& e = rule.bias->extents();
    score += Number(
        (*rule.bias)(e[0] == 1 ? 0 : b, e[1] == 1 ? 0 : h, e[2] == 1 ? 0 : i, e[3] == 1 ? 0 : j));
  }
  if (!rule.alibi_slopes.empty())
    score -= Number(rule.alibi_slopes[static_cast<std::size_t>(h)]) *
             Number(std::abs(j - problem.visibility().diagonal(b, i)));
  return score;
}

template <class T>
bool plain_sees(const Problem<T>& problem, Index b, Index h, Index i, Index j) {
  if (!problem.visibility()(b, h, i, j)) return false;
  if (!problem.spec().score.bias) return true;
  const auto& bias = *problem.spec().score.bias;
  const Extents& e = bias.extents();
  return std::isfinite(
      bias(e[0] == 1 ? 0 : b, e[1] == 1 ? 0 : h, e[2] == 1 ? 0 : i, e[3] == 1 ? 0 : j));
}

// A row that is not empty, or has a sink.
template <class Number, class T>
PlainRow<Number> plain_row(const Problem<T>& problem, Index b, Index h, Index i) {
  const auto& spec = problem.spec();
  const Shape& s = problem.shape();
  const Index kv = kv_head(spec.head_map, s, h);
  PlainRow<Number> row{std::vector<Number>(static_cast<std::size_t>(s.keys), Number(0)),
                       std::vector<Number>(static_cast<std::size_t>(s.value_width), Number(0)),
                       Number(0)};
  Number sum = 0;
  if (!spec.sinks.empty()) sum = exp(Number(spec.sinks[static_cast<std::size_t>(h)]));
  for (Index j = 0; j < s.keys; ++j)
    if (plain_sees(problem, b, h, i, j))
      sum += row.weights[static_cast<std::size_t>(j)] =
          exp(plain_score<Number>(problem, b, h, i, j));
  for (Number& weight : row.weights) weight /= sum;
  for (Index j = 0; j < s.keys; ++j)
    if (plain_sees(problem, b, h, i, j))
      for (Index c = 0; c < s.value_width; ++c)
        row.output[static_cast<std::size_t>(c)] +=
            row.weights[static_cast<std::size_t>(j)] * Number(widen(spec.v(b, kv, j, c)));
  row.lse = log(sum);
  return row;
}

}  // namespace attest::oracle_test

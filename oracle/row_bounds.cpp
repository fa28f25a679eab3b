#include "oracle/row_bounds.h"

#include <algorithm>
#include <cmath>

#include "oracle/score_error.h"
#include "oracle/visible_keys.h"

namespace attest::oracle {
namespace {

std::size_t place(Index n) { return static_cast<std::size_t>(n); }

// Everything that joins a row's denominator: its visible keys, then its sink where there is one.
struct Shares {
  std::vector<double> theta;   // |ln(machine's exponential / true one)|, common factors apart
  std::vector<double> change;  // how far the weight may move for theta
  std::vector<double> most;    // how large it may become
  double mean_theta = 0;       // sum weight theta
  double mean_growth = 0;      // sum weight (e^theta - 1)
  double numerator = 0;        // relative error of a sum of products, up to the division
  double denominator = 0;      // relative error of the sum of exponentials
  double underflow = 0;        // absolute, for values of at most 1
};

template <class T>
ScoreParts parts_of(const ProblemSpec<T>& spec, double score, Index b, Index h, Index kv, Index i,
                    Index j) {
  const Index width = spec.q.extents()[3];
  ScoreParts parts;
  parts.width = static_cast<double>(width);
  for (Index c = 0; c < width; ++c)
    parts.products += std::abs(static_cast<double>(widen(spec.q(b, h, i, c))) *
                               static_cast<double>(widen(spec.k(b, kv, j, c))));
  parts.scale = std::abs(spec.score.scale.value_or(1 / std::sqrt(parts.width)));
  parts.capped = spec.score.softcap.has_value();
  parts.entering = std::abs(score);
  if (!spec.score.alibi_slopes.empty()) {
    const double slope = static_cast<double>(spec.score.alibi_slopes[place(h)]) *
                         static_cast<double>(std::abs(j - facing_key(spec, b, i)));
    parts.slope = std::abs(slope);
    score += slope;
  }
  parts.after_bias = std::abs(score);
  parts.biased = spec.score.bias.has_value();
  if (parts.biased) {
    const Extents& e = spec.score.bias->extents();
    score -= static_cast<double>((*spec.score.bias)(b % e[0], h % e[1], i % e[2], j % e[3]));
  }
  parts.after_cap = std::abs(score);
  return parts;
}

// Errors of the row's scores, the sink's (none) last.
template <class T>
std::vector<double> score_errors(const ProblemSpec<T>& spec, const ExactRow& row, Index b, Index h,
                                 Index i, const Arithmetic& a) {
  const Index kv = kv_heads_of(spec.head_map, spec.q.extents()[1], spec.k.extents()[1])[place(h)];
  std::vector<double> errors;
  for (std::size_t n = 0; n < row.keys.size(); ++n)
    errors.push_back(score_error(
        parts_of(spec, static_cast<double>(row.scores[n]), b, h, kv, i, row.keys[n]), a));
  if (!spec.sinks.empty()) errors.push_back(0);
  return errors;
}

Shares shares_of(const std::vector<double>& scores, const std::vector<double>& log_weights,
                 const std::vector<double>& errors, const Arithmetic& a) {
  Shares shares;
  const double u = a.roundoff;
  const double rescales = static_cast<double>(a.rescales);
  const double count = static_cast<double>(scores.size());
  const double top = *std::ranges::max_element(scores);
  const double worst = *std::ranges::max_element(errors);
  // A single share is its own maximum: its weight is 1 whatever its (finite) score.
  const bool alone = scores.size() == 1 && std::isfinite(worst);
  for (std::size_t n = 0; n < scores.size(); ++n) {
    const double shift = u * (top - scores[n] + 2 * worst);
    const double theta = alone ? 0 : errors[n] + shift + exp_error * (rescales + 1) * u;
    shares.theta.push_back(theta);
    shares.mean_theta += std::exp(log_weights[n]) * theta;
    shares.mean_growth += std::exp(log_weights[n]) * std::expm1(theta);
  }
  for (std::size_t n = 0; n < scores.size(); ++n) {
    const double grown = log_weights[n] + shares.mean_theta;
    shares.change.push_back(std::exp(grown) * std::expm1(shares.theta[n]));
    shares.most.push_back(std::min(1.0, std::exp(grown + shares.theta[n])));
  }
  shares.numerator = gamma(count + 1 + rescales, u) * (1 + a.weight_roundoff) + a.weight_roundoff;
  shares.denominator = gamma(count - 1 + rescales, u);
  shares.underflow = 4 * (count + rescales + 1) * a.least_normal;
  return shares;
}

// The bound of sum_n weight_n value_n = truth, stored as the output is.
Bound mixture_bound(const Shares& shares, const std::vector<double>& values, double truth,
                    const Arithmetic& a, bool stored) {
  double moved = 0, mixed = 0, largest = 0, spread = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double apart = std::abs(values[n] - truth);
    moved += shares.change[n] * (apart + std::abs(truth) * 0x1p-52);  // truth is rounded to double
    mixed += shares.most[n] * std::abs(values[n]);
    largest = std::max(largest, std::abs(values[n]));
    spread = std::max(spread, apart);
  }
  const bool equal = std::ranges::all_of(values, [&](double v) { return v == values.front(); });
  const double kept = 1 - shares.denominator;
  Bound bound;
  bound.weights = equal ? 0 : moved / kept;
  bound.sums = (shares.numerator + shares.denominator) * std::min(mixed, largest) / kept;
  bound.underflow = shares.underflow * (1 + largest);
  if (stored)
    bound.storage = a.output_roundoff * (std::abs(truth) + bound.total()) + a.output_least;
  const double limit = stored ? a.output_largest : a.largest;
  const bool says_something = equal || bound.weights + bound.underflow < spread;
  const bool holds = static_cast<double>(values.size()) * 2 * largest < a.largest &&
                     std::abs(truth) + bound.total() < limit;
  bound.judged = kept > 0 && says_something && holds && std::isfinite(bound.total());
  return bound;
}

Bound lse_bound(const Shares& shares, double lse, const Arithmetic& a) {
  const double count = static_cast<double>(shares.theta.size());
  const double summed = -std::log1p(-shares.denominator);
  Bound bound;
  bound.weights = std::log1p(shares.mean_growth);
  bound.sums = summed + log_error * a.roundoff * (std::log(count) + bound.weights + summed);
  bound.underflow = shares.underflow;
  bound.storage = a.roundoff * (std::abs(lse) + bound.total());
  bound.judged = std::isfinite(bound.total());
  return bound;
}

// A score error that the single share's weight does not feel is felt by its LSE.
double lse_only(const std::vector<double>& errors, const Arithmetic& a) {
  return errors.size() == 1 ? errors.front() * (1 + a.roundoff) : 0;
}

}  // namespace

template <class T>
RowBounds bounds_of(const ProblemSpec<T>& spec, const ExactRow& row, Index b, Index h, Index i,
                    const Arithmetic& arithmetic) {
  RowBounds bounds{std::vector<Bound>(row.output.size()), std::vector<Bound>(row.keys.size()), {}};
  const bool sink = !spec.sinks.empty();
  if (row.keys.empty() && !sink) return bounds;
  std::vector<double> scores, log_weights;
  for (const Real& score : row.scores) {
    scores.push_back(static_cast<double>(score));
    log_weights.push_back(static_cast<double>(Real(score - row.lse)));
  }
  if (sink) {
    const Real logit(spec.sinks[place(h)]);
    scores.push_back(static_cast<double>(logit));
    log_weights.push_back(static_cast<double>(Real(logit - row.lse)));
  }
  const std::vector<double> errors = score_errors(spec, row, b, h, i, arithmetic);
  const Shares shares = shares_of(scores, log_weights, errors, arithmetic);
  const Index kv = kv_heads_of(spec.head_map, spec.q.extents()[1], spec.k.extents()[1])[place(h)];
  std::vector<double> values(scores.size(), 0.0);
  for (std::size_t c = 0; c < row.output.size(); ++c) {
    for (std::size_t n = 0; n < row.keys.size(); ++n)
      values[n] = static_cast<double>(widen(spec.v(b, kv, row.keys[n], static_cast<Index>(c))));
    bounds.output[c] =
        mixture_bound(shares, values, static_cast<double>(row.output[c]), arithmetic, true);
  }
  std::ranges::fill(values, 0.0);
  for (std::size_t n = 0; n < row.keys.size(); ++n) {
    values[n] = 1;
    bounds.weights[n] =
        mixture_bound(shares, values, static_cast<double>(row.weights[n]), arithmetic, false);
    values[n] = 0;
  }
  bounds.lse = lse_bound(shares, static_cast<double>(row.lse), arithmetic);
  bounds.lse.weights += lse_only(errors, arithmetic);
  return bounds;
}

#define ATTEST_INSTANTIATE(T)                                                               \
  template RowBounds bounds_of(const ProblemSpec<T>&, const ExactRow&, Index, Index, Index, \
                               const Arithmetic&);
ATTEST_INSTANTIATE(float)
ATTEST_INSTANTIATE(double)
ATTEST_INSTANTIATE(Float16)
ATTEST_INSTANTIATE(BFloat16)
#undef ATTEST_INSTANTIATE

}  // namespace attest::oracle

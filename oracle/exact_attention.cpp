#include "oracle/exact_attention.h"

#include <algorithm>
#include <limits>
#include <string>

#include "oracle/exact_sum.h"
#include "oracle/visible_keys.h"

namespace attest::oracle {
namespace {

std::size_t place(Index n) { return static_cast<std::size_t>(n); }

template <class T>
std::vector<Dyadic> take_apart_all(const TensorView<const T>& tensor) {
  const Extents& e = tensor.extents();
  std::vector<Dyadic> parts;
  parts.reserve(place(e[0] * e[1] * e[2] * e[3]));
  for (Index b = 0; b < e[0]; ++b)
    for (Index h = 0; h < e[1]; ++h)
      for (Index n = 0; n < e[2]; ++n)
        for (Index c = 0; c < e[3]; ++c) parts.push_back(take_apart(widen(tensor(b, h, n, c))));
  return parts;
}

void require_finite(const char* tensor, const Dyadic* row, Index width, Index n) {
  if (!std::all_of(row, row + width, [](const Dyadic& x) { return x.finite(); }))
    throw InputError(tensor, "not finite in row " + std::to_string(n),
                     "finite elements wherever they are visible: the true result is no number");
}

Real within_range(const char* field, const Real& score) {
  if (abs(score) > largest_score)
    throw InputError(field, score.str(6, std::ios_base::scientific),
                     "a number within +-2^61, whose exponential the oracle can hold");
  return score;
}

// 1 - tanh 200 is below 1e-173.
Real hyperbolic_tangent(const Real& x) {
  const Real size = abs(x);
  Real magnitude = 1;
  if (size < 0.5) {
    magnitude = tanh(size);
  } else if (size < 200) {
    const Real decay = to_real(exponential(-2 * size));
    magnitude = (1 - decay) / (1 + decay);
  }
  return x < 0 ? Real(-magnitude) : magnitude;
}

}  // namespace

template <class T>
ExactAttention<T>::ExactAttention(const ProblemSpec<T>& spec)
    : spec_(spec),
      shape_(shape_of(spec)),
      kv_heads_(kv_heads_of(spec.head_map, shape_.query_heads, shape_.kv_heads)),
      scale_(spec.score.scale ? Real(*spec.score.scale) : Real(1 / sqrt(Real(shape_.width)))),
      q_(take_apart_all(spec.q)),
      k_(take_apart_all(spec.k)),
      v_(take_apart_all(spec.v)),
      zeros_(place(shape_.value_width)) {}

template <class T>
const Dyadic* ExactAttention<T>::q_row(Index b, Index h, Index i) const {
  return &q_[place(((b * shape_.query_heads + h) * shape_.queries + i) * shape_.width)];
}

template <class T>
const Dyadic* ExactAttention<T>::k_row(Index b, Index kv, Index j) const {
  return &k_[place(((b * shape_.kv_heads + kv) * shape_.keys + j) * shape_.width)];
}

template <class T>
const Dyadic* ExactAttention<T>::v_row(Index b, Index kv, Index j) const {
  return &v_[place(((b * shape_.kv_heads + kv) * shape_.keys + j) * shape_.value_width)];
}

template <class T>
Real ExactAttention<T>::score(const Real& dot, Index b, Index h, Index i, Index j) const {
  const auto& rule = spec_.score;
  Real s = dot * scale_;
  if (rule.softcap) s = Real(*rule.softcap) * hyperbolic_tangent(s / Real(*rule.softcap));
  if (rule.bias) {
    const Extents& e = rule.bias->extents();
    s += Real((*rule.bias)(b % e[0], h % e[1], i % e[2], j % e[3]));
  }
  if (!rule.alibi_slopes.empty())
    s -= Real(rule.alibi_slopes[place(h)]) * std::abs(facing_key(spec_, b, i) - j);
  return within_range("score", s);
}

template <class T>
std::vector<Real> ExactAttention<T>::scores(Index b, Index h, Index i,
                                            const std::vector<Index>& keys) const {
  const Index kv = kv_heads_[place(h)];
  const Dyadic* q = q_row(b, h, i);
  require_finite("q", q, shape_.width, i);
  std::vector<Real> scores;
  scores.reserve(keys.size());
  ExactSum dot;
  for (const Index j : keys) {
    const Dyadic* k = k_row(b, kv, j);
    require_finite("k", k, shape_.width, j);
    dot.clear();
    for (Index c = 0; c < shape_.width; ++c) dot.add_product(q[c], k[c]);
    scores.push_back(score(dot.value(), b, h, i, j));
  }
  return scores;
}

// The keys' exponentials with their values, and the sink's with a value of zero.
template <class T>
std::vector<Share> ExactAttention<T>::shares_of(Index b, Index h, const ExactRow& row) const {
  std::vector<Share> shares;
  shares.reserve(row.keys.size() + 1);
  for (std::size_t n = 0; n < row.keys.size(); ++n) {
    const Dyadic* v = v_row(b, kv_heads_[place(h)], row.keys[n]);
    require_finite("v", v, shape_.value_width, row.keys[n]);
    shares.push_back({exponential(row.scores[n]), v});
  }
  if (!spec_.sinks.empty())
    shares.push_back(
        {exponential(within_range("sink", Real(spec_.sinks[place(h)]))), zeros_.data()});
  return shares;
}

template <class T>
ExactRow ExactAttention<T>::empty_row() const {
  if (spec_.empty_row == EmptyRow::error)
    throw InputError("visibility", "a row without a visible key",
                     "a visible key in every row, or empty_row = zero or nan");
  const Real fill =
      spec_.empty_row == EmptyRow::zero ? Real(0) : std::numeric_limits<Real>::quiet_NaN();
  return {.keys = {},
          .scores = {},
          .weights = {},
          .output = std::vector<Real>(place(shape_.value_width), fill),
          .lse = -std::numeric_limits<Real>::infinity()};
}

template <class T>
ExactRow ExactAttention<T>::row(Index b, Index h, Index i) const {
  ATTEST_CHECK(0 <= b && b < shape_.batch);
  ATTEST_CHECK(0 <= h && h < shape_.query_heads);
  ATTEST_CHECK(0 <= i && i < shape_.queries);
  ExactRow row;
  row.keys = visible_keys(spec_, b, h, i);
  if (row.keys.empty() && spec_.sinks.empty()) return empty_row();
  row.scores = scores(b, h, i, row.keys);
  const std::vector<Share> shares = shares_of(b, h, row);
  row.output = mixture(shares, place(shape_.value_width));
  const Real sum = row.output.back();
  row.output.pop_back();
  const Real inverse = 1 / sum;
  for (Real& x : row.output) x *= inverse;
  for (std::size_t n = 0; n < row.keys.size(); ++n)
    row.weights.push_back(to_real(shares[n].part) * inverse);
  row.lse = logarithm(sum);
  return row;
}

template class ExactAttention<float>;
template class ExactAttention<double>;
template class ExactAttention<Float16>;
template class ExactAttention<BFloat16>;

}  // namespace attest::oracle

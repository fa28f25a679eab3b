#pragma once

#include <vector>

#include "attention/problem_spec.h"
#include "attention/shape.h"
#include "oracle/dyadic.h"
#include "oracle/mixture.h"
#include "oracle/real.h"

namespace attest::oracle {

// The true result of one query: what a row of attention is before any machine rounds it.
struct ExactRow {
  std::vector<Index> keys;    // visible ones, ascending
  std::vector<Real> scores;   // of these keys, as they enter the exponential
  std::vector<Real> weights;  // of these keys; every other key's weight is exactly 0
  std::vector<Real> output;   // value_width
  Real lse;                   // natural logarithm
};

// Scores and sinks beyond this have exponentials whose quotients no exponent of 64 bits holds.
constexpr std::int64_t largest_score = std::int64_t{1} << 61;

// Attention as its definition reads, of every element at its exact binary value:
//   weight_j = exp(s_j) / (sum exp(s) + exp(sink)),   output = sum weight_j v_j,   lse = log(sum)
// with unshifted exponentials: no maximum is subtracted, so no kernel's shift is shared.
// scale absent is 1/sqrt(width) itself, unrounded; a given scale, softcap, bias, slope or sink is
// the binary value given. (A kernel in float rounds these to float: its error, and in its bound.)
// Precision: weights to 50 significant digits; each output to 1e-50 * sum weight_j |v_j|; lse to
// 1e-50 * max(1, |lse|); scores to 1e-50 * max(1, sum |q k| scale).
template <class T>
class ExactAttention {
 public:
  // `spec` must be one that Problem accepts; its elements are copied.
  explicit ExactAttention(const ProblemSpec<T>& spec);

  // Throws InputError where the row's true result is not a number the oracle can hold: a visible
  // element that is not finite, a score beyond largest_score, an empty row under EmptyRow::error.
  // An empty row gives what its convention says: output 0 or NaN, lse -infinity.
  ExactRow row(Index b, Index h, Index i) const;

  const Shape& shape() const { return shape_; }
  const ProblemSpec<T>& spec() const { return spec_; }

 private:
  using Parts = std::vector<Dyadic>;

  const Dyadic* q_row(Index b, Index h, Index i) const;
  const Dyadic* k_row(Index b, Index kv, Index j) const;
  const Dyadic* v_row(Index b, Index kv, Index j) const;
  Real score(const Real& dot, Index b, Index h, Index i, Index j) const;
  std::vector<Real> scores(Index b, Index h, Index i, const std::vector<Index>& keys) const;
  std::vector<Share> shares_of(Index b, Index h, const ExactRow& row) const;
  ExactRow empty_row() const;

  ProblemSpec<T> spec_;
  Shape shape_;
  std::vector<Index> kv_heads_;
  Real scale_;
  Parts q_;
  Parts k_;
  Parts v_;
  Parts zeros_;
};

extern template class ExactAttention<float>;
extern template class ExactAttention<double>;
extern template class ExactAttention<Float16>;
extern template class ExactAttention<BFloat16>;

}  // namespace attest::oracle

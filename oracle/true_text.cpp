#include "oracle/true_text.h"

#include <cmath>
#include <cstdint>

#include "oracle/exact_attention.h"
#include "oracle/exponential.h"

namespace attest::oracle {
namespace {

// In decimal to so many digits. The number type writes numbers of ordinary size; its powers of ten
// take forever at exponents of 10^18, so there the exponent is found by a logarithm.
std::string decimal(const Real& x, int digits) {
  constexpr std::int64_t ordinary = 20'000;  // binary exponents
  if (x == 0 || !isfinite(x) || std::abs(static_cast<std::int64_t>(ilogb(x))) < ordinary)
    return x.str(digits);
  const Real ln10 = logarithm(Real(10));
  Real exponent = floor(Real(logarithm(Real(abs(x))) / ln10));
  const Real rest = logarithm(Real(abs(x))) - exponent * ln10;
  std::string leading = to_real(exponential(rest)).str(digits);
  if (leading.starts_with("10")) {  // rounded up to the next power
    leading = "1";
    exponent += 1;
  }
  return (x < 0 ? "-" : "") + leading + "e" + std::to_string(static_cast<std::int64_t>(exponent));
}

}  // namespace

template <class T>
struct TrueText<T>::Truth {
  ExactAttention<T> exact;
};

template <class T>
TrueText<T>::TrueText(const ProblemSpec<T>& spec, int digits)
    : truth_(new Truth{ExactAttention<T>(spec)}), digits_(digits) {}
template <class T>
TrueText<T>::~TrueText() = default;

template <class T>
RowText TrueText<T>::row(Index b, Index h, Index i, bool weights) const {
  const ExactRow exact = truth_->exact.row(b, h, i);
  RowText text;
  for (const Real& x : exact.output) text.output.push_back(decimal(x, digits_));
  text.lse = decimal(exact.lse, digits_);
  if (!weights) return text;
  text.weights.assign(static_cast<std::size_t>(truth_->exact.shape().keys), "0");
  for (std::size_t n = 0; n < exact.keys.size(); ++n)
    text.weights[static_cast<std::size_t>(exact.keys[n])] = decimal(exact.weights[n], digits_);
  return text;
}

template class TrueText<float>;
template class TrueText<double>;
template class TrueText<Float16>;
template class TrueText<BFloat16>;

}  // namespace attest::oracle

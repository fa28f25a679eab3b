#include "oracle/true_text.h"

#include "oracle/exact_attention.h"

namespace attest::oracle {

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
RowText TrueText<T>::row(Index b, Index h, Index i) const {
  const ExactRow exact = truth_->exact.row(b, h, i);
  RowText text;
  for (const Real& x : exact.output) text.output.push_back(x.str(digits_));
  text.weights.assign(static_cast<std::size_t>(truth_->exact.shape().keys), "0");
  for (std::size_t n = 0; n < exact.keys.size(); ++n)
    text.weights[static_cast<std::size_t>(exact.keys[n])] = exact.weights[n].str(digits_);
  text.lse = exact.lse.str(digits_);
  return text;
}

template class TrueText<float>;
template class TrueText<double>;
template class TrueText<Float16>;
template class TrueText<BFloat16>;

}  // namespace attest::oracle

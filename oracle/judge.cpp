#include "oracle/judge.h"

#include <cmath>
#include <limits>

#include "oracle/row_bounds.h"

namespace attest::oracle {
namespace {

Expected expect(const Real& truth, const Bound& bound) {
  const double nearest = static_cast<double>(truth);
  const double rest = std::isfinite(nearest) ? static_cast<double>(Real(truth - nearest)) : 0.0;
  return {nearest, rest, bound};
}

std::vector<Expected> expect(const std::vector<Real>& truths, const std::vector<Bound>& bounds) {
  std::vector<Expected> expected;
  expected.reserve(truths.size());
  for (std::size_t n = 0; n < truths.size(); ++n) expected.push_back(expect(truths[n], bounds[n]));
  return expected;
}

}  // namespace

double Expected::distance(double got) const { return std::abs((got - nearest) - rest); }

std::optional<double> Expected::ratio(double got) const {
  constexpr double missed = std::numeric_limits<double>::infinity();
  if (std::isnan(nearest)) return std::isnan(got) ? 0 : missed;
  if (got == nearest && rest == 0) return 0;
  if (!bound.judged) return std::nullopt;
  const double ratio = distance(got) / bound.total();
  return std::isnan(ratio) ? missed : ratio;
}

template <class T>
struct Judge<T>::Truth {
  ExactAttention<T> exact;
};

template <class T>
Judge<T>::Judge(const ProblemSpec<T>& spec, const Arithmetic& arithmetic)
    : truth_(new Truth{ExactAttention<T>(spec)}), arithmetic_(arithmetic) {}
template <class T>
Judge<T>::~Judge() = default;
template <class T>
Judge<T>::Judge(Judge&&) noexcept = default;
template <class T>
Judge<T>& Judge<T>::operator=(Judge&&) noexcept = default;

template <class T>
ExpectedRow Judge<T>::row(Index b, Index h, Index i) const {
  const ExactRow exact = truth_->exact.row(b, h, i);
  const RowBounds bounds = bounds_of(truth_->exact.spec(), exact, b, h, i, arithmetic_);
  return {exact.keys, expect(exact.output, bounds.output), expect(exact.weights, bounds.weights),
          expect(exact.lse, bounds.lse)};
}

template class Judge<float>;
template class Judge<double>;
template class Judge<Float16>;
template class Judge<BFloat16>;

}  // namespace attest::oracle

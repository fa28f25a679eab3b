#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "attention/problem_spec.h"
#include "oracle/arithmetic.h"
#include "oracle/bound.h"

namespace attest::oracle {

// One number of the truth with its bound. Free of multiprecision: the truth is held as the double
// nearest to it and the double nearest to the rest, 32 digits together.
struct Expected {
  double nearest = 0;
  double rest = 0;
  Bound bound;

  // |got - truth|.
  double distance(double got) const;

  // distance / bound: at most 1 for a correct implementation. Absent where the bound judges
  // nothing. A truth that is NaN or infinite is met by the same (ratio 0) or missed (ratio
  // infinity); so is a truth with a bound of 0.
  std::optional<double> ratio(double got) const;
};

struct ExpectedRow {
  std::vector<Index> keys;        // visible ones, ascending
  std::vector<Expected> output;   // value_width
  std::vector<Expected> weights;  // of these keys; of every other key exactly 0
  Expected lse;
};

// What a correct implementation in `arithmetic` may answer to a problem.
template <class T>
class Judge {
 public:
  // `spec` must be one that Problem accepts, and outlive the judge.
  Judge(const ProblemSpec<T>& spec, const Arithmetic& arithmetic);
  ~Judge();
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;

  // Throws InputError where there is no true result (ExactAttention::row says when).
  ExpectedRow row(Index b, Index h, Index i) const;

 private:
  struct Truth;
  std::unique_ptr<Truth> truth_;
  Arithmetic arithmetic_;
};

extern template class Judge<float>;
extern template class Judge<double>;
extern template class Judge<Float16>;
extern template class Judge<BFloat16>;

}  // namespace attest::oracle

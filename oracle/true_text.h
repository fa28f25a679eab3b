#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attention/problem_spec.h"

namespace attest::oracle {

// A true row in decimal. Free of multiprecision.
struct RowText {
  std::vector<std::string> output;   // value_width
  std::vector<std::string> weights;  // of every key; "0" where it is hidden
  std::string lse;
};

// The truth to so many significant digits, 1 to 50.
template <class T>
class TrueText {
 public:
  // `spec` must be one that Problem accepts, and outlive the object.
  TrueText(const ProblemSpec<T>& spec, int digits);
  ~TrueText();
  TrueText(const TrueText&) = delete;
  TrueText& operator=(const TrueText&) = delete;

  // Throws InputError where there is no true result (ExactAttention::row says when). Without
  // `weights` these are left out.
  RowText row(Index b, Index h, Index i, bool weights = true) const;

 private:
  struct Truth;
  std::unique_ptr<Truth> truth_;
  int digits_;
};

extern template class TrueText<float>;
extern template class TrueText<double>;
extern template class TrueText<Float16>;
extern template class TrueText<BFloat16>;

}  // namespace attest::oracle

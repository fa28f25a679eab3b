#pragma once

#include "attention/problem_spec.h"
#include "attention/shape.h"
#include "attention/visibility.h"

namespace attest {

// What the caller promises of the elements.
enum class Contents {
  finite,     // checked: q, k, v of every element must be finite
  unchecked,  // anything, so that poison in hidden keys and values can be tested
};

// A valid attention call: every function over it is total. Views are not owned.
template <class T>
class Problem {
 public:
  using Element = T;
  using Acc = Accumulator<T>;

  // Throws InputError naming the first field at fault: q/k widths, k/v counts, batches or kv heads
  // that differ, heads that do not divide, any extent below 1, non-finite elements (unless
  // unchecked), scale, softcap, bias, slopes and sinks out of range, everything Visibility
  // refuses, and (under EmptyRow::error) a row with no visible key.
  explicit Problem(const ProblemSpec<T>& spec, Contents contents = Contents::finite);

  const Shape& shape() const { return shape_; }
  const ProblemSpec<T>& spec() const { return spec_; }
  const Visibility& visibility() const { return visibility_; }

 private:
  ProblemSpec<T> spec_;
  Shape shape_;
  Visibility visibility_;
};

extern template class Problem<float>;
extern template class Problem<double>;
extern template class Problem<Float16>;
extern template class Problem<BFloat16>;

}  // namespace attest

#pragma once

#include "attention/owned_problem.h"
#include "tests/properties/candidate.h"
#include "tests/properties/recipe.h"

namespace attest::properties {

// What an implementation answered, row-major whatever layout it wrote.
template <class T>
struct Answer {
  Status status;
  Tensor<T> output;
  Tensor<Accumulator<T>> lse;      // NaN where not given
  Tensor<Accumulator<T>> weights;  // NaN where not given
  bool has_lse = false;
  bool has_weights = false;
  bool inputs_changed = false;   // an element of an input, or beside it, was overwritten
  bool outside_written = false;  // something beside a result's elements was
};

// How a call is made.
struct Manner {
  Layout layout = Layout::row_major;  // of q, k, v and the results
  Tiles tiles{4, 4};
  Contents contents = Contents::unchecked;
  bool weights = true;  // ask for them where the implementation gives them
  bool lse = true;
  // What result storage holds before the call: NaN, or an ordinary number.
  bool prefill_nan = true;
};

// Asks once. Inputs are copied to storage of their own, laid out as asked, with guards of NaN
// between and around the elements; result storage is guarded too.
template <class T>
Answer<T> call(Candidate& candidate, const OwnedProblem<T>& problem, const Manner& manner);

}  // namespace attest::properties

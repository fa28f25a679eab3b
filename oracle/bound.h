#pragma once

namespace attest::oracle {

// How far one number of a correct implementation may lie from the truth, term by term;
// docs/bound.md derives each.                                                     [Higham02]
// [Blanchard21]
struct Bound {
  double weights = 0;    // scores, shifts and exponentials rounded: the weights are perturbed
  double sums = 0;       // products, sums, rescalings and the division
  double underflow = 0;  // exponentials and products below the least normal number
  double storage = 0;    // the result rounded to the type it is stored in
  // False where the bound says nothing: it is as wide as the values themselves, or a correct
  // implementation may overflow. Such a number is not judged by its distance from the truth.
  bool judged = true;

  double total() const { return weights + sums + underflow + storage; }
};

}  // namespace attest::oracle

#pragma once

#include "oracle/arithmetic.h"

namespace attest::oracle {

// What one score is made of, in magnitudes.
struct ScoreParts {
  double width = 0;     // terms of the dot product
  double products = 0;  // sum |q_c k_c|
  double scale = 0;     // |scale|
  bool capped = false;
  double after_cap = 0;  // |score| once scaled and, where it is, capped
  bool biased = false;
  double after_bias = 0;
  double slope = 0;     // |ALiBi's part|
  double entering = 0;  // |score| as it enters the exponential
};

// How far a machine's score may lie from the true one: a running error through scale, cap, bias and
// slope. Infinite where the machine's score may overflow.                  [Higham02] ch. 3
double score_error(const ScoreParts& parts, const Arithmetic& arithmetic);

// gamma_k = k u / (1 - k u): k roundings in a row are one relative error of at most this.
double gamma(double k, double roundoff);

}  // namespace attest::oracle

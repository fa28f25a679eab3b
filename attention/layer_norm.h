#pragma once

#include <vector>

#include "attention/matrix.h"

namespace attest {

// Normalisation of each token over its own features:
//   gain * (x - mean) / sqrt(variance + epsilon) + bias
// with the population variance (divided by the feature count) and epsilon inside the root. Tokens
// do not see each other. Empty gain and bias stand for ones and zeros. [Ba16]
struct LayerNorm {
  double epsilon = 1e-5;  // finite and >= 0
  std::vector<double> gain{};
  std::vector<double> bias{};
};

// Throws InputError for gain or bias of another width than x, or a negative epsilon.
Matrix normalise(const Matrix& x, const LayerNorm& norm);

}  // namespace attest

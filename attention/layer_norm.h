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

// Before gain and bias, n features being finite and of any size (n up to 2^20),
//   |out - exact| <= layer_norm_roundings(n) * 2^-53 * spread + n^2 * 2^-1073,
//   spread = (largest - least feature) / sqrt(variance + epsilon) <= sqrt(2 n):
// no square overflows or vanishes, and an offset common to all features costs nothing. Features
// that are all equal give exactly 0, or NaN where epsilon is 0 too. Gain and bias add a rounding
// each. A token with a feature that is not finite becomes NaN, alone.
// Throws InputError for gain or bias of another width than x or not finite, and for an epsilon
// negative or not finite.
Matrix normalise(const Matrix& x, const LayerNorm& norm);

// (n + 3) (2 + sqrt(n)) roundings, sqrt(n) taken at (n + 1) / 2; layer_norm.cpp derives it.
constexpr double layer_norm_roundings(Index features) {
  const auto n = static_cast<double>(features);
  return (n + 4) * (n + 4) / 2;
}

}  // namespace attest

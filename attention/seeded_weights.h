#pragma once

#include <cmath>
#include <cstdint>

#include "attention/feed_forward.h"
#include "attention/multi_head.h"

namespace attest {

// Weights that stand for learned ones: from the seed alone, the same on every platform. Numbers
// come from the SplitMix64 sequence, their upper 53 bits taken as a fraction. [Steele14]
class SeededWeights {
 public:
  explicit SeededWeights(std::uint64_t seed) : state_(seed) {}

  // Uniform in [-bound, bound).
  double uniform(double bound) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return bound * (static_cast<double>(z >> 11) * 0x1p-52 - 1.0);
  }

  Matrix matrix(Index rows, Index columns, double bound) {
    Matrix m(rows, columns);
    for (double& x : m.elements()) x = uniform(bound);
    return m;
  }

  // Weight and bias uniform within 1/sqrt(in).
  Linear linear(Index in, Index out) {
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    Linear layer{.weight = matrix(in, out, bound)};
    for (Index c = 0; c < out; ++c) layer.bias.push_back(uniform(bound));
    return layer;
  }

  // Heads that divide the width among them, reading memory of the same width.
  MultiHead multi_head(Index width, Index heads) {
    return {.heads = heads,
            .kv_heads = heads,
            .query = linear(width, width),
            .key = linear(width, width),
            .value = linear(width, width),
            .output = linear(width, width)};
  }

 private:
  std::uint64_t state_;
};

}  // namespace attest

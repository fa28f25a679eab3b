#pragma once

#include <vector>

#include "attention/matrix.h"

namespace attest {

// An affine map of each token: x weight + bias. An empty bias stands for zeros.
struct Linear {
  Matrix weight{};  // in x out
  std::vector<double> bias{};
};

// Throws InputError where x's width is not the weight's input width, or the bias does not fit.
Matrix apply(const Linear& linear, const Matrix& x);

// max(0, x), element by element.
Matrix relu(const Matrix& x);

// contract(relu(expand(x))): every token alone, all by the same weights.     [Vaswani17] sec. 3.3
struct FeedForward {
  Linear expand{};
  Linear contract{};
};
Matrix apply(const FeedForward& feed_forward, const Matrix& x);

}  // namespace attest

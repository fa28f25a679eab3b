#include "attention/feed_forward.h"

#include <algorithm>
#include <string>

#include "attention/error.h"

namespace attest {

Matrix apply(const Linear& linear, const Matrix& x) {
  Matrix out = multiply(x, linear.weight);
  if (linear.bias.empty()) return out;
  if (std::ssize(linear.bias) != out.columns())
    throw InputError("bias", std::to_string(linear.bias.size()) + " values",
                     std::to_string(out.columns()) + ", one per output feature");
  for (Index r = 0; r < out.rows(); ++r)
    std::ranges::transform(out.row(r), linear.bias, out.row(r).begin(), std::plus<>());
  return out;
}

Matrix relu(const Matrix& x) {
  Matrix out = x;
  for (double& value : out.elements()) value = std::max(0.0, value);
  return out;
}

Matrix apply(const FeedForward& feed_forward, const Matrix& x) {
  return apply(feed_forward.contract, relu(apply(feed_forward.expand, x)));
}

}  // namespace attest

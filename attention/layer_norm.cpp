#include "attention/layer_norm.h"

#include <cmath>
#include <string>

#include "attention/error.h"

namespace attest {
namespace {

void check_width(const char* field, const std::vector<double>& values, Index width) {
  if (!values.empty() && std::ssize(values) != width)
    throw InputError(field, std::to_string(values.size()) + " values",
                     std::to_string(width) + ", one per feature");
}

}  // namespace

Matrix normalise(const Matrix& x, const LayerNorm& norm) {
  check_width("gain", norm.gain, x.columns());
  check_width("bias", norm.bias, x.columns());
  if (!(norm.epsilon >= 0) || std::isinf(norm.epsilon))
    throw InputError("epsilon", std::to_string(norm.epsilon), "a finite number of 0 or more");
  Matrix out = x;
  const auto width = static_cast<double>(x.columns());
  for (Index r = 0; r < x.rows(); ++r) {
    double mean = 0;
    for (const double value : x.row(r)) mean += value;
    mean /= width;
    double variance = 0;
    for (const double value : x.row(r)) variance += (value - mean) * (value - mean);
    variance /= width;
    for (Index c = 0; c < x.columns(); ++c) {
      const auto feature = static_cast<std::size_t>(c);
      out(r, c) = (x(r, c) - mean) / std::sqrt(variance + norm.epsilon);
      if (!norm.gain.empty()) out(r, c) *= norm.gain[feature];
      if (!norm.bias.empty()) out(r, c) += norm.bias[feature];
    }
  }
  return out;
}

}  // namespace attest

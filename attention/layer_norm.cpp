#include "attention/layer_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "attention/error.h"

namespace attest {
namespace {

bool finite(double x) { return std::isfinite(x); }

void check_parameter(const char* field, const std::vector<double>& values, Index width) {
  if (values.empty()) return;
  if (std::ssize(values) != width)
    throw InputError(field, std::to_string(values.size()) + " values",
                     std::to_string(width) + ", one per feature");
  const auto odd = std::ranges::find_if_not(values, finite);
  if (odd != values.end()) throw InputError(field, std::to_string(*odd), "finite numbers");
}

double largest_size(std::span<const double> row) {
  double largest = 0;
  for (const double x : row) largest = std::max(largest, std::abs(x));
  return largest;
}

// The power of two in which a row is counted: its features and sqrt(epsilon) are below 2 then, and
// one of them is 1 or more.
int binary_unit(std::span<const double> row, double epsilon) {
  const double largest = std::max(largest_size(row), std::sqrt(epsilon));
  return largest > 0 ? std::ilogb(largest) : 0;
}

// Replaces a row of finite features by (x - mean) / sqrt(variance + epsilon).
//
// With u = 2^-53, R the range of the features, n their count and r the root, to first order in u:
// a difference from the first feature is off by u R, the mean of differences by (n + 1) u R, a
// deviation by a = (n + 3) u R. Deviations off by a move the root by a, its own operations by
// (n/2 + 2) u r. The quotient z is therefore off by
//   a/r (1 + |z|) + (n/2 + 3) u |z|,
// and |z| <= sqrt(n), |z| <= R/r. Differences from the first feature rather than a mean of features
// keep all this a matter of R: a mean of 0.1s is not 0.1.
void standardise(std::span<double> row, double epsilon) {
  const int unit = binary_unit(row, epsilon);
  const auto count = static_cast<double>(row.size());
  const double first = std::scalbn(row.front(), -unit);
  double mean = 0;
  for (double& x : row) mean += x = std::scalbn(x, -unit) - first;
  mean /= count;
  double variance = 0;
  for (double& x : row) {
    x -= mean;
    variance += x * x;
  }
  variance /= count;
  // Counted in units of a huge row, epsilon may vanish; equal features give 0 all the same.
  if (epsilon > 0 && std::ranges::all_of(row, [](double x) { return x == 0; })) return;
  const double root = std::sqrt(variance + std::scalbn(epsilon, -2 * unit));
  for (double& x : row) x /= root;
}

}  // namespace

Matrix normalise(const Matrix& x, const LayerNorm& norm) {
  check_parameter("gain", norm.gain, x.columns());
  check_parameter("bias", norm.bias, x.columns());
  if (!(norm.epsilon >= 0) || std::isinf(norm.epsilon))
    throw InputError("epsilon", std::to_string(norm.epsilon), "a finite number of 0 or more");
  Matrix out = x;
  for (Index r = 0; r < x.rows(); ++r) {
    const std::span<double> row = out.row(r);
    if (std::ranges::all_of(row, finite))
      standardise(row, norm.epsilon);
    else
      std::ranges::fill(row, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!norm.gain.empty()) row[c] *= norm.gain[c];
      if (!norm.bias.empty()) row[c] += norm.bias[c];
    }
  }
  return out;
}

}  // namespace attest

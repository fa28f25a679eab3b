// Layer normalisation in double against the oracle's, within the bound that its header states.
#include "attention/layer_norm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "oracle/exact_blocks.h"
#include "tests/oracle/random_case.h"

namespace attest::oracle {
namespace {

using oracle_test::Draw;

struct Case {
  std::vector<double> row;
  LayerNorm norm;
};

// Rows of normal numbers times a power of two, on an offset of another, epsilon from 0 to huge:
// squares overflow and vanish, features differ in their last bits only, epsilon decides or not.
Case drawn_case(std::uint64_t seed) {
  Draw draw(seed);
  Case drawn;
  const int size = static_cast<int>(draw.between(-1074, 1019));
  const int above = draw.chance(2) ? static_cast<int>(draw.between(0, 50)) : -2000;
  const double offset = std::ldexp(draw.normal(), std::min(size + above, 1019));
  drawn.row.resize(static_cast<std::size_t>(draw.between(2, 70)));
  for (double& x : drawn.row) x = offset + std::ldexp(draw.normal(), size);
  if (draw.chance(3)) drawn.norm.epsilon = 0;
  if (draw.chance(3))
    drawn.norm.epsilon = std::ldexp(
        1 + draw.unit(),
        static_cast<int>(std::clamp<Index>(2 * size + draw.between(-8, 8), -1074, 1022)));
  if (draw.chance(2))
    for (std::size_t c = 0; c < drawn.row.size(); ++c) {
      drawn.norm.gain.push_back(draw.normal());
      drawn.norm.bias.push_back(draw.normal());
    }
  return drawn;
}

bool constant(const std::vector<double>& row) {
  return std::ranges::all_of(row, [&](double x) { return x == row.front(); });
}

// The bound of layer_norm.h around exact z, then a rounding for the gain and one for the bias.
Real bound(const Case& c, std::size_t feature, const Real& z) {
  const Real u = ldexp(Real(1), -53);
  const auto [least, largest] = std::ranges::minmax(c.row);
  const auto n = static_cast<double>(c.row.size());
  Real mean = 0;
  for (const double x : c.row) mean += x;
  mean /= n;
  Real variance = 0;
  for (const double x : c.row) variance += (x - mean) * (x - mean);
  variance /= n;
  const Real spread = (Real(largest) - least) / sqrt(Real(variance + c.norm.epsilon));
  Real off = layer_norm_roundings(std::ssize(c.row)) * u * spread + n * n * ldexp(Real(1), -1073);
  if (c.norm.gain.empty()) return off;
  const Real gain = abs(Real(c.norm.gain[feature]));
  off = gain * off;
  const Real product = gain * abs(z) + off;
  off += u * product;
  return off + u * (product + abs(Real(c.norm.bias[feature])));
}

struct Worst {
  double of_bound = 0;
  int rows = 0;
};

// The largest error over its bound, by an implementation of normalise.
template <class Normalise>
Worst worst(Normalise normalise_row) {
  Worst worst;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Case c = drawn_case(seed);
    if (constant(c.row)) continue;
    ++worst.rows;
    const RealRows plain = layer_norm(exactly({c.row}), c.norm.epsilon);
    const RealRows exact = layer_norm(exactly({c.row}), c.norm.epsilon, c.norm.gain, c.norm.bias);
    const std::vector<double> got = normalise_row(c);
    for (std::size_t f = 0; f < got.size(); ++f) {
      const Real limit = bound(c, f, plain[0][f]);
      const double ratio = std::isfinite(got[f])
                               ? static_cast<double>(Real(abs(exact[0][f] - got[f]) / limit))
                               : std::numeric_limits<double>::infinity();
      worst.of_bound = std::max(worst.of_bound, ratio);
    }
  }
  return worst;
}

std::vector<double> library(const Case& c) {
  Matrix x(1, std::ssize(c.row));
  std::ranges::copy(c.row, x.row(0).begin());
  const Matrix out = normalise(x, c.norm);
  return {out.row(0).begin(), out.row(0).end()};
}

TEST(LayerNorm, StaysWithinItsBoundForRowsOfEverySize) {
  const Worst found = worst(library);
  EXPECT_GT(found.rows, 400);
  EXPECT_LE(found.of_bound, 1);
  EXPECT_GT(found.of_bound, 1e-3) << "the bound says nothing";
  RecordProperty("worst", std::to_string(found.of_bound));
}

TEST(LayerNorm, BoundAdmitsNeitherZerosNorTheNextVariance) {
  EXPECT_GT(worst([](const Case& c) { return std::vector<double>(c.row.size()); }).of_bound, 1e6);
  EXPECT_GT(worst([](Case c) {  // divided by n - 1
              std::vector<double> out = library(c);
              const double n = static_cast<double>(c.row.size());
              for (double& x : out) x *= std::sqrt((n - 1) / n);
              return out;
            })
                .of_bound,
            1e6);
}

// Sums and squares as they come, without scaling or a pivot.
TEST(LayerNorm, BoundRefusesTheTextbookLoop) {
  EXPECT_GT(worst([](const Case& c) {
              const auto n = static_cast<double>(c.row.size());
              double mean = 0;
              for (const double x : c.row) mean += x / n;
              double variance = 0;
              for (const double x : c.row) variance += (x - mean) * (x - mean) / n;
              std::vector<double> out = c.row;
              for (double& x : out) x = (x - mean) / std::sqrt(variance + c.norm.epsilon);
              return out;
            }).of_bound,
            1e6);
}

}  // namespace
}  // namespace attest::oracle

#include "oracle/score_error.h"

#include <limits>

namespace attest::oracle {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// width products and width - 1 sums; the scale, itself 1 / sqrt(width) with two roundings at most,
// and its product.
double dot_error(const ScoreParts& parts, const Arithmetic& a) {
  const double rounded = gamma(parts.width + 3, a.roundoff) * parts.scale * parts.products;
  const double underflown = a.least_normal * (1 + parts.width * parts.scale);
  const double subnormal_scale = parts.scale < a.least_normal ? a.least_normal * parts.products : 0;
  return rounded + underflown + subnormal_scale;
}

// cap * tanh(s / cap): tanh has slope 1 at most, so the error so far passes through; the cap's own
// rounding twice, the quotient's, the product's and tanh's are relative to the capped score.
double cap_error(const ScoreParts& parts, const Arithmetic& a, double error) {
  if (!parts.capped) return 0;
  return gamma(tanh_error + 4, a.roundoff) * (parts.after_cap + error) + 4 * a.least_normal;
}

bool may_overflow(const ScoreParts& parts, const Arithmetic& a) {
  const double scaled = parts.capped ? parts.after_cap : parts.scale * parts.products;
  const double reach =
      4 * (parts.products * (1 + parts.scale) + scaled + parts.after_bias + parts.slope);
  return !(reach < a.largest);
}

}  // namespace

double gamma(double k, double roundoff) {
  const double ku = k * roundoff;
  return ku < 1 ? ku / (1 - ku) : infinity;
}

double score_error(const ScoreParts& parts, const Arithmetic& a) {
  if (may_overflow(parts, a)) return infinity;
  double error = dot_error(parts, a);
  error += cap_error(parts, a, error);
  if (parts.biased) error += a.roundoff * (parts.after_bias + error);
  if (parts.slope != 0) {
    error += gamma(2, a.roundoff) * parts.slope;
    error += a.roundoff * (parts.entering + error);
  }
  return error;
}

}  // namespace attest::oracle

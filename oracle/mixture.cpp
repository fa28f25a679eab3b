#include "oracle/mixture.h"

#include <algorithm>

#include "oracle/exact_sum.h"

namespace attest::oracle {

std::vector<Real> mixture(std::span<const Share> shares, std::size_t width) {
  std::vector<Share> falling(shares.begin(), shares.end());
  std::ranges::sort(falling, std::greater{}, [](const Share& s) { return s.part.exponent; });
  std::vector<Real> sums(width + 1, Real(0));
  std::vector<ExactSum> exact(width + 1);
  constexpr Dyadic one{.mantissa = 1, .exponent = 0};
  // An exact sum holds parts whose exponents lie near each other: a band of them at a time.
  for (auto share = falling.begin(); share != falling.end();) {
    const std::int64_t top = share->part.exponent;
    for (; share != falling.end() && share->part.exponent - top >= ExactSum::lowest_scale;
         ++share) {
      const int scale = static_cast<int>(share->part.exponent - top);
      for (std::size_t c = 0; c < width; ++c)
        exact[c].add_product(share->part.fraction, scale, share->value[c]);
      exact[width].add_product(share->part.fraction, scale, one);
    }
    for (std::size_t c = 0; c <= width; ++c) {
      sums[c] += ldexp(exact[c].value(), top);
      exact[c].clear();
    }
  }
  return sums;
}

}  // namespace attest::oracle

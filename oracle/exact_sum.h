#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "oracle/dyadic.h"
#include "oracle/fraction.h"
#include "oracle/real.h"

namespace attest::oracle {

// A sum without any rounding: one integer of fixed point that spans from the smallest product of
// two doubles to 2^61 of the largest, kept apart for each sign so that carries stay rare. About 3
// ns for a product of two doubles.                                        [Kulisch13]
class ExactSum {
 public:
  // Adds a * b; both factors finite.
  void add_product(Dyadic a, Dyadic b);

  // Adds fraction * 2^exponent * b; b finite and exponent between lowest_scale and 0.
  void add_product(const Fraction& fraction, int exponent, Dyadic b);
  static constexpr int lowest_scale = -800;

  void clear();

  // Less than two units of Real's last place away from the sum.
  Real value() const;

 private:
  __extension__ using Wide = unsigned __int128;

  static constexpr int limb_bits = 64;
  static constexpr int first_exponent = 2 * Dyadic::lowest_exponent;
  static constexpr int last_exponent = 2 * Dyadic::highest_exponent + 106 + 61;
  static constexpr std::size_t limbs = std::size_t{last_exponent - first_exponent} / limb_bits + 2;
  static_assert(Dyadic::lowest_exponent + lowest_scale - fraction_bits >= first_exponent);
  using Limbs = std::array<std::uint64_t, limbs>;

  static std::uint64_t magnitude(Dyadic x) {
    return static_cast<std::uint64_t>(x.mantissa < 0 ? -x.mantissa : x.mantissa);
  }

  // Adds factor * multiplier * 2^exponent, the least significant limb of factor first.
  template <std::size_t N>
  void add(Limbs& sum, const std::array<std::uint64_t, N>& factor, std::uint64_t multiplier,
           int exponent);

  Limbs positive_{};
  Limbs negative_{};
  std::size_t lowest_ = limbs;  // limbs below and from end_ on are zero in both
  std::size_t end_ = 0;
};

inline void ExactSum::add_product(Dyadic a, Dyadic b) {
  add((a.mantissa < 0) != (b.mantissa < 0) ? negative_ : positive_, std::array{magnitude(a)},
      magnitude(b), a.exponent + b.exponent);
}

inline void ExactSum::add_product(const Fraction& fraction, int exponent, Dyadic b) {
  add(b.mantissa < 0 ? negative_ : positive_, fraction, magnitude(b),
      exponent - fraction_bits + b.exponent);
}

template <std::size_t N>
void ExactSum::add(Limbs& sum, const std::array<std::uint64_t, N>& factor, std::uint64_t multiplier,
                   int exponent) {
  if (multiplier == 0) return;
  const int position = exponent - first_exponent;
  const int shift = position % limb_bits;
  const auto first = static_cast<std::size_t>(position / limb_bits);
  std::uint64_t product_carry = 0;  // of factor * multiplier
  std::uint64_t shifted_out = 0;    // by the shift, into the next limb
  std::uint64_t carry = 0;          // of the addition
#pragma GCC unroll 8
  for (std::size_t n = 0; n < N + 2; ++n) {
    const Wide product =
        n < N ? static_cast<Wide>(factor[n]) * multiplier + product_carry : Wide{product_carry};
    product_carry = static_cast<std::uint64_t>(product >> limb_bits);
    const Wide shifted = static_cast<Wide>(static_cast<std::uint64_t>(product)) << shift;
    const Wide added = static_cast<Wide>(sum[first + n]) +
                       (static_cast<std::uint64_t>(shifted) | shifted_out) + carry;
    shifted_out = static_cast<std::uint64_t>(shifted >> limb_bits);
    sum[first + n] = static_cast<std::uint64_t>(added);
    carry = static_cast<std::uint64_t>(added >> limb_bits);
  }
  std::size_t end = first + N + 2;
  for (; carry != 0; ++end) carry = ++sum[end] == 0;
  if (first < lowest_) lowest_ = first;
  if (end > end_) end_ = end;
}

}  // namespace attest::oracle

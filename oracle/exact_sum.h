#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "oracle/dyadic.h"
#include "oracle/real.h"

namespace attest::oracle {

// A sum of products of doubles without any rounding: one integer of fixed point that spans from the
// smallest product to 2^61 of the largest, kept apart for each sign so that carries stay rare.
// About 3 ns a term.                                                              [Kulisch13]
class ExactSum {
 public:
  // Both factors finite.
  void add_product(Dyadic a, Dyadic b);

  void clear();

  // Rounded once, to nearest or less than one unit of Real's last place away from it.
  Real value() const;

 private:
  __extension__ using Wide = unsigned __int128;

  static constexpr int limb_bits = 64;
  static constexpr int first_exponent = 2 * Dyadic::lowest_exponent;
  static constexpr int last_exponent = 2 * Dyadic::highest_exponent + 106 + 61;
  static constexpr std::size_t limbs =
      static_cast<std::size_t>((last_exponent - first_exponent) / limb_bits + 2);
  using Limbs = std::array<std::uint64_t, limbs>;

  void add(Limbs& sum, Wide magnitude, int exponent);

  Limbs positive_{};
  Limbs negative_{};
  std::size_t lowest_ = limbs;  // limbs below and from end_ on are zero in both
  std::size_t end_ = 0;
};

inline void ExactSum::add_product(Dyadic a, Dyadic b) {
  const bool negative = (a.mantissa < 0) != (b.mantissa < 0);
  const auto magnitude = [](std::int64_t m) { return static_cast<Wide>(m < 0 ? -m : m); };
  const Wide product = magnitude(a.mantissa) * magnitude(b.mantissa);
  if (product != 0) add(negative ? negative_ : positive_, product, a.exponent + b.exponent);
}

inline void ExactSum::add(Limbs& sum, Wide magnitude, int exponent) {
  const int position = exponent - first_exponent;
  const int shift = position % limb_bits;
  auto limb = static_cast<std::size_t>(position / limb_bits);
  if (limb < lowest_) lowest_ = limb;
  const Wide low = static_cast<Wide>(static_cast<std::uint64_t>(magnitude)) << shift;
  const Wide high = (low >> limb_bits) + ((magnitude >> limb_bits) << shift);
  Wide carry = 0;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high),
        static_cast<std::uint64_t>(high >> limb_bits)}) {
    carry += static_cast<Wide>(sum[limb]) + part;
    sum[limb++] = static_cast<std::uint64_t>(carry);
    carry >>= limb_bits;
  }
  for (; carry != 0; carry = sum[limb++] == 0) ++sum[limb];
  if (limb > end_) end_ = limb;
}

}  // namespace attest::oracle

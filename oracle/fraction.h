#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace attest::oracle {

// A number in [0, 2) with 255 bits after the point; the most significant limb last. Carries 76
// decimal digits, where an exponential needs 50, and multiplies in 16 machine products.
using Fraction = std::array<std::uint64_t, 4>;

constexpr int fraction_bits = 255;

// a * b, at most 2^-253 below it. The product must be below 2.
inline Fraction product(const Fraction& a, const Fraction& b) {
  __extension__ using Wide = unsigned __int128;
  std::array<std::uint64_t, 4>
      window{};             // of the eight limbs, those the next row of products meets
  std::uint64_t below = 0;  // the limb that just left it
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t carry = 0;
#pragma GCC unroll 4
    for (std::size_t j = 0; j < 4; ++j) {
      const Wide sum = static_cast<Wide>(a[i]) * b[j] + window[j] + carry;
      (j == 0 ? below : window[j - 1]) = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    window[3] = carry;
  }
  return {window[0] << 1 | below >> 63, window[1] << 1 | window[0] >> 63,
          window[2] << 1 | window[1] >> 63, window[3] << 1 | window[2] >> 63};
}

// a + b, which must be below 2.
inline Fraction sum(const Fraction& a, const Fraction& b) {
  __extension__ using Wide = unsigned __int128;
  Fraction result{};
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Wide total = static_cast<Wide>(a[i]) + b[i] + carry;
    result[i] = static_cast<std::uint64_t>(total);
    carry = static_cast<std::uint64_t>(total >> 64);
  }
  return result;
}

}  // namespace attest::oracle

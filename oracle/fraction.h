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
  std::array<std::uint64_t, 8> full{};
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const Wide sum = static_cast<Wide>(a[i]) * b[j] + full[i + j] + carry;
      full[i + j] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    full[i + 4] = carry;
  }
  Fraction result{};
  for (std::size_t i = 0; i < 4; ++i) result[i] = full[i + 4] << 1 | full[i + 3] >> 63;
  return result;
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

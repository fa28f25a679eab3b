#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace attest {

// Storage formats of 16 bits. Conversion to float is exact; conversion from float rounds once, to
// nearest, ties to even, with overflow to infinity and NaN kept quiet.      [IEEE754] [BF16]
struct Float16 {
  std::uint16_t bits = 0;

  static Float16 from_float(float value);
  float to_float() const;
  bool operator==(const Float16&) const = default;  // of the bits: -0 differs from 0
};

struct BFloat16 {
  std::uint16_t bits = 0;

  static BFloat16 from_float(float value);
  float to_float() const;
  bool operator==(const BFloat16&) const = default;
};

// The type a kernel accumulates in for inputs of type T: float for 16-bit inputs.
template <class T>
struct AccumulatorOf {
  using type = float;
};
template <>
struct AccumulatorOf<double> {
  using type = double;
};
template <class T>
using Accumulator = typename AccumulatorOf<T>::type;

inline float widen(float x) { return x; }
inline double widen(double x) { return x; }
inline float widen(Float16 x) { return x.to_float(); }
inline float widen(BFloat16 x) { return x.to_float(); }

// Rounds an accumulator to its storage type, once.
template <class T>
T narrow(Accumulator<T> x) {
  if constexpr (requires { T::from_float(x); })
    return T::from_float(x);
  else
    return x;
}

inline float Float16::to_float() const {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact in float
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  if (exponent == 0x1f)  // infinity or NaN
    return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

inline Float16 Float16::from_float(float value) {
  const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((word >> 16) & 0x8000u);
  const std::uint32_t magnitude = word & 0x7fffffffu;
  std::uint32_t rounded = 0;
  if (magnitude > 0x7f800000u) {
    rounded = 0x7e00u;
  } else if (magnitude >= 0x477ff000u) {  // 65520 and above round to infinity
    rounded = 0x7c00u;
  } else if (magnitude >= 0x38800000u) {  // normal: from 2^-14 on
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    rounded = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
  } else {  // subnormal: adding 0.5 leaves fraction * 2^-24 in the last bits, rounded to even
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    rounded = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5f);
  }
  return {static_cast<std::uint16_t>(sign | rounded)};
}

inline float BFloat16::to_float() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline BFloat16 BFloat16::from_float(float value) {
  const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return {static_cast<std::uint16_t>(word >> 16 | 0x40u)};
  const std::uint32_t odd = (word >> 16) & 1u;
  return {static_cast<std::uint16_t>((word + 0x7fffu + odd) >> 16)};
}

}  // namespace attest

#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>
#include <limits>

namespace attest::oracle {

// The number the oracle thinks in: 76 decimal digits, the most that fit four machine words, so that
// 50 remain after the largest score it accepts (19 digits) has gone through an exponential; and an
// exponent of 64 bits, so that the exponential of such a score exists without any shift. [BoostMP]
using Real =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
                                      76, boost::multiprecision::digit_base_10, void, std::int64_t>,
                                  boost::multiprecision::et_off>;

constexpr int real_bits = std::numeric_limits<Real>::digits;

// Results are good to this many significant decimal digits (of what, each function says).
constexpr int good_digits = 50;

}  // namespace attest::oracle

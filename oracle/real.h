#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>

namespace attest::oracle {

// The number the oracle thinks in: 100 decimal digits, so that 50 remain after the largest score it
// accepts (19 digits) has gone through an exponential, and an exponent of 64 bits, so that the
// exponential of such a score exists without any shift.                          [BoostMP]
using Real = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<100, boost::multiprecision::digit_base_10, void,
                                         std::int64_t>,
    boost::multiprecision::et_off>;

// Results are good to this many significant decimal digits (of what, each function says).
constexpr int good_digits = 50;

}  // namespace attest::oracle

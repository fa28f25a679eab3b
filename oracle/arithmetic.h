#pragma once

#include "attention/half.h"
#include "attention/shape.h"

namespace attest::oracle {

// The machine arithmetic of a kernel, as far as the error of a correct one depends on it. Units are
// relative unless named absolute.
struct Arithmetic {
  // Of the accumulators: scores, exponentials, sums.
  double roundoff = 0;      // u = 2^-p: round to nearest with p bits
  double least_normal = 0;  // absolute; below it numbers may be flushed to 0
  double largest = 0;       // absolute
  // Of the type the output is stored in; all 0 but `largest` where that is the accumulators' own.
  double output_roundoff = 0;
  double output_least = 0;  // absolute: half the spacing of subnormal outputs
  double output_largest = 0;
  // Times a partial sum may be rescaled to a grown maximum: 0 with the maximum known beforehand.
  Index rescales = 0;
  // Unit roundoff of the type in which weights wait for the product with values; 0: accumulators.
  double weight_roundoff = 0;
};

// Errors of the mathematical library, in units of roundoff: exp and log within 1 ulp, tanh within
// 2, as glibc documents for binary32 and binary64; 1 ulp is at most 2 u. [glibc-errors]
constexpr double exp_error = 2;
constexpr double log_error = 2;
constexpr double tanh_error = 4;

// Accumulating in Accumulator<T>, storing T. T is float, double, Float16 or BFloat16.
template <class T>
Arithmetic explicit_arithmetic();

// The same, over key tiles of any order: one rescaling a tile.
template <class T>
Arithmetic streaming_arithmetic(Index keys, Index key_tile);

}  // namespace attest::oracle

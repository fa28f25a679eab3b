#include "oracle/arithmetic.h"

#include <limits>
#include <type_traits>

namespace attest::oracle {
namespace {

void describe_storage(Arithmetic& a, Float16) {
  a.output_roundoff = 0x1p-11;
  a.output_least = 0x1p-25;
  a.output_largest = 65504;
}

void describe_storage(Arithmetic& a, BFloat16) {
  a.output_roundoff = 0x1p-8;
  a.output_least = 0x1p-134;
  a.output_largest = 0x1.fep127;
}

template <class Acc>
void describe_storage(Arithmetic& a, Acc) {
  a.output_largest = a.largest;
}

}  // namespace

template <class T>
Arithmetic explicit_arithmetic() {
  using Limits = std::numeric_limits<Accumulator<T>>;
  Arithmetic a;
  a.roundoff = static_cast<double>(Limits::epsilon()) / 2;
  a.least_normal = static_cast<double>(Limits::min());
  a.largest = static_cast<double>(Limits::max());
  describe_storage(a, T{});
  return a;
}

template <class T>
Arithmetic streaming_arithmetic(Index keys, Index key_tile) {
  Arithmetic a = explicit_arithmetic<T>();
  a.rescales = (keys - 1) / key_tile + 1;
  return a;
}

#define ATTEST_INSTANTIATE(T)                   \
  template Arithmetic explicit_arithmetic<T>(); \
  template Arithmetic streaming_arithmetic<T>(Index, Index);
ATTEST_INSTANTIATE(float)
ATTEST_INSTANTIATE(double)
ATTEST_INSTANTIATE(Float16)
ATTEST_INSTANTIATE(BFloat16)
#undef ATTEST_INSTANTIATE

}  // namespace attest::oracle

#include "estimator/amount.h"

#include <algorithm>
#include <array>

#include "attention/error.h"

namespace attest::estimator {
namespace {

[[noreturn]] void refuse(const char* unit) {
  throw InputError(unit, "more than 2^127 - 1", "a plan whose amounts stay below 2^127");
}

}  // namespace

Wide detail::checked(Wide count, const char* unit) {
  if (count > largest_amount) refuse(unit);
  return count;
}

Wide detail::checked_add(Wide a, Wide b, const char* unit) {
  return checked(a + b, unit);  // each is below 2^127, so the sum cannot wrap
}

Wide detail::checked_multiply(Wide a, Wide b, const char* unit) {
  Wide result = 0;
  if (__builtin_mul_overflow(a, b, &result)) refuse(unit);
  return checked(result, unit);
}

std::string to_string(Wide count) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(count % 10));
    count /= 10;
  } while (count != 0);
  std::ranges::reverse(digits);
  return digits;
}

Elements product(std::initializer_list<std::uint64_t> extents) {
  Elements result = Elements::of(1);
  for (std::uint64_t extent : extents) result = result * extent;
  return result;
}

std::string in_binary_units(Bytes bytes) {
  static constexpr std::array<const char*, 9> names = {"B",   "KiB", "MiB", "GiB", "TiB",
                                                       "PiB", "EiB", "ZiB", "YiB"};
  std::size_t unit = 0;
  Wide size = 1;
  while (unit + 1 < names.size() && bytes.count() >= size * 1024) {
    size *= 1024;
    ++unit;
  }
  Wide whole = bytes.count() / size;
  const Wide rest = bytes.count() % size * 100;  // below 100 * 2^80
  Wide hundredths = rest / size;
  const Wide remainder = rest % size;
  if (remainder * 2 > size || (remainder * 2 == size && hundredths % 2 == 1)) ++hundredths;
  if (hundredths == 100) {
    hundredths = 0;
    ++whole;
    if (whole == 1024 && unit + 1 < names.size()) {
      whole = 1;
      ++unit;
    }
  }
  std::string text = to_string(whole);
  if (hundredths != 0) {
    text += hundredths < 10 ? ".0" + to_string(hundredths) : "." + to_string(hundredths);
    if (text.back() == '0') text.pop_back();
  }
  return text + " " + names[unit];
}

}  // namespace attest::estimator

#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace attest::estimator {

__extension__ using Wide = unsigned __int128;

namespace detail {
inline constexpr Wide largest_amount = (Wide{1} << 127) - 1;
// Exact; throw InputError(`unit`) where the result leaves 0 .. 2^127 - 1.
Wide checked_add(Wide a, Wide b, const char* unit);
Wide checked_multiply(Wide a, Wide b, const char* unit);
Wide checked(Wide count, const char* unit);
}  // namespace detail

// Decimal digits of an exact integer.
std::string to_string(Wide count);

// An exact count of something, 0 to 2^127 - 1. Sums of one unit and multiples by a plain count
// mean something and compile; nothing else does. Leaving the range throws InputError.
template <class Unit>
class Amount {
 public:
  constexpr Amount() = default;
  static Amount of(Wide count) { return Amount(detail::checked(count, Unit::name)); }

  constexpr Wide count() const { return count_; }

  friend Amount operator+(Amount a, Amount b) {
    return Amount(detail::checked_add(a.count_, b.count_, Unit::name));
  }
  friend Amount operator*(Amount a, Wide times) {
    return Amount(detail::checked_multiply(a.count_, times, Unit::name));
  }
  friend Amount operator*(Wide times, Amount a) { return a * times; }
  Amount& operator+=(Amount other) { return *this = *this + other; }

  constexpr auto operator<=>(const Amount&) const = default;

  friend std::string to_string(Amount a) { return estimator::to_string(a.count_); }

 private:
  explicit constexpr Amount(Wide count) : count_(count) {}
  Wide count_ = 0;
};

struct BytesUnit {
  static constexpr const char* name = "bytes";
};
struct ElementsUnit {
  static constexpr const char* name = "elements";
};
using Bytes = Amount<BytesUnit>;
using Elements = Amount<ElementsUnit>;

// The product of a tensor's extents; 1 for none.
Elements product(std::initializer_list<std::uint64_t> extents);

// For a reader: "64 MiB", "1.25 GiB", "785.27 MiB", "18 B": the largest binary unit that leaves at
// least 1, at most two decimals (rounded to nearest, ties to even), trailing zeros dropped.
std::string in_binary_units(Bytes bytes);

}  // namespace attest::estimator

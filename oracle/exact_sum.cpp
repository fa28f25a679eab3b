#include "oracle/exact_sum.h"

#include <algorithm>

namespace attest::oracle {

void ExactSum::clear() {
  for (std::size_t limb = lowest_; limb < end_; ++limb) positive_[limb] = negative_[limb] = 0;
  lowest_ = limbs;
  end_ = 0;
}

Real ExactSum::value() const {
  // Limbs of which Real can keep a bit; the first may hold a single one.
  constexpr std::size_t significant = real_bits / limb_bits + 2;
  const bool negative = std::lexicographical_compare(positive_.rbegin(), positive_.rend(),
                                                     negative_.rbegin(), negative_.rend());
  const Limbs& larger = negative ? negative_ : positive_;
  const Limbs& smaller = negative ? positive_ : negative_;
  Limbs difference{};
  std::uint64_t borrow = 0;
  std::size_t top = lowest_;
  for (std::size_t limb = lowest_; limb < end_; ++limb) {
    const Wide taken = static_cast<Wide>(smaller[limb]) + borrow;
    difference[limb] = larger[limb] - static_cast<std::uint64_t>(taken);
    borrow = larger[limb] < taken;
    if (difference[limb] != 0) top = limb;
  }
  Real sum = 0;
  const std::size_t bottom = std::max(lowest_, top + 1 < significant ? 0 : top + 1 - significant);
  for (std::size_t limb = bottom; limb <= top && limb < end_; ++limb)
    if (difference[limb] != 0)
      sum += ldexp(Real(difference[limb]), first_exponent + limb_bits * static_cast<int>(limb));
  return negative ? Real(-sum) : sum;
}

}  // namespace attest::oracle

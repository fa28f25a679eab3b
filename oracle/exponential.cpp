#include "oracle/exponential.h"

#include <cmath>

namespace attest::oracle {
namespace {

constexpr std::size_t table_bits = 8;
constexpr std::size_t table_size = std::size_t{1} << table_bits;
constexpr std::size_t tables = 3;
// ln(2)^k y^k / k! with y < 2^-24 falls below 2^-255 from k = 10 on.
constexpr std::size_t terms = 10;

using Table = std::array<Fraction, table_size>;

struct Constants {
  std::array<Real, 6> inverse;  // 1 / n
  Real ln2;
  Real log2_e;
  std::array<Table, tables> powers;    // powers[t][n] = 2^(n / 256^(t + 1))
  std::array<Fraction, terms> series;  // ln(2)^k / k!
};

Constants make_constants() {
  Constants made;
  for (std::size_t n = 1; n < made.inverse.size(); ++n) made.inverse[n] = Real(1) / n;
  const Real& ln2 = made.ln2 = log(Real(2));
  made.log2_e = 1 / ln2;
  for (std::size_t t = 0; t < tables; ++t) {
    const Real step = exp(ldexp(ln2, -static_cast<int>(table_bits * (t + 1))));
    Real power = 1;
    for (Fraction& entry : made.powers[t]) {
      entry = to_fraction(power);
      power *= step;
    }
  }
  Real coefficient = 1;
  for (std::size_t k = 0; k < terms; ++k) {
    made.series[k] = to_fraction(coefficient);
    coefficient *= ln2 / (k + 1);
  }
  return made;
}

const Constants& constants() {
  static const Constants made = make_constants();
  return made;
}

// 2^y for y in [0, 1).
Fraction power_of_two(Fraction y) {
  const Constants& c = constants();
  const std::uint64_t top = y[3] << 1;  // y has no whole part: its first bit after the point leads
  y[3] &= ~std::uint64_t{0} >> (1 + tables * table_bits);
  Fraction result = c.series[terms - 1];
  for (std::size_t k = terms - 1; k-- > 0;) result = sum(product(result, y), c.series[k]);
  for (std::size_t t = 0; t < tables; ++t) {
    const std::size_t digit = (top >> (64 - table_bits * (t + 1))) % table_size;
    if (digit != 0) result = product(result, c.powers[t][digit]);
  }
  return result;
}

}  // namespace

Fraction to_fraction(const Real& x) {
  Real rest = ldexp(x, fraction_bits - 192);
  Fraction fraction{};
  for (std::size_t limb = 4; limb-- > 0;) {
    fraction[limb] = static_cast<std::uint64_t>(rest);
    rest = ldexp(Real(rest - fraction[limb]), 64);
  }
  return fraction;
}

Real to_real(const Fraction& fraction) {
  Real x = 0;
  for (std::size_t limb = 4; limb-- > 0;) x = ldexp(x, 64) + fraction[limb];
  return ldexp(x, -fraction_bits);
}

Real to_real(const Exponential& e) { return ldexp(to_real(e.fraction), e.exponent); }

Exponential exponential(const Real& s) {
  const Real power = s * constants().log2_e;
  const Real whole = floor(power);
  return {.fraction = power_of_two(to_fraction(Real(power - whole))),
          .exponent = static_cast<std::int64_t>(whole)};
}

Real logarithm(const Real& x) {
  const std::int64_t exponent = ilogb(x);
  const double leading = static_cast<double>(ldexp(x, -exponent));
  const Real guess = exponent * constants().ln2 + std::log(leading);
  // x e^-guess is 1 + rest with |rest| < 2^-48: five terms of ln(1 + rest) leave less than 2^-288.
  const Real rest = x * to_real(exponential(-guess)) - 1;
  const std::array<Real, 6>& inverse = constants().inverse;
  Real series = inverse[5];
  for (std::size_t n = 5; n-- > 1;) series = inverse[n] - rest * series;
  return guess + rest * series;
}

}  // namespace attest::oracle

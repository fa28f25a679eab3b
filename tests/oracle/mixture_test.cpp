#include "oracle/mixture.h"

#include <gtest/gtest.h>

#include "tests/oracle/random_case.h"
#include "tests/oracle/real_matchers.h"

namespace attest::oracle {
namespace {

using oracle_test::distance;
using oracle_test::Draw;

struct Column {
  std::vector<Real> scores;
  std::vector<double> values;

  std::vector<Real> mixed() const {
    std::vector<Dyadic> parts;
    for (const double v : values) parts.push_back(take_apart(v));
    std::vector<Share> shares;
    for (std::size_t n = 0; n < scores.size(); ++n)
      shares.push_back({exponential(scores[n]), &parts[n]});
    return mixture(shares, 1);
  }

  // In Real, term by term.
  Real term(std::size_t n) const { return to_real(exponential(scores[n])) * Real(values[n]); }
};

TEST(Mixture, OfNothingIsZero) { EXPECT_EQ(mixture({}, 2), (std::vector<Real>{0, 0, 0})); }

TEST(Mixture, SumsValuesAndPartsOfAnySpread) {
  Draw draw(17);
  for (int round = 0; round < 300; ++round) {
    Column column;
    Real expected = 0, magnitude = 0, parts = 0;
    const int spread = static_cast<int>(draw.between(0, 14));
    for (Index n = draw.between(1, 9); n > 0; --n) {
      column.scores.push_back(ldexp(Real(draw.normal()), spread));
      column.values.push_back(
          std::ldexp(draw.normal(), static_cast<int>(draw.between(-1000, 1000) * (round % 2))));
      expected += column.term(column.values.size() - 1);
      magnitude += abs(column.term(column.values.size() - 1));
      parts += to_real(exponential(column.scores.back()));
    }
    const std::vector<Real> mixed = column.mixed();
    EXPECT_LT(distance(mixed[0], expected, magnitude), 1e-74) << round;
    EXPECT_LT(distance(mixed[1], parts, parts), 1e-74) << round;
  }
}

TEST(Mixture, KeepsASmallPartWhoseValueIsLarge) {
  // e^-600 * 1e300 against 1 * 1e-300: the part that is nothing carries the sum.
  const Column column{{Real(0), Real(-600)}, {1e-300, 1e300}};
  EXPECT_LT(distance(column.mixed()[0], column.term(0) + column.term(1), column.term(1)), 1e-74);
  EXPECT_GT(column.mixed()[0], 1e30);
}

TEST(Mixture, KeepsPartsInEveryBand) {
  // Exponents a band and more apart; only the last value is not 0.
  const Column column{{Real(0), Real(-560), Real(-5600), Real(-56000)}, {0, 0, 0, 3}};
  EXPECT_LT(distance(column.mixed()[0], column.term(3), column.term(3)), 1e-74);
}

TEST(Mixture, CancelsExactly) {
  const Column column{{Real(1.5), Real(1.5), Real(-1)}, {7, -7, 0}};
  EXPECT_EQ(column.mixed()[0], 0);
}

}  // namespace
}  // namespace attest::oracle

// The oracle against an independent calculation at twice its digits, over random problems.
#include <gtest/gtest.h>
// RapidCheck's GoogleTest glue needs gtest first.
#include <rapidcheck/gtest.h>

#include "oracle/exact_attention.h"
#include "oracle/visible_keys.h"
#include "tests/oracle/plain_attention.h"
#include "tests/oracle/random_case.h"
#include "tests/oracle/real_matchers.h"

namespace attest::oracle {
namespace {

using oracle_test::for_each_row;
using oracle_test::PlainRow;
using oracle_test::RandomCase;
using oracle_test::relative_distance;

using Digits200 = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<200, boost::multiprecision::digit_base_10, void,
                                         std::int64_t>,
    boost::multiprecision::et_off>;

// One part in 10^50: what exact_attention.h promises.
const Real promised = pow(Real(10), -good_digits);

template <class T>
void compare_rows(const ExactRow& exact, const PlainRow<Digits200>& plain,
                  const ProblemSpec<T>& spec, Index b, Index kv) {
  std::vector<Real> magnitude(exact.output.size(), Real(0));
  std::size_t next = 0;
  for (std::size_t j = 0; j < plain.weights.size(); ++j) {
    const Real weight(plain.weights[j]);
    const bool visible = next < exact.keys.size() && exact.keys[next] == static_cast<Index>(j);
    RC_ASSERT(visible == (weight != 0));
    if (!visible) continue;
    RC_ASSERT(relative_distance(exact.weights[next++], weight) < promised);
    for (std::size_t c = 0; c < magnitude.size(); ++c)
      magnitude[c] +=
          weight * abs(Real(widen(spec.v(b, kv, static_cast<Index>(j), static_cast<Index>(c)))));
  }
  for (std::size_t c = 0; c < magnitude.size(); ++c)
    RC_ASSERT(abs(exact.output[c] - Real(plain.output[c])) <= promised * magnitude[c]);
  RC_ASSERT(abs(exact.lse - Real(plain.lse)) <= promised * (1 + abs(exact.lse)));
}

template <class T>
void agrees_at_twice_the_digits(std::uint64_t seed) {
  const RandomCase<T> drawn(seed, {.tokens = 4, .width = 3});
  const Problem<T> problem(drawn.spec());
  const ExactAttention<T> exact(drawn.spec());
  for_each_row(problem.shape(), [&](Index b, Index h, Index i) {
    if (visible_keys(drawn.spec(), b, h, i).empty() && drawn.spec().sinks.empty()) return;
    compare_rows(exact.row(b, h, i), oracle_test::plain_row<Digits200>(problem, b, h, i),
                 drawn.spec(), b, kv_head(drawn.spec().head_map, problem.shape(), h));
  });
}

RC_GTEST_PROP(SecondOpinion, TwiceTheDigitsChangeNothingOfDoubles, (std::uint64_t seed)) {
  agrees_at_twice_the_digits<double>(seed);
}

RC_GTEST_PROP(SecondOpinion, TwiceTheDigitsChangeNothingOfHalves, (std::uint64_t seed)) {
  agrees_at_twice_the_digits<Float16>(seed);
}

}  // namespace
}  // namespace attest::oracle

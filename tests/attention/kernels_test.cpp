// What both kernels promise, exactly: facts that need no tolerance.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/input_error.h"
#include "tests/support/run_kernels.h"

namespace attest {
namespace {

using test::message_of;
using test::OwnedResult;
using test::run_explicit;
using test::run_streaming;
using test::uniform_problem;

template <class T>
class Kernels : public testing::Test {};
using ElementTypes = testing::Types<float, double, Float16, BFloat16>;
TYPED_TEST_SUITE(Kernels, ElementTypes);

template <class T>
constexpr Accumulator<T> infinity = std::numeric_limits<Accumulator<T>>::infinity();
template <class T>
constexpr Accumulator<T> not_a_number = std::numeric_limits<Accumulator<T>>::quiet_NaN();

template <class T>
std::vector<Accumulator<T>> wide(const Tensor<T>& tensor) {
  std::vector<Accumulator<T>> out;
  for (T x : tensor.elements) out.push_back(widen(x));
  return out;
}

template <class T>
Tensor<T> rows(std::initializer_list<std::initializer_list<double>> given) {
  Tensor<T> t({1, 1, std::ssize(given), std::ssize(*given.begin())});
  std::size_t n = 0;
  for (const auto& row : given)
    for (double x : row) t.elements[n++] = test::as_element<T>(x);
  return t;
}

// Both kernels on the same problem, the streaming one with keys cut into tiles of two.
template <class T>
std::vector<OwnedResult<T>> run_both(const OwnedProblem<T>& p,
                                     Contents contents = Contents::finite) {
  return {run_explicit(p, contents), run_streaming(p, {.queries = 2, .keys = 2}, contents)};
}

TYPED_TEST(Kernels, AnswerTheMeanForAZeroQuery) {
  OwnedProblem<TypeParam> p;
  p.q = rows<TypeParam>({{0, 0}});
  p.k = rows<TypeParam>({{1, 0}, {0, 1}, {3, 4}, {-2, 5}});
  p.v = rows<TypeParam>({{1}, {2}, {3}, {6}});
  for (const auto& r : run_both(p)) EXPECT_EQ(widen(r.output.elements[0]), 3);
  EXPECT_EQ(run_explicit(p).weights.elements, std::vector<Accumulator<TypeParam>>(4, 0.25f));
}

TYPED_TEST(Kernels, ReturnTheValueOfASingleVisibleKey) {
  OwnedProblem<TypeParam> p = uniform_problem<TypeParam>({.queries = 5, .keys = 5, .width = 3}, 2);
  p.allow = Tensor<std::uint8_t>({1, 1, 5, 5}, 0);
  for (std::size_t i = 0; i < 5; ++i) p.allow->elements[i * 5 + (4 - i)] = 1;
  for (const auto& r : run_both(p))
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_EQ(widen(r.output.elements[i]), widen(p.v.elements[4 - i]));
}

TYPED_TEST(Kernels, GiveHiddenKeysAWeightOfExactlyZero) {
  OwnedProblem<TypeParam> p = uniform_problem<TypeParam>({.queries = 6, .keys = 6, .width = 2}, 3);
  p.causal = true;
  const auto r = run_explicit(p);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      EXPECT_EQ(r.weights.elements[i * 6 + j] > 0, j <= i) << i << ' ' << j;
}

// Poison in a pair that is hidden must not show, whatever hides it: weights, outputs and LSE are
// the same bits as without it.
TYPED_TEST(Kernels, AreNotTouchedByWhatHiddenKeysAndValuesHold) {
  using T = TypeParam;
  const Shape s{.batch = 2,
                .query_heads = 2,
                .kv_heads = 1,
                .queries = 5,
                .keys = 5,
                .width = 3,
                .value_width = 2};
  std::vector<OwnedProblem<T>> problems(3, uniform_problem<T>(s, 4));
  problems[0].key_lengths = {3, 3};
  problems[1].allow = Tensor<std::uint8_t>({1, 1, 1, 5}, 1);
  problems[1].allow->elements[3] = problems[1].allow->elements[4] = 0;
  problems[2].bias = Tensor<Accumulator<T>>({1, 1, 1, 5}, 0);
  problems[2].bias->elements[3] = problems[2].bias->elements[4] = -infinity<T>;
  for (const OwnedProblem<T>& clean : problems)
    for (double poison : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e30}) {
      OwnedProblem<T> poisoned = clean;
      for (Index b = 0; b < 2; ++b)
        for (Index j : {3, 4}) {
          for (Index c = 0; c < 3; ++c) poisoned.k.view()(b, 0, j, c) = test::as_element<T>(poison);
          for (Index c = 0; c < 2; ++c) poisoned.v.view()(b, 0, j, c) = test::as_element<T>(poison);
        }
      const auto expected = run_both(clean);
      const auto got = run_both(poisoned, Contents::unchecked);
      for (std::size_t n = 0; n < 2; ++n) {
        EXPECT_EQ(wide(got[n].output), wide(expected[n].output));
        EXPECT_EQ(got[n].lse.elements, expected[n].lse.elements);
      }
      EXPECT_EQ(got[0].weights.elements, expected[0].weights.elements);
    }
}

TYPED_TEST(Kernels, KeepCausalPrefixesFromPoisonInTheFuture) {
  using T = TypeParam;
  OwnedProblem<T> p =
      uniform_problem<T>({.queries = 6, .keys = 6, .width = 2, .value_width = 2}, 5);
  p.causal = true;
  const auto expected = run_both(p);
  for (std::size_t n = 8; n < 12; ++n)  // tokens 4 and 5
    p.q.elements[n] = p.k.elements[n] = p.v.elements[n] = narrow<T>(not_a_number<T>);
  const auto got = run_both(p, Contents::unchecked);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t e = 0; e < 8; ++e)
      EXPECT_EQ(widen(got[n].output.elements[e]), widen(expected[n].output.elements[e]));
  EXPECT_TRUE(std::isnan(widen(got[0].output.elements[5 * 2])));
}

TYPED_TEST(Kernels, FollowTheEmptyRowConvention) {
  using T = TypeParam;
  OwnedProblem<T> p =
      uniform_problem<T>({.queries = 3, .keys = 3, .width = 2, .value_width = 2}, 6);
  p.allow = Tensor<std::uint8_t>({1, 1, 3, 3}, 1);
  for (std::size_t j = 0; j < 3; ++j) p.allow->elements[3 + j] = 0;
  p.empty_row = EmptyRow::zero;
  for (const auto& r : run_both(p)) {
    EXPECT_EQ(widen(r.output.elements[2]), 0);
    EXPECT_EQ(widen(r.output.elements[3]), 0);
    EXPECT_EQ(r.lse.elements[1], -infinity<T>);
    EXPECT_TRUE(std::isfinite(r.lse.elements[0]));
  }
  EXPECT_EQ(run_explicit(p).weights.elements[4], 0);
  p.empty_row = EmptyRow::nan;
  for (const auto& r : run_both(p)) {
    EXPECT_TRUE(std::isnan(widen(r.output.elements[2])));
    EXPECT_TRUE(std::isnan(widen(r.output.elements[3])));
    EXPECT_EQ(r.lse.elements[1], -infinity<T>);
    EXPECT_FALSE(std::isnan(widen(r.output.elements[0])));
  }
  EXPECT_TRUE(std::isnan(run_explicit(p).weights.elements[4]));
}

TYPED_TEST(Kernels, TakeASinkAsAKeyWithoutAValue) {
  using T = TypeParam;
  OwnedProblem<T> p;
  p.q = rows<T>({{0}});
  p.k = rows<T>({{1}, {2}, {3}});
  p.v = rows<T>({{4}, {4}, {4}});
  p.sinks = {0};
  for (const auto& r : run_both(p)) {
    EXPECT_EQ(widen(r.output.elements[0]), 3);  // n / (n + e^0) of the value
    EXPECT_EQ(r.lse.elements[0], std::log(Accumulator<T>{4}));
  }
  p.allow = Tensor<std::uint8_t>({1, 1, 1, 3}, 0);
  p.sinks = {7};
  for (const auto& r : run_both(p)) {  // everything goes to the sink
    EXPECT_EQ(widen(r.output.elements[0]), 0);
    EXPECT_EQ(r.lse.elements[0], 7);
  }
}

TYPED_TEST(Kernels, ReadTheKeyValueHeadTheMapNames) {
  using T = TypeParam;
  OwnedProblem<T> p =
      uniform_problem<T>({.query_heads = 6, .kv_heads = 3, .queries = 1, .keys = 2}, 7);
  for (std::size_t kv = 0; kv < 3; ++kv)
    p.v.elements[kv * 2] = p.v.elements[kv * 2 + 1] = test::as_element<T>(static_cast<double>(kv));
  const auto heads = [&](const OwnedResult<T>& r) { return wide(r.output); };
  using Values = std::vector<Accumulator<T>>;
  p.q = Tensor<T>(p.q.extents);  // zero queries: weights are exactly one half
  for (const auto& r : run_both(p)) EXPECT_EQ(heads(r), (Values{0, 0, 1, 1, 2, 2}));
  p.head_map = HeadMap::interleaved;
  for (const auto& r : run_both(p)) EXPECT_EQ(heads(r), (Values{0, 1, 2, 0, 1, 2}));
}

TYPED_TEST(Kernels, SurviveScoresThatExpCannotHold) {
  using T = TypeParam;
  OwnedProblem<T> p;
  p.q = rows<T>({{100}});
  p.k = rows<T>({{100}, {100}, {-100}});
  p.v = rows<T>({{2}, {4}, {1000}});
  p.scale = 1;
  for (const auto& r : run_both(p)) EXPECT_EQ(widen(r.output.elements[0]), 3);
  p.scale = -1;  // the maximum is in the last tile: everything before is rescaled to nothing
  for (const auto& r : run_both(p)) EXPECT_EQ(widen(r.output.elements[0]), 1000);
}

TYPED_TEST(Kernels, ApplyTheOptionsInTheDeclaredOrder) {
  using T = TypeParam;
  using Acc = Accumulator<T>;
  OwnedProblem<T> p;
  p.q = rows<T>({{3}, {5}});
  p.k = rows<T>({{2}, {-4}});
  p.v = rows<T>({{1}, {0}});
  p.scale = 0.5;
  p.softcap = 2;
  p.bias = Tensor<Acc>{{1, 0}, {0, 4}};
  p.alibi_slopes = {0.25f};
  const auto score = [](Acc dot, Acc bias, Acc distance) {
    const Acc cap = 2;
    return cap * std::tanh(dot * Acc{0.5} / cap) + bias - Acc{0.25} * distance;
  };
  const Acc row0[] = {score(6, 1, 0), score(-12, 0, 1)};
  const Acc row1[] = {score(10, 0, 1), score(-20, 4, 0)};
  const auto lse = [](const Acc* s) {
    const Acc max = std::max(s[0], s[1]);
    return max + std::log(std::exp(s[0] - max) + std::exp(s[1] - max));
  };
  for (const auto& r : run_both(p)) {
    EXPECT_EQ(r.lse.elements[0], lse(row0));
    EXPECT_EQ(r.lse.elements[1], lse(row1));
  }
}

TYPED_TEST(Kernels, ReadStridedInputsAndWriteStridedOutputs) {
  using T = TypeParam;
  const Shape s{.batch = 2,
                .query_heads = 2,
                .kv_heads = 2,
                .queries = 3,
                .keys = 4,
                .width = 3,
                .value_width = 2};
  const OwnedProblem<T> packed = uniform_problem<T>(s, 8);
  // The same tensors stored (batch, tokens, heads, width), with two unused elements per row.
  const auto interleave = [](const Tensor<T>& t) {
    const Extents& e = t.extents;
    const Strides strides{e[2] * e[1] * (e[3] + 2), e[3] + 2, e[1] * (e[3] + 2), 1};
    std::vector<T> storage(static_cast<std::size_t>(e[0] * strides[0]), narrow<T>(infinity<T>));
    TensorView<T> view(storage, e, strides, 0);
    for (Index b = 0; b < e[0]; ++b)
      for (Index h = 0; h < e[1]; ++h)
        for (Index n = 0; n < e[2]; ++n)
          for (Index c = 0; c < e[3]; ++c) view(b, h, n, c) = t.view()(b, h, n, c);
    return std::pair(std::move(storage), strides);
  };
  const auto [q, q_strides] = interleave(packed.q);
  const auto [k, k_strides] = interleave(packed.k);
  const auto [v, v_strides] = interleave(packed.v);
  ProblemSpec<T> spec = packed.spec();
  spec.q = TensorView<const T>(std::span(q), packed.q.extents, q_strides, 0);
  spec.k = TensorView<const T>(std::span(k), packed.k.extents, k_strides, 0);
  spec.v = TensorView<const T>(std::span(v), packed.v.extents, v_strides, 0);
  const auto expected = run_both(packed);
  const auto expected_output = wide(expected[0].output);
  const auto r = run_explicit(Problem<T>(spec));
  EXPECT_EQ(wide(r.output), expected_output);
  const auto streamed = run_streaming(Problem<T>(spec), {.queries = 2, .keys = 2});
  EXPECT_EQ(wide(streamed.output), wide(expected[1].output));

  auto [out, out_strides] = interleave(expected[0].output);
  const TensorView<T> view(out, expected[0].output.extents, out_strides, 0);
  std::ranges::fill(out, narrow<T>(not_a_number<T>));
  explicit_attention<T>(Problem<T>(spec), {view, {}, {}});
  std::vector<Accumulator<T>> got;
  for (Index b = 0; b < 2; ++b)
    for (Index h = 0; h < 2; ++h)
      for (Index i = 0; i < 3; ++i)
        for (Index c = 0; c < 2; ++c) got.push_back(widen(view(b, h, i, c)));
  EXPECT_EQ(got, expected_output);
  for (std::size_t n = 0; n < out.size(); ++n)  // the gaps of every row
    EXPECT_EQ(std::isnan(widen(out[n])), n % 4 >= 2) << n;
}

TYPED_TEST(Kernels, TreatBatchesAndHeadsIndependently) {
  using T = TypeParam;
  const Shape s{.batch = 2,
                .query_heads = 2,
                .kv_heads = 2,
                .queries = 3,
                .keys = 5,
                .width = 2,
                .value_width = 2};
  const OwnedProblem<T> p = uniform_problem<T>(s, 9);
  const auto whole = run_both(p);
  const auto part_of = [](const Tensor<T>& t, std::size_t n) {
    Tensor<T> part({1, 1, t.extents[2], t.extents[3]});
    const std::size_t size = part.elements.size();
    std::copy_n(t.elements.begin() + static_cast<std::ptrdiff_t>(n * size), size,
                part.elements.begin());
    return part;
  };
  for (std::size_t n = 0; n < 4; ++n) {
    OwnedProblem<T> part;
    part.q = part_of(p.q, n);
    part.k = part_of(p.k, n);
    part.v = part_of(p.v, n);
    const auto alone = run_both(part);
    for (std::size_t kernel = 0; kernel < 2; ++kernel)
      EXPECT_EQ(wide(part_of(whole[kernel].output, n)), wide(alone[kernel].output));
  }
}

TYPED_TEST(Kernels, GiveTheSameBitsTwice) {
  const OwnedProblem<TypeParam> p =
      uniform_problem<TypeParam>({.queries = 7, .keys = 9, .width = 5, .value_width = 3}, 10);
  const auto first = run_both(p);
  const auto second = run_both(p);
  for (std::size_t n = 0; n < 2; ++n) EXPECT_EQ(wide(first[n].output), wide(second[n].output));
}

TYPED_TEST(Kernels, RefuseResultsOfTheWrongShape) {
  using T = TypeParam;
  const OwnedProblem<T> p = uniform_problem<T>({.queries = 2, .keys = 3}, 11);
  const Problem<T> problem(p.spec());
  Tensor<T> output({1, 1, 2, 1});
  Tensor<T> tall({1, 1, 3, 1});
  Tensor<Accumulator<T>> square({1, 1, 2, 2});
  EXPECT_EQ(message_of([&] { explicit_attention<T>(problem, {}); }),
            "output: got no tensor; accepted: (1, 1, 2, 1)");
  EXPECT_EQ(message_of([&] {
              explicit_attention<T>(problem, {tall.view(), {}, {}});
            }),
            "output: got shape (1, 1, 3, 1); accepted: (1, 1, 2, 1)");
  EXPECT_EQ(message_of([&] {
              explicit_attention<T>(problem, {output.view(), square.view(), {}});
            }),
            "weights: got shape (1, 1, 2, 2); accepted: (1, 1, 2, 3)");
  EXPECT_EQ(message_of([&] {
              streaming_attention<T>(problem, {output.view(), {}, square.view()});
            }),
            "lse: got shape (1, 1, 2, 2); accepted: (1, 1, 2, 1)");
}

TYPED_TEST(Kernels, StreamingRefusesWeightsAndTilesBelowOne) {
  using T = TypeParam;
  const OwnedProblem<T> p = uniform_problem<T>({.queries = 2, .keys = 3}, 12);
  const Problem<T> problem(p.spec());
  Tensor<T> output({1, 1, 2, 1});
  Tensor<Accumulator<T>> weights({1, 1, 2, 3});
  EXPECT_EQ(message_of([&] {
              streaming_attention<T>(problem, {output.view(), weights.view(), {}});
            }),
            "weights: got asked for; accepted: no weights: streaming attention never holds them");
  for (const Tiles tiles : {Tiles{0, 1}, Tiles{1, 0}, Tiles{-1, 1}})
    EXPECT_THROW(streaming_attention<T>(problem, {output.view(), {}, {}}, tiles), InputError);
}

// Values that are small integers and weights that are exact (a zero query over a power of two of
// keys) leave nothing to round, so tiling may not change a single bit.
TYPED_TEST(Kernels, StreamingIsExactForAnyTileSizeWhereTheArithmeticIs) {
  using T = TypeParam;
  rc::check([] {
    const auto keys = Index{1} << *rc::gen::inRange(0, 6);
    const auto queries = *rc::gen::inRange<Index>(1, 9);
    const Tiles tiles{*rc::gen::inRange<Index>(1, 12), *rc::gen::inRange<Index>(1, 80)};
    OwnedProblem<T> p =
        uniform_problem<T>({.queries = queries, .keys = keys, .width = 3, .value_width = 2}, 13);
    p.q = Tensor<T>(p.q.extents);
    for (T& v : p.v.elements) v = test::as_element<T>(std::round(widen(v) * 8));
    RC_ASSERT(wide(run_streaming(p, tiles).output) == wide(run_explicit(p).output));
  });
}

}  // namespace
}  // namespace attest

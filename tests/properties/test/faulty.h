#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

#include "attention/explicit_attention.h"
#include "tests/properties/run.h"

namespace attest::properties::test {

// The explicit kernel with one fault, by name: what a property must be able to see.
class Faulty : public CandidateOf<Faulty> {
 public:
  explicit Faulty(std::string fault)
      : CandidateOf(Declaration{.name = "faulty:" + fault}), fault_(std::move(fault)) {}

  template <class T>
  Status run(const Problem<T>& problem, const AttentionResult<T>& result, Tiles tiles) {
    ProblemSpec<T> spec = problem.spec();
    edit_input(spec, problem.shape());
    explicit_attention(Problem<T>(spec, Contents::unchecked), result);
    edit_result(problem, result, tiles);
    if (is("dies") && problem.shape().keys == 3) std::abort();
    if (is("gives up") && problem.shape().keys == 3) return {Status::Kind::failed, "error 7"};
    if (is("takes no three keys") && problem.shape().keys == 3)
      return {Status::Kind::unsupported, "three keys"};
    return {};
  }

 private:
  bool is(const char* fault) const { return fault_ == fault; }

  template <class T>
  void edit_input(ProblemSpec<T>& spec, const Shape& s) {
    if (is("scale removed")) spec.score.scale = 1.0;
    if (is("keys ignored")) spec.score.scale = 0.0;
    if (is("scale ignored")) spec.score.scale.reset();
    if (is("causal ignored")) spec.visibility.causal = false;
    if (is("causal reversed") && spec.visibility.causal) {
      spec.visibility.causal = false;
      spec.visibility.window.left = 0;
    }
    if (is("mask ignored")) spec.visibility.allow.reset();
    if (is("broadcast mask ignored") && spec.visibility.allow &&
        spec.visibility.allow->extents()[1] != s.query_heads)
      spec.visibility.allow.reset();
    if (is("window ignored")) spec.visibility.window = {};
    if (is("lengths ignored")) spec.visibility.key_lengths = {};
    if (is("bottom-right read as top-left") && spec.visibility.alignment == Alignment::bottom_right)
      spec.visibility.alignment = Alignment::top_left;
    if (is("head map swapped"))
      spec.head_map = spec.head_map == HeadMap::blocked ? HeadMap::interleaved : HeadMap::blocked;
    if (is("inputs written")) const_cast<T&>(spec.q(0, 0, 0, 0)) = T{};
    spec.empty_row = spec.empty_row == EmptyRow::error ? EmptyRow::zero : spec.empty_row;
  }

  template <class T>
  void edit_result(const Problem<T>& p, const AttentionResult<T>& r, Tiles tiles) {
    using Acc = Accumulator<T>;
    const Shape& s = p.shape();
    const ProblemSpec<T>& spec = p.spec();
    ++calls_;
    for (Index b = 0; b < s.batch; ++b)
      for (Index h = 0; h < s.query_heads; ++h)
        for (Index i = 0; i < s.queries; ++i) {
          if (is("lse in base 2") && !r.lse.empty()) r.lse(b, h, i, 0) /= Acc(0.6931472);
          for (Index c = 0; c < s.value_width; ++c) {
            const Acc x = widen(r.output(b, h, i, c));
            r.output(b, h, i, c) = narrow<T>(edited<Acc>(x, spec, s, {b, h, i}, c, tiles, r));
          }
        }
    if (is("writes beside the result")) r.output.origin()[-1] = T{};
  }

  struct Row {
    Index b, h, i;
  };

  template <class Acc, class T>
  Acc edited(Acc x, const ProblemSpec<T>& spec, const Shape& s, Row row, Index c, Tiles tiles,
             const AttentionResult<T>& r) const {
    const Acc off = x * Acc(1.25) + Acc(0.5);
    const auto when = [&](bool condition) { return condition ? off : x; };
    const Acc q = widen(spec.q(0, 0, 0, 0));
    const bool plain = spec.q.strides() == row_major(spec.q.extents());
    if (is("nan")) return std::nanf("");
    if (is("one percent low")) return x * Acc(0.99);
    if (is("one percent high")) return x * Acc(1.01) + Acc(0.001);
    if (is("a little added")) return x + Acc(0.01);
    if (is("zero times values")) return zero_times(spec.v, x);
    if (is("zero times queries")) return zero_times(spec.q, x);
    if (is("depends on the number of keys")) return when(s.keys % 2 == 1);
    if (is("mask path off")) return when(spec.visibility.allow.has_value());
    if (is("first query off")) return when(row.i == 0);
    if (is("later queries off")) return when(row.i > 0);
    if (is("first sequence off")) return when(row.b == 0);
    if (is("later sequences off")) return when(row.b > 0);
    if (is("first head off")) return when(row.h == 0);
    if (is("later heads off")) return when(row.h > 0);
    if (is("first column off")) return when(c == 0);
    if (is("wide values off")) return when(s.value_width > 1);
    if (is("strided off")) return when(!plain);
    if (is("tiles of one key off")) return when(tiles.keys < s.keys);
    if (is("off without lse")) return when(r.lse.empty());
    if (is("looks at q")) return x + q;
    if (is("first value leaks")) return x + Acc(0.125) * widen(spec.v(row.b, 0, 0, c));
    if (is("changes from call to call")) return x + Acc(calls_ % 2);
    if (is("remembers shapes")) return x + Acc(s.keys == last_keys_ ? 0 : 1);
    if (is("last row unwritten") && row.i == s.queries - 1) return std::nanf("");
    if (is("large scores fail"))
      return std::abs(widen(spec.k(0, 0, 0, 0))) > 10 ? Acc(std::nanf("")) : x;
    if (is("empty rows kept")) return std::isnan(x) || x == 0 ? Acc(0.5) : x;
    return x;
  }

  template <class T, class Acc>
  static Acc zero_times(const TensorView<const T>& t, Acc x) {
    for (Index b = 0; b < t.extents()[0]; ++b)
      for (Index h = 0; h < t.extents()[1]; ++h)
        for (Index n = 0; n < t.extents()[2]; ++n) x += Acc(0) * widen(t(b, h, n, 0));
    return x;
  }

  std::string fault_;
  int calls_ = 0;
  Index last_keys_ = 2;
};

inline MakeCandidate faulty(const std::string& fault) {
  return [fault] { return std::make_unique<Faulty>(fault); };
}

}  // namespace attest::properties::test

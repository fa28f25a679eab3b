// Problems taken apart and put together.
#include <algorithm>
#include <cmath>

#include "oracle/visible_keys.h"
#include "tests/properties/derive.h"
#include "tests/properties/property.h"

namespace attest::properties {
namespace {

struct KeyDuplication {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("giving every key twice changed the output, or not the LSE by ln 2");
    const Shape& s = trial.shape();
    Indices twice = counted(s.keys);
    for (Index j = 0; j < s.keys; ++j) twice.push_back(j);
    const OwnedProblem<T> doubled = select_keys(trial.problem(), twice);
    const Answer<T> once = trial.ask(), both = trial.ask(doubled);
    const Expectation truth = trial.expectation(), other = trial.expectation(doubled);
    const auto compare = [&](const Place& place, const oracle::Expected& x,
                             const oracle::Expected& y, double expected, double got) {
      if (!x.bound.judged || !y.bound.judged) return out.unjudged();
      const double slack = std::isfinite(expected) ? 0x1p-51 * std::abs(expected) : 0;
      out.within(place, expected, got, x.bound.total() + y.bound.total() + slack);
    };
    for_each_query(s, [&](Index b, Index h, Index i) {
      for (Index c = 0; c < s.value_width; ++c)
        compare({Place::Of::output, b, h, i, c}, truth.output(b, h, i, c), other.output(b, h, i, c),
                number_at(once.output, b, h, i, c), number_at(both.output, b, h, i, c));
      if (once.has_lse)
        compare({Place::Of::lse, b, h, i, 0}, truth.row(b, h, i).lse, other.row(b, h, i).lse,
                number_at(once.lse, b, h, i, 0) + std::log(2.0), number_at(both.lse, b, h, i, 0));
    });
    return out.verdict();
  }
};

// One part of a split problem with what may be off in it.
template <class T>
struct Part {
  Answer<T> answer;
  Expectation truth;
};

template <class T>
class Merge {
 public:
  Merge(const Trial<T>& trial, Comparison& out)
      : trial_(trial), out_(out), whole_{trial.ask(), trial.expectation()} {}

  void at_cut(const OwnedProblem<T>& first, const OwnedProblem<T>& second) {
    const Part<T> x{trial_.ask(first), trial_.expectation(first)};
    const Part<T> y{trial_.ask(second), trial_.expectation(second)};
    for_each_query(trial_.shape(), [&](Index b, Index h, Index i) { row(x, y, b, h, i); });
  }

 private:
  void row(const Part<T>& x, const Part<T>& y, Index b, Index h, Index i) {
    if (whole_.truth.row(b, h, i).keys.empty()) return;
    const double lx = number_at(x.answer.lse, b, h, i, 0), ly = number_at(y.answer.lse, b, h, i, 0);
    const double top = std::max(lx, ly);
    // LSEs of parts: -infinity is the empty part, which has no share.
    const double ex = std::exp(lx - top), ey = std::exp(ly - top);
    const double share = ex / (ex + ey), rest = ey / (ex + ey);
    const double off = part_error(x.truth.row(b, h, i).lse) + part_error(y.truth.row(b, h, i).lse) +
                       0x1p-50 * (1 + std::abs(top));
    for (Index c = 0; c < trial_.shape().value_width; ++c) {
      const double ox = share == 0 ? 0 : number_at(x.answer.output, b, h, i, c);
      const double oy = rest == 0 ? 0 : number_at(y.answer.output, b, h, i, c);
      const oracle::Bound& bx = x.truth.output(b, h, i, c).bound;
      const oracle::Bound& by = y.truth.output(b, h, i, c).bound;
      const oracle::Bound& bw = whole_.truth.output(b, h, i, c).bound;
      if (!bx.judged || !by.judged || !bw.judged) {
        out_.unjudged();
        continue;
      }
      const double merged = share * ox + rest * oy;
      // An error of the LSEs by `off` moves shares by at most share rest (e^off - 1).
      const double allowed = share * bx.total() + rest * by.total() + bw.total() +
                             std::abs(ox - oy) * share * rest * std::expm1(off) +
                             0x1p-50 * (std::abs(ox) + std::abs(oy));
      out_.within({Place::Of::output, b, h, i, c}, merged,
                  number_at(whole_.answer.output, b, h, i, c), allowed);
    }
    const oracle::Expected& lse = whole_.truth.row(b, h, i).lse;
    out_.within({Place::Of::lse, b, h, i, 0}, top + std::log(ex + ey),
                number_at(whole_.answer.lse, b, h, i, 0), lse.bound.total() + off);
  }

  static double part_error(const oracle::Expected& lse) {
    return std::isfinite(lse.nearest) ? lse.bound.total() : 0;
  }

  const Trial<T>& trial_;
  Comparison& out_;
  Part<T> whole_;
};

template <class T>
bool has_empty_row(const OwnedProblem<T>& p) {
  bool empty = false;
  const ProblemSpec<T> spec = p.spec();
  for_each_query(shape_of(p), [&](Index b, Index h, Index i) {
    empty = empty || oracle::visible_keys(spec, b, h, i).empty();
  });
  return empty;
}

struct SplitMerge {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("parts merged by their LSE do not give the whole");
    const Index keys = trial.shape().keys;
    const bool empty_rows = trial.features().contains(Feature::empty_zero);
    Merge<T> merge(trial, out);
    const auto cut = [&](OwnedProblem<T> first, OwnedProblem<T> second) {
      for (OwnedProblem<T>* part : {&first, &second}) {
        if (!has_empty_row(*part)) continue;
        if (!empty_rows) return;
        part->empty_row = EmptyRow::zero;
      }
      merge.at_cut(first, second);
    };
    for (Index at = 1; at<keys; at += keys> 8 ? keys / 4 : 1)
      cut(select_keys(trial.problem(), range(0, at)),
          select_keys(trial.problem(), range(at, keys)));
    if (empty_rows && trial.features().contains(Feature::allow_mask)) {
      OwnedProblem<T> nothing = trial.problem();
      nothing.allow = Tensor<std::uint8_t>({1, 1, 1, 1}, 0);
      cut(nothing, trial.problem());
      cut(trial.problem(), nothing);
    }
    return out.verdict();
  }
};

struct HeadGroups {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("shared key/value heads differ from the same heads repeated");
    const Shape& s = trial.shape();
    const Indices map = oracle::kv_heads_of(trial.problem().head_map, s.query_heads, s.kv_heads);
    OwnedProblem<T> repeated = select_heads(trial.problem(), counted(s.query_heads), map);
    repeated.head_map = HeadMap::blocked;
    compare_answers(out, trial.ask(), trial.ask(repeated), trial.expectation());
    return out.verdict();
  }
};

struct ValueColumnsAlone {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a column of the values gives another result alone than beside the others");
    const Answer<T> whole = trial.ask();
    for (Index c = 0; c < trial.shape().value_width; ++c) {
      OwnedProblem<T> one = trial.problem();
      one.v = select(one.v, Axis::column, {c});
      compare_answers(out, select(whole, Axis::column, {c}), trial.ask(one),
                      trial.expectation(one));
    }
    return out.verdict();
  }
};

// A key whose scores are far below the others' has no weight: as if it were not there.
struct FarKeyVanishes {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a key with a score of thousands below the others' still has an influence");
    const Shape& s = trial.shape();
    const auto with_key = [&](bool far) {
      OwnedProblem<T> p = trial.problem();
      Indices keys = counted(s.keys);
      if (far)
        keys.insert(keys.begin() + static_cast<Index>(trial.recipe().seed %
                                                      static_cast<std::uint64_t>(s.keys + 1)),
                    0);
      p = select_keys(std::move(p), keys);
      return p;
    };
    const OwnedProblem<T> base = with_key(false);
    OwnedProblem<T> extended = with_key(true);
    const Index place =
        static_cast<Index>(trial.recipe().seed % static_cast<std::uint64_t>(s.keys + 1));
    OwnedProblem<T> plain = base;
    for (OwnedProblem<T>* p : {&plain, &extended})
      for (Index b = 0; b < s.batch; ++b)
        for (Index h = 0; h < s.query_heads; ++h)
          for (Index i = 0; i < s.queries; ++i)
            at(p->q, b, h, i, 0) = narrow<T>(Accumulator<T>{64});
    for (Index b = 0; b < s.batch; ++b)
      for (Index kv = 0; kv < s.kv_heads; ++kv) {
        for (Index c = 0; c < s.width; ++c)
          at(extended.k, b, kv, place, c) =
              narrow<T>(static_cast<Accumulator<T>>(c == 0 ? -512 : 0));
        for (Index c = 0; c < s.value_width; ++c)
          at(extended.v, b, kv, place, c) = narrow<T>(Accumulator<T>{1000});
      }
    compare_output(out, trial.ask(extended), trial.expectation(extended));
    compare_answers(out, trial.ask(plain), trial.ask(extended), trial.expectation(plain));
    return out.verdict();
  }
};

void plain_keys(Recipe& r) {
  without_key_places(r);
  without_sinks(r);
}

void several_plain_keys(Recipe& r) {
  plain_keys(r);
  if (r.shape.keys == 1) r.shape.keys = 2;
}

void grouped(Recipe& r) {
  if (r.shape.query_heads == r.shape.kv_heads) r.shape.query_heads *= 2;
}

void far_key(Recipe& r) {
  without_key_places(r);
  with_ordinary_values(r);
  without_sinks(r);
  r.softcap = false;
  r.given_scale = false;
  r.bias = Bias::none;
  r.allow = Allow::none;
}

}  // namespace

std::vector<Property> composition_properties() {
  return {
      {.id = "key-duplication",
       .law = "Giving every key twice leaves the output and adds ln 2 to the LSE.",
       .why = "Counts of keys, sums over tiles and the LSE's base are checked without a truth.",
       .catches = "lse-base, sink-count, tile-tail, stale-cache-key",
       .needs = {},
       .domain = plain_keys,
       .check = check_by<KeyDuplication>},
      {.id = "split-merge",
       .law = "Keys cut in two, empty parts included, merge by their LSE to the whole.",
       .why = "Split-K decode, ring attention and cascades are this identity; an empty part must "
              "be its neutral element: output 0, LSE -infinity.",
       .catches = "lse-base, lse-empty, lse-layout, lse-not-stored, fully-masked-row",
       .needs = {Feature::lse},
       .domain = several_plain_keys,
       .check = check_by<SplitMerge>},
      {.id = "head-groups",
       .law = "Query heads that share key/value heads give what repeated heads give.",
       .why = "Grouped-query attention is defined by this.",
       .catches = "gqa-head-map, gqa-repeat-axis, head-index-collapse",
       .needs = {Feature::gqa},
       .domain = grouped,
       .check = check_by<HeadGroups>,
       .demands = {{"Hq > Hkv", 0.9}}},
      {.id = "value-columns-alone",
       .law = "A column of the values gives alone what it gives beside the others.",
       .why = "Value widths other than the head's are where padding and vector tails differ.",
       .catches = "value-dim, tile-tail, stride-innermost",
       .needs = {Feature::value_width},
       .domain = nullptr,
       .check = check_by<ValueColumnsAlone>},
      {.id = "far-key-vanishes",
       .law = "A key whose score lies thousands below every other's has no influence.",
       .why = "Exponentials that are clamped, floored or in a narrow type keep a trace of it.",
       .catches = "low-precision-softmax, finite-sentinel, fp16-score-overflow",
       .needs = {},
       .domain = far_key,
       .check = check_by<FarKeyVanishes>},
  };
}

}  // namespace attest::properties

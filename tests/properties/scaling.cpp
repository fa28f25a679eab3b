// Shifts and scalings with known effect, most of them exact to the bit.
#include <algorithm>
#include <cmath>

#include "tests/properties/derive.h"
#include "tests/properties/property.h"

namespace attest::properties {
namespace {

template <class T>
void each(Tensor<T>& t, auto&& change) {
  for (T& x : t.elements) x = narrow<T>(static_cast<Accumulator<T>>(change(widen(x))));
}

// -0 and 0 are one number here. Outputs that T stores as subnormals are rounded coarsely and
// compared within that rounding.
template <class T>
void compare_scaled(Comparison& out, const Answer<T>& expected, const Answer<T>& got, double factor,
                    const oracle::Arithmetic& a) {
  const double normal = a.output_roundoff > 0 ? a.output_least / a.output_roundoff : 0;
  const Extents& e = expected.output.extents;
  for (Index b = 0; b < e[0]; ++b)
    for (Index h = 0; h < e[1]; ++h)
      for (Index i = 0; i < e[2]; ++i)
        for (Index c = 0; c < e[3]; ++c) {
          const Place place{Place::Of::output, b, h, i, c};
          const double x = number_at(expected.output, b, h, i, c) * factor + 0.0;
          const double y = number_at(got.output, b, h, i, c) + 0.0;
          if (std::min(std::abs(x), std::abs(y)) < std::abs(factor) * normal)
            out.within(place, x, y, (std::abs(factor) + 1) * a.output_least);
          else
            out.same(place, x, y);
        }
}

struct ValueShift {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("adding a constant to the values did not add it to the output");
    const auto shift = static_cast<double>(static_cast<Index>(trial.recipe().seed % 17) - 8);
    OwnedProblem<T> shifted = trial.problem();
    each(shifted.v, [&](double v) { return v + shift; });
    const Answer<T> before = trial.ask(), after = trial.ask(shifted);
    const Expectation plain = trial.expectation(), moved = trial.expectation(shifted);
    const Shape& s = trial.shape();
    for_each_query(s, [&](Index b, Index h, Index i) {
      if (plain.row(b, h, i).keys.empty()) return;
      for (Index c = 0; c < s.value_width; ++c) {
        const oracle::Bound& x = plain.output(b, h, i, c).bound;
        const oracle::Bound& y = moved.output(b, h, i, c).bound;
        if (!x.judged || !y.judged) {
          out.unjudged();
          continue;
        }
        out.within({Place::Of::output, b, h, i, c}, number_at(before.output, b, h, i, c) + shift,
                   number_at(after.output, b, h, i, c), x.total() + y.total() + 0x1p-49);
      }
    });
    return out.verdict();
  }
};

struct ValueScaling {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("values times a power of two did not give the output times it, bit for bit");
    const auto a = arithmetic_of<T>(trial.declaration(), trial.shape().keys, trial.recipe().tiles);
    const Answer<T> before = trial.ask();
    for (const double factor : {4.0, -1.0, -2.0}) {
      OwnedProblem<T> scaled = trial.problem();
      each(scaled.v, [&](double v) { return v * factor; });
      compare_scaled(out, before, trial.ask(scaled), factor, a);
    }
    return out.verdict();
  }
};

struct QueryScaling {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("queries times 16 with the scale divided by 16 changed the bits");
    OwnedProblem<T> scaled = trial.problem();
    each(scaled.q, [](double q) { return q * 16; });
    *scaled.scale /= 16;
    const Answer<T> before = trial.ask(), after = trial.ask(scaled);
    compare_bits(out, Place::Of::output, before.output, after.output);
    if (before.has_lse) compare_bits(out, Place::Of::lse, before.lse, after.lse);
    return out.verdict();
  }
};

struct FeatureSigns {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("turning the sign of a feature in queries and keys changed the bits");
    const auto feature =
        static_cast<Index>(trial.recipe().seed % static_cast<std::uint64_t>(trial.shape().width));
    OwnedProblem<T> turned = trial.problem();
    for (Tensor<T>* t : {&turned.q, &turned.k})
      for (Index b = 0; b < t->extents[0]; ++b)
        for (Index h = 0; h < t->extents[1]; ++h)
          for (Index n = 0; n < t->extents[2]; ++n) {
            T& x = at(*t, b, h, n, feature);
            x = narrow<T>(-widen(x));
          }
    const Answer<T> before = trial.ask(), after = trial.ask(turned);
    compare_bits(out, Place::Of::output, before.output, after.output);
    if (before.has_lse) compare_bits(out, Place::Of::lse, before.lse, after.lse);
    return out.verdict();
  }
};

struct ConstantValues {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("constant values did not come out as they went in");
    OwnedProblem<T> constant = trial.problem();
    const Shape& s = trial.shape();
    for (Index b = 0; b < s.batch; ++b)
      for (Index kv = 0; kv < s.kv_heads; ++kv)
        for (Index j = 1; j < s.keys; ++j)
          for (Index c = 0; c < s.value_width; ++c)
            at(constant.v, b, kv, j, c) = at(constant.v, b, kv, 0, c);
    compare_output(out, trial.ask(constant), trial.expectation(constant));
    return out.verdict();
  }
};

struct ZeroQuery {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("queries of zero did not give the plain mean of the visible values");
    OwnedProblem<T> zero = trial.problem();
    each(zero.q, [](double) { return 0.0; });
    compare_output(out, trial.ask(zero), trial.expectation(zero));
    return out.verdict();
  }
};

// Feature 0 becomes 1 in every query and a constant in every key: all scores move alike.
struct ScoreShift {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("adding a constant to all scores changed the output");
    const auto with_feature = [&](double key) {
      OwnedProblem<T> p = trial.problem();
      for (Index b = 0; b < p.q.extents[0]; ++b) {
        for (Index h = 0; h < p.q.extents[1]; ++h)
          for (Index n = 0; n < p.q.extents[2]; ++n)
            at(p.q, b, h, n, 0) = narrow<T>(Accumulator<T>{1});
        for (Index h = 0; h < p.k.extents[1]; ++h)
          for (Index n = 0; n < p.k.extents[2]; ++n)
            at(p.k, b, h, n, 0) = narrow<T>(static_cast<Accumulator<T>>(key));
      }
      return p;
    };
    const Answer<T> before = trial.ask(with_feature(0));
    const Expectation plain = trial.expectation(with_feature(0));
    const std::uint64_t seed = trial.recipe().seed;
    const double size = std::ldexp(1.0, static_cast<int>(seed % 12) + 4);
    for (const double shift : {size, -size}) {
      const OwnedProblem<T> moved = with_feature(shift);
      const Answer<T> after = trial.ask(moved);
      const Expectation expected = trial.expectation(moved);
      const Shape& s = trial.shape();
      for_each_query(s, [&](Index b, Index h, Index i) {
        for (Index c = 0; c < s.value_width; ++c) {
          const oracle::Bound& x = plain.output(b, h, i, c).bound;
          const oracle::Bound& y = expected.output(b, h, i, c).bound;
          const double was = number_at(before.output, b, h, i, c);
          const double is = number_at(after.output, b, h, i, c);
          const Place place{Place::Of::output, b, h, i, c};
          if (x.judged && y.judged)
            out.within(place, was, is, x.total() + y.total());
          else
            out.require(std::isfinite(is) || !std::isfinite(was), place, "a finite number",
                        number_text(is));
        }
      });
    }
    return out.verdict();
  }
};

void exact_shift(Recipe& r) {
  r.values = Values::integers;
  without_sinks(r);
}

void exact_scaling(Recipe& r) {
  with_ordinary_values(r);
  r.alibi = false;
  if (r.empty_row == EmptyRow::nan) r.empty_row = EmptyRow::zero;
}

void given_scale(Recipe& r) {
  with_ordinary_values(r);
  r.given_scale = true;
}

void plain_scores(Recipe& r) {
  with_ordinary_values(r);
  without_sinks(r);
  r.softcap = false;
  if (r.shape.width == 1) r.shape.width = 2;
}

}  // namespace

std::vector<Property> scaling_properties() {
  return {
      {.id = "value-shift",
       .law = "Adding a constant to all values adds it to every output.",
       .why = "Weights that do not sum to one show, whatever they are.",
       .catches = "mask-multiplicative, tile-tail, bool-mask-added, sink-count",
       .needs = {},
       .domain = exact_shift,
       .check = check_by<ValueShift>},
      {.id = "value-scaling",
       .law = "Values times a power of two, or negated, give the output so, bit for bit.",
       .why = "Exact, so it needs no tolerance: an epsilon added to sums or a clamp shows.",
       .catches = "constant-shift, kv-scale-ignored, low-precision-softmax",
       .needs = {},
       .domain = exact_scaling,
       .check = check_by<ValueScaling>},
      {.id = "query-scaling",
       .law = "Queries times 16 with the scale divided by 16 give the same bits.",
       .why = "The scale enters once, before cap and bias, and as a factor.",
       .catches = "scale-wrong, scale-missing, softcap-order, scale-default-literal",
       .needs = {Feature::scale},
       .domain = given_scale,
       .check = check_by<QueryScaling>,
       .demands = {{"scale given", 0.9}}},
      {.id = "feature-signs",
       .law = "Turning the sign of a feature in queries and keys alike gives the same bits.",
       .why = "Only products of the two may enter; nothing else may look at q or k.",
       .catches = "value-dim, state-leak, fp16-overflow",
       .needs = {},
       .domain = nullptr,
       .check = check_by<FeatureSigns>},
      {.id = "constant-values",
       .law = "Values that are constant over keys come out as they are (less the sink's share).",
       .why = "Independent of the scores, so it is judged to a few roundings at any magnitude.",
       .catches = "mask-multiplicative, tile-tail, nan-through-mask, low-precision-softmax",
       .needs = {},
       .domain = nullptr,
       .check = check_by<ConstantValues>},
      {.id = "zero-query",
       .law = "A query of zeros gives the plain mean of the visible values (bias apart).",
       .why = "Masks are checked without the scale, and counts of keys without the scores.",
       .catches = "mask-ignored, kv-length-ignored, tile-tail, sink-dropped",
       .needs = {},
       .domain = nullptr,
       .check = check_by<ZeroQuery>},
      {.id = "score-shift",
       .law = "Adding a constant to all scores of a row, of either sign, leaves the output.",
       .why = "A maximum that starts at zero, is floored or is forgotten overflows or vanishes.",
       .catches = "constant-shift, running-max-sentinel, masked-tile-finite-sentinel, "
                  "fp16-score-overflow",
       .needs = {},
       .domain = plain_scores,
       .check = check_by<ScoreShift>},
  };
}

}  // namespace attest::properties

// What can be seen through the values: V = identity makes the output the weights themselves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oracle/visible_keys.h"
#include "tests/properties/derive.h"
#include "tests/properties/property.h"

namespace attest::properties {
namespace {

// The weights (batch, query_heads, queries, keys) as the output for one-hot values, as many keys a
// call as the values are wide.
template <class T>
Tensor<double> weights_through_values(const Trial<T>& trial) {
  const Shape& s = trial.shape();
  Tensor<double> weights({s.batch, s.query_heads, s.queries, s.keys});
  OwnedProblem<T> p = trial.problem();
  for (Index first = 0; first < s.keys; first += s.value_width) {
    std::fill(p.v.elements.begin(), p.v.elements.end(), T{});
    const Index end = std::min(s.keys, first + s.value_width);
    for (Index b = 0; b < s.batch; ++b)
      for (Index kv = 0; kv < s.kv_heads; ++kv)
        for (Index j = first; j < end; ++j)
          at(p.v, b, kv, j, j - first) = narrow<T>(Accumulator<T>{1});
    const Answer<T> answer = trial.ask(p);
    for_each_query(s, [&](Index b, Index h, Index i) {
      for (Index j = first; j < end; ++j)
        at(weights, b, h, i, j) = number_at(answer.output, b, h, i, j - first);
    });
  }
  return weights;
}

struct RowsSumToOne {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("the weights of a row do not sum to one");
    const Shape& s = trial.shape();
    OwnedProblem<T> ones = trial.problem();
    ones.v = Tensor<T>({s.batch, s.kv_heads, s.keys, 1}, narrow<T>(Accumulator<T>{1}));
    const Expectation expected = trial.expectation(ones);
    const Tensor<double> weights = weights_through_values(trial);
    const auto a = arithmetic_of<T>(trial.declaration(), s.keys, trial.recipe().tiles);
    for_each_query(s, [&](Index b, Index h, Index i) {
      if (expected.row(b, h, i).keys.empty()) return;
      long double sum = 0;
      for (Index j = 0; j < s.keys; ++j) sum += at(weights, b, h, i, j);
      const oracle::Expected& one = expected.output(b, h, i, 0);
      // Each weight was stored once, and the sum here rounds to 2^-64.
      const double allowed =
          one.bound.total() + static_cast<double>(s.keys) * (a.output_least + 0x1p-62);
      out.within({Place::Of::weights, b, h, i, 0}, one.nearest, static_cast<double>(sum), allowed);
    });
    return out.verdict();
  }
};

std::string keys_text(const Indices& keys) {
  return fmt::format("keys {{{}}}", fmt::join(keys, ", "));
}

// A misreading of a problem's visibility, to name what was seen.
struct Reading {
  const char* name;
  bool (*apply)(VisibilityRule& rule, const Shape& shape);  // false: not a misreading of this rule
};

constexpr std::array readings = {
    Reading{"alignment bottom-right",
            [](VisibilityRule& r, const Shape&) {
              if (r.alignment == Alignment::bottom_right) return false;
              r.alignment = Alignment::bottom_right;
              return true;
            }},
    Reading{"alignment top-left",
            [](VisibilityRule& r, const Shape&) {
              if (r.alignment != Alignment::bottom_right) return false;
              r.alignment = Alignment::top_left;
              return true;
            }},
    Reading{"causal order ignored",
            [](VisibilityRule& r, const Shape&) { return std::exchange(r.causal, false); }},
    Reading{"the diagonal hidden",
            [](VisibilityRule& r, const Shape& s) {
              if (!r.causal) return false;
              r.causal = false;
              r.window.right = -1;
              static_cast<void>(s);
              return true;
            }},
    Reading{"causal order one key late",
            [](VisibilityRule& r, const Shape&) {
              if (!r.causal) return false;
              r.causal = false;
              r.window.right = r.window.right ? std::min<Index>(*r.window.right, 1) : 1;
              return true;
            }},
    Reading{"causal order reversed",
            [](VisibilityRule& r, const Shape&) {
              if (!r.causal) return false;
              r.causal = false;
              r.window.left = 0;
              return true;
            }},
    Reading{"window ignored",
            [](VisibilityRule& r, const Shape&) {
              const bool limited = r.window.limited();
              r.window = {};
              return limited;
            }},
    Reading{"left end of the window exclusive",
            [](VisibilityRule& r, const Shape&) {
              if (!r.window.left) return false;
              --*r.window.left;
              return true;
            }},
    Reading{"right end of the window exclusive",
            [](VisibilityRule& r, const Shape&) {
              if (!r.window.right) return false;
              --*r.window.right;
              return true;
            }},
    Reading{"key lengths ignored",
            [](VisibilityRule& r, const Shape&) {
              const bool given = !r.key_lengths.empty();
              r.key_lengths = {};
              return given;
            }},
    Reading{"allow mask ignored",
            [](VisibilityRule& r, const Shape&) {
              const bool given = r.allow.has_value();
              r.allow.reset();
              return given;
            }},
};

template <class T>
std::string reading_of(const OwnedProblem<T>& p, Index b, Index h, Index i, const Indices& seen) {
  std::string names;
  const auto add = [&](const char* name) {
    names += fmt::format("{}{}", names.empty() ? ": as with " : ", or ", name);
  };
  for (const Reading& reading : readings) {
    ProblemSpec<T> spec = p.spec();
    if (!reading.apply(spec.visibility, shape_of(p))) continue;
    if (oracle::visible_keys(spec, b, h, i) == seen) add(reading.name);
  }
  if (p.allow) {
    OwnedProblem<T> inverted = p;
    for (std::uint8_t& allowed : inverted.allow->elements) allowed = !allowed;
    if (oracle::visible_keys(inverted.spec(), b, h, i) == seen)
      add("the allow mask's polarity inverted");
  }
  return keys_text(seen) + names;
}

struct Support {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("the keys that a query reads are not the visible ones");
    const Expectation expected = trial.expectation();
    const Tensor<double> weights = weights_through_values(trial);
    const auto a = arithmetic_of<T>(trial.declaration(), trial.shape().keys, trial.recipe().tiles);
    const double representable = std::max(2 * a.output_least, a.least_normal);
    for_each_query(trial.shape(), [&](Index b, Index h, Index i) {
      if (expected.row(b, h, i).keys.empty()) return;
      Indices seen, visible;
      bool same = true;
      for (Index j = 0; j < trial.shape().keys; ++j) {
        const double weight = at(weights, b, h, i, j);
        const oracle::Expected* truth = expected.weight(b, h, i, j);
        if (weight != 0) seen.push_back(j);
        if (truth != nullptr) visible.push_back(j);
        if (truth == nullptr ? weight != 0 : !(weight >= 0)) same = false;
        // A weight may vanish only where a correct kernel's may.
        if (truth != nullptr && weight == 0 && truth->bound.judged &&
            truth->nearest - truth->bound.total() > representable)
          same = false;
      }
      if (same || out.failed()) return out.require(same, {}, {}, {});
      out.require(false, {Place::Of::weights, b, h, i, 0}, keys_text(visible),
                  reading_of(trial.problem(), b, h, i, seen));
    });
    return out.verdict();
  }
};

// The value of a key/value head is its number, so the output is the number of the head read.
struct HeadMapReadout {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a query head reads another key/value head");
    const Shape& s = trial.shape();
    OwnedProblem<T> p = trial.problem();
    for (Index b = 0; b < s.batch; ++b)
      for (Index kv = 0; kv < s.kv_heads; ++kv)
        for (Index j = 0; j < s.keys; ++j)
          for (Index c = 0; c < s.value_width; ++c)
            at(p.v, b, kv, j, c) = narrow<T>(static_cast<Accumulator<T>>(b * s.kv_heads + kv + 1));
    const Answer<T> answer = trial.ask(p);
    const Expectation expected = trial.expectation(p);
    const Indices map = oracle::kv_heads_of(p.head_map, s.query_heads, s.kv_heads);
    for_each_query(s, [&](Index b, Index h, Index i) {
      if (expected.row(b, h, i).keys.empty()) return;
      for (Index c = 0; c < s.value_width; ++c) {
        const double got = number_at(answer.output, b, h, i, c);
        const oracle::Expected& truth = expected.output(b, h, i, c);
        const bool right = truth.ratio(got).value_or(0) <= 1;
        const double head = std::nearbyint(got);
        out.require(right, {Place::Of::output, b, h, i, c},
                    fmt::format("key/value head {} of sequence {}: {}",
                                map[static_cast<std::size_t>(h)], b, truth.nearest),
                    head >= 1 && head <= static_cast<double>(s.batch * s.kv_heads) &&
                            std::abs(got - head) < 1e-3
                        ? fmt::format("{}: head {} of sequence {}", got,
                                      (static_cast<Index>(head) - 1) % s.kv_heads,
                                      (static_cast<Index>(head) - 1) / s.kv_heads)
                        : number_text(got));
      }
    });
    return out.verdict();
  }
};

struct ConvexHull {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("an output lies outside the range of the values it mixes");
    const OwnedProblem<T>& p = trial.problem();
    const Shape& s = trial.shape();
    const Answer<T> answer = trial.ask();
    const Expectation expected = trial.expectation();
    const Indices map = oracle::kv_heads_of(p.head_map, s.query_heads, s.kv_heads);
    for_each_query(s, [&](Index b, Index h, Index i) {
      const Indices& keys = expected.row(b, h, i).keys;
      for (Index c = 0; c < s.value_width && !keys.empty(); ++c) {
        double low = p.sinks.empty() ? INFINITY : 0, high = p.sinks.empty() ? -INFINITY : 0;
        for (const Index j : keys) {
          const double v = number_at(p.v, b, map[static_cast<std::size_t>(h)], j, c);
          low = std::min(low, v);
          high = std::max(high, v);
        }
        // Perturbed weights still mix: only sums and storage may lead outside.
        const oracle::Bound& bound = expected.output(b, h, i, c).bound;
        const double slack = bound.sums + bound.underflow + bound.storage;
        const double got = number_at(answer.output, b, h, i, c);
        if (!std::isfinite(slack)) {
          out.unjudged();
          continue;
        }
        const Place place{Place::Of::output, b, h, i, c};
        if (got >= low && got <= high)
          out.within(place, got, got, slack);
        else
          out.within(place, std::isnan(got) || got > high ? high : low, got, slack);
      }
    });
    return out.verdict();
  }
};

void several_heads(Recipe& r) {
  if (r.shape.kv_heads == 1) {
    r.shape.query_heads *= 2;
    r.shape.kv_heads = 2;
  }
  without_sinks(r);
  with_ordinary_values(r);
}

void hiding(Recipe& r) {
  if (!r.hides()) {
    r.causal = true;
    if (r.alignment == Alignment::square && r.shape.queries != r.shape.keys)
      r.alignment = Alignment::top_left;
  }
  if (r.values == Values::large_values || r.values == Values::subnormal) r.values = Values::normal;
}

void no_sinks(Recipe& r) {
  without_sinks(r);
  if (r.values == Values::large_values) r.values = Values::normal;
}

void values_in_range(Recipe& r) {
  if (r.values == Values::large_values) r.values = Values::normal;
}

}  // namespace

std::vector<Property> readout_properties() {
  return {
      {.id = "rows-sum-to-one",
       .law = "The weights of every row sum to one.",
       .why = "Seen through one-hot values, so it needs no weights from the kernel. Alone it is "
              "weak: a wrong scale, a wrong mask and uniform weights all sum to one. Rows with a "
              "sink are left to constant-values.",
       .catches = "tile-tail, mask-multiplicative, bool-mask-added",
       .needs = {},
       .domain = no_sinks,
       .check = check_by<RowsSumToOne>},
      {.id = "support",
       .law = "Exactly the visible keys have weight; every other key's weight is exactly zero.",
       .why = "One-hot values show who reads whom, free of any tolerance. A failure names the "
              "convention that it looks like: another alignment, an exclusive window, a mask of "
              "inverted polarity.",
       .catches = "causal-alignment, causal-dropped, causal-granularity, window-off-by-one, "
                  "window-right-bound-dropped, mask-polarity, mask-ignored, mask-broadcast-slice, "
                  "kv-length-ignored, finite-sentinel, mask-batch-broadcast",
       .needs = {},
       .domain = hiding,
       .check = check_by<Support>,
       .demands = {{"something hidden", 0.8, {Feature::causal}},
                   {"causal bottom-right", 0.05, {Feature::causal, Feature::bottom_right}},
                   {"window", 0.1, {Feature::window}},
                   {"lengths", 0.08, {Feature::key_lengths}},
                   {"allow mask", 0.1, {Feature::allow_mask}}}},
      {.id = "head-map",
       .law = "Every query head reads the key/value head that the head map gives it, of its own "
              "sequence.",
       .why = "The values are the number of their head, so the output says which one was read.",
       .catches = "gqa-head-map, gqa-repeat-axis, head-index-collapse, mask-head-batch-order",
       .needs = {},
       .domain = several_heads,
       .check = check_by<HeadMapReadout>,
       .demands = {{"Hkv > 1", 0.9}, {"Hq > Hkv", 0.2, {Feature::gqa}}}},
      {.id = "convex-hull",
       .law = "An output lies between the least and the largest visible value of its column.",
       .why = "Needs no truth, so it also holds where scores are too large for any bound.",
       .catches = "nan-through-mask, tile-tail, constant-shift, fp16-score-overflow, "
                  "running-max-sentinel",
       .needs = {},
       .domain = values_in_range,
       .check = check_by<ConvexHull>},
  };
}

}  // namespace attest::properties

// Against the oracle: each number within its derived bound.
#include "tests/properties/property.h"

namespace attest::properties {
namespace {

struct OutputWithinBound {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("the output is farther from the truth than a correct kernel's can be");
    compare_output(out, trial.ask(), trial.expectation());
    return out.verdict();
  }
};

struct LseWithinBound {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("the LSE is farther from the truth than a correct kernel's can be");
    compare_lse(out, trial.ask(), trial.expectation());
    return out.verdict();
  }
};

struct WeightsWithinBound {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a weight is farther from the truth than a correct kernel's can be");
    const Answer<T> answer = trial.ask();
    const Expectation expected = trial.expectation();
    const Shape& s = trial.shape();
    for_each_query(s, [&](Index b, Index h, Index i) {
      const bool empty = expected.row(b, h, i).keys.empty();
      for (Index j = 0; j < s.keys && !empty; ++j) {
        const Place place{Place::Of::weights, b, h, i, j};
        const double got = number_at(answer.weights, b, h, i, j);
        if (const oracle::Expected* truth = expected.weight(b, h, i, j))
          out.ratio(place, truth->ratio(got), truth->nearest, got);
        else
          out.require(got == 0, place, "exactly 0: the key is hidden", number_text(got));
      }
    });
    return out.verdict();
  }
};

// The plainest test there is, and what shape checks alone amount to.
struct FiniteOutput {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("an output of finite, ordinary inputs is not a finite number");
    const Answer<T> answer = trial.ask();
    const Shape& s = trial.shape();
    for_each_query(s, [&](Index b, Index h, Index i) {
      for (Index c = 0; c < s.value_width; ++c) {
        const double got = number_at(answer.output, b, h, i, c);
        out.require(std::isfinite(got), {Place::Of::output, b, h, i, c}, "a finite number",
                    number_text(got));
      }
    });
    return out.verdict();
  }
};

void ordinary_values(Recipe& r) {
  if (r.values != Values::integers && r.values != Values::one_hot && r.values != Values::ties)
    r.values = Values::normal;
  r.magnitude = 0;
  if (r.empty_row == EmptyRow::nan) r.empty_row = EmptyRow::error;
}

const std::vector<Demand> everything = {
    {"something hidden",
     0.4,
     {Feature::causal, Feature::window, Feature::key_lengths, Feature::allow_mask, Feature::bias}},
    {"causal", 0.15, {Feature::causal}},
    {"allow mask", 0.1, {Feature::allow_mask}},
    {"bias", 0.1, {Feature::bias}},
    {"Nq < Nk", 0.15, {Feature::cross}},
    {"Nq > Nk", 0.1, {Feature::cross}},
    {"d = 1", 0.1},
    {"Nk = 1", 0.04},
    {"several key tiles", 0.2},
    {"values huge", 0.03},
    {"values negative", 0.03}};

}  // namespace

std::vector<Property> truth_properties() {
  return {
      {.id = "finite-output",
       .law = "Finite inputs of ordinary size give a finite output of the right shape.",
       .why = "What a test of shapes alone sees: nearly nothing. It is here as the floor that "
              "every other property is measured against.",
       .catches = "tile-tail, fully-masked-row, out-of-bounds",
       .needs = {},
       .domain = ordinary_values,
       .check = check_by<FiniteOutput>},
      {.id = "output-within-bound",
       .law = "Every output lies within the derived error bound of the 50-digit oracle.",
       .why = "The one property that states what attention is. The bound follows from the type, "
              "the lengths and the scores of each row; nobody chose it.",
       .catches =
           "scale-missing, scale-wrong, scale-inverted, causal-alignment, window-off-by-one, "
           "softcap-ignored, softcap-order, alibi-slopes, sink-dropped, softmax-axis, "
           "low-precision-softmax",
       .needs = {},
       .domain = nullptr,
       .check = check_by<OutputWithinBound>,
       .demands = everything,
       .against_truth = true},
      {.id = "lse-within-bound",
       .law = "The LSE of every row lies within its derived error bound of the oracle's.",
       .why = "Merging of parts, training and speculative decoding all rest on the LSE, and an "
              "output can be right while its LSE is not: in another base, unshifted, without sink.",
       .catches = "lse-base, lse-empty, lse-not-stored, sink-count, constant-shift",
       .needs = {Feature::lse},
       .domain = nullptr,
       .check = check_by<LseWithinBound>,
       .demands = everything,
       .against_truth = true},
      {.id = "weights-within-bound",
       .law = "Every weight lies within its derived error bound, and is exactly 0 where hidden.",
       .why = "Weights show faults that values average away.",
       .catches = "softmax-axis, mask-multiplicative, finite-sentinel, bool-mask-added",
       .needs = {Feature::weights},
       .domain = nullptr,
       .check = check_by<WeightsWithinBound>,
       .demands = everything,
       .against_truth = true},
  };
}

}  // namespace attest::properties

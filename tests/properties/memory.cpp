// Buffers, layouts and repeated calls: what a kernel may touch, and what it may depend on.
#include "tests/properties/property.h"

namespace attest::properties {
namespace {

template <class T>
void compare_all_bits(Comparison& out, const Answer<T>& expected, const Answer<T>& got) {
  compare_bits(out, Place::Of::output, expected.output, got.output);
  if (expected.has_lse) compare_bits(out, Place::Of::lse, expected.lse, got.lse);
  if (expected.has_weights) compare_bits(out, Place::Of::weights, expected.weights, got.weights);
}

struct RunTwice {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a second call with the same inputs gave other bits");
    compare_all_bits(out, trial.ask(), trial.ask());
    return out.verdict();
  }
};

struct CallOrder {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a call between two equal calls changed the second one's result");
    const Answer<T> before = trial.ask();
    Recipe other = trial.recipe();  // the same shape, so that a cache keyed by shape would answer
    other.seed += 1;
    other.values = Values::normal;
    settle(other);
    trial.ask(expand<T>(other));
    other.shape.keys += 1;
    other.causal = false;
    other.window = {};
    other.alibi = false;
    fit(other, trial.features());
    settle(other);
    trial.ask(expand<T>(other));
    compare_all_bits(out, before, trial.ask());
    return out.verdict();
  }
};

struct EveryElementWritten {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a result depends on what its storage held before the call");
    Manner manner = trial.manner();
    const Answer<T> over_nan = trial.ask(trial.problem(), manner);
    manner.prefill_nan = false;
    compare_all_bits(out, over_nan, trial.ask(trial.problem(), manner));
    return out.verdict();
  }
};

struct NothingElseWritten {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("storage beside the result was written");
    out.require(!trial.ask().outside_written, {}, "the elements of the result and nothing else",
                "other elements of its storage changed");
    return out.verdict();
  }
};

struct InputsUnmodified {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("an input was written");
    out.require(!trial.ask().inputs_changed, {}, "inputs as they were", "changed elements");
    return out.verdict();
  }
};

// Two correct results lie within the sum of their bounds of each other.
struct LayoutDoesNotMatter {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("strided tensors gave another result than the same tensors row-major");
    Manner plain = trial.manner();
    plain.layout = Layout::row_major;
    compare_answers(out, trial.ask(trial.problem(), plain), trial.ask(), trial.expectation());
    return out.verdict();
  }
};

struct TilesDoNotMatter {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("another tile size gave another result");
    Manner whole = trial.manner();
    whole.tiles = {trial.shape().queries, trial.shape().keys};
    compare_answers(out, trial.ask(trial.problem(), whole), trial.ask(), trial.expectation());
    return out.verdict();
  }
};

struct ResultsDoNotDependOnWhatIsAskedFor {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("the output changed when weights and LSE were not asked for");
    Manner bare = trial.manner();
    bare.weights = bare.lse = false;
    compare_answers(out, trial.ask(), trial.ask(trial.problem(), bare), trial.expectation());
    return out.verdict();
  }
};

void strided(Recipe& r) {
  if (r.layout == Layout::row_major) r.layout = Layout::padded;
}

}  // namespace

std::vector<Property> memory_properties() {
  return {
      {.id = "run-twice",
       .law = "The same call twice gives the same bits.",
       .why = "State that survives a call, races and uninitialised memory make runs differ.",
       .catches = "state-leak, race, dropout-in-eval, tile-tail",
       .needs = {},
       .domain = nullptr,
       .check = check_by<RunTwice>},
      {.id = "call-order",
       .law = "Calls with other inputs in between do not change a result.",
       .why = "Caches keyed by shape or address answer with the last problem's numbers.",
       .catches = "stale-cache-key, state-leak",
       .needs = {},
       .domain = nullptr,
       .check = check_by<CallOrder>},
      {.id = "every-element-written",
       .law = "No result depends on what its storage held before.",
       .why = "Rows skipped as empty, tails past the last tile and accumulation into the output "
              "leave old memory behind.",
       .catches = "tile-tail, fully-masked-row, lse-not-stored",
       .needs = {},
       .domain = nullptr,
       .check = check_by<EveryElementWritten>},
      {.id = "nothing-else-written",
       .law = "Only the elements of the results are written.",
       .why = "A tail written whole, or a wrong stride, lands in somebody else's tensor.",
       .catches = "out-of-bounds, stride-ignored, tile-tail",
       .needs = {},
       .domain = nullptr,
       .check = check_by<NothingElseWritten>},
      {.id = "inputs-unmodified",
       .law = "Inputs are left as they were.",
       .why = "Scaling q in place, or masking through the input, spoils the next layer.",
       .catches = "state-leak",
       .needs = {},
       .domain = nullptr,
       .check = check_by<InputsUnmodified>},
      {.id = "layout",
       .law = "Tensors of any strides give the result of the same tensors row-major.",
       .why = "Permuted and sliced tensors are what frameworks pass; assuming contiguity is the "
              "commonest fault of a port.",
       .catches = "stride-ignored, stride-innermost, layout-split",
       .needs = {Feature::strides},
       .domain = strided,
       .check = check_by<LayoutDoesNotMatter>,
       .demands = {{"strided", 0.9}}},
      {.id = "tile-size",
       .law = "The tiling does not change the result beyond rounding.",
       .why = "Rescaling, tails and masks of partial tiles are exercised at every position.",
       .catches = "tile-tail, running-max-sentinel, masked-tile-finite-sentinel",
       .needs = {Feature::tiles},
       .domain = nullptr,
       .check = check_by<TilesDoNotMatter>,
       .demands = {{"several key tiles", 0.2}, {"ragged last tile", 0.1}}},
      {.id = "results-asked-for",
       .law = "The output is the same whether or not weights and LSE are asked for.",
       .why = "Asking for them often takes another code path, which the tests of the plain one "
              "never enter.",
       .catches = "softcap-ignored-path, fully-masked-path-mismatch, lse-not-stored",
       .needs = {Feature::lse},
       .domain = nullptr,
       .check = check_by<ResultsDoNotDependOnWhatIsAskedFor>},
  };
}

}  // namespace attest::properties

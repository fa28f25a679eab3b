// Who may read whom, and that nothing else has any influence.
#include <array>
#include <cmath>
#include <limits>

#include "oracle/visible_keys.h"
#include "tests/properties/derive.h"
#include "tests/properties/property.h"

namespace attest::properties {
namespace {

// A query of the problem that has a hidden key (any query where none has).
struct Row {
  Index b = 0, h = 0, i = 0;
  Indices hidden{};
};

template <class T>
Row row_with_hidden_keys(const Trial<T>& trial) {
  std::vector<Row> rows;
  const ProblemSpec<T> spec = trial.problem().spec();
  for_each_query(trial.shape(), [&](Index b, Index h, Index i) {
    const Indices visible = oracle::visible_keys(spec, b, h, i);
    Row row{b, h, i};
    std::size_t next = 0;
    for (Index j = 0; j < trial.shape().keys; ++j) {
      if (next < visible.size() && visible[next] == j)
        ++next;
      else
        row.hidden.push_back(j);
    }
    if (!row.hidden.empty()) rows.push_back(std::move(row));
  });
  return rows.empty() ? Row{} : rows[trial.recipe().seed % rows.size()];
}

template <class T>
std::array<T, 4> poisons() {
  using Acc = Accumulator<T>;
  constexpr Acc infinity = std::numeric_limits<Acc>::infinity();
  const auto huge = static_cast<Acc>(sizeof(T) == 2 ? 6e4 : 1e30);
  return {narrow<T>(std::numeric_limits<Acc>::quiet_NaN()), narrow<T>(infinity),
          narrow<T>(-infinity), narrow<T>(huge)};
}

template <class T>
void compare_row_bits(Comparison& out, const Answer<T>& expected, const Answer<T>& got,
                      const Row& r) {
  for (Index c = 0; c < expected.output.extents[3]; ++c)
    out.same({Place::Of::output, r.b, r.h, r.i, c}, number_at(expected.output, r.b, r.h, r.i, c),
             number_at(got.output, r.b, r.h, r.i, c));
  if (expected.has_lse)
    out.same({Place::Of::lse, r.b, r.h, r.i, 0}, number_at(expected.lse, r.b, r.h, r.i, 0),
             number_at(got.lse, r.b, r.h, r.i, 0));
}

struct HiddenPoison {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("what stands in hidden keys and values changed a row that does not see them");
    const Row row = row_with_hidden_keys(trial);
    const Answer<T> clean = trial.ask();
    const OwnedProblem<T>& p = trial.problem();
    const Indices map =
        oracle::kv_heads_of(p.head_map, trial.shape().query_heads, trial.shape().kv_heads);
    const Index kv = map[static_cast<std::size_t>(row.h)];
    for (const T poison : poisons<T>())
      for (const bool in_values : {false, true}) {
        OwnedProblem<T> poisoned = p;
        Tensor<T>& t = in_values ? poisoned.v : poisoned.k;
        for (const Index j : row.hidden)
          for (Index c = 0; c < t.extents[3]; ++c) at(t, row.b, kv, j, c) = poison;
        compare_row_bits(out, clean, trial.ask(poisoned), row);
      }
    return out.verdict();
  }
};

// Other tokens after the cut: earlier rows are the same bits.
struct CausalPrefix {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a row changed with what comes after it");
    const Shape& s = trial.shape();
    const OwnedProblem<T>& p = trial.problem();
    const Index cut =
        1 + static_cast<Index>(trial.recipe().seed % static_cast<std::uint64_t>(s.keys));
    const Answer<T> whole = trial.ask();
    OwnedProblem<T> other = p;
    for (Tensor<T>* t : {&other.q, &other.k, &other.v})
      for (Index b = 0; b < s.batch; ++b)
        for (Index h = 0; h < t->extents[1]; ++h)
          for (Index n = cut; n < s.keys; ++n)
            for (Index c = 0; c < t->extents[3]; ++c)
              at(*t, b, h, n, c) = narrow<T>(static_cast<Accumulator<T>>(1 + (n + c) % 3));
    const Indices before = range(0, cut);
    const Answer<T> first = select(whole, Axis::token, before);
    const Answer<T> changed = select(trial.ask(other), Axis::token, before);
    compare_bits(out, Place::Of::output, first.output, changed.output);
    if (first.has_lse) compare_bits(out, Place::Of::lse, first.lse, changed.lse);
    return out.verdict();
  }
};

// The sequence cut off: rows before the cut are the same function of the same tokens.
struct Truncation {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a row changed when later tokens were cut off");
    const Index keys = trial.shape().keys;
    const Index cut =
        1 + static_cast<Index>(trial.recipe().seed % static_cast<std::uint64_t>(keys));
    const Indices before = range(0, cut);
    const OwnedProblem<T> part = select_queries(select_keys(trial.problem(), before), before);
    Answer<T> whole = select(trial.ask(), Axis::token, before);
    compare_answers(out, whole, trial.ask(part), trial.expectation(part));
    return out.verdict();
  }
};

// The last query alone, as with a KV cache: it faces the last key.
struct DecodeEqualsPrefill {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a single query at the end of the cache gave another result than in prefill");
    const Indices last = {trial.shape().queries - 1};
    OwnedProblem<T> decode = select_queries(trial.problem(), last);
    decode.alignment = Alignment::bottom_right;
    compare_answers(out, select(trial.ask(), Axis::token, last), trial.ask(decode),
                    trial.expectation(decode));
    return out.verdict();
  }
};

template <class T>
Tensor<std::uint8_t> mask_of(const Trial<T>& trial) {
  const Shape& s = trial.shape();
  Tensor<std::uint8_t> mask({s.batch, s.query_heads, s.queries, s.keys}, 0);
  const ProblemSpec<T> spec = trial.problem().spec();
  for_each_query(s, [&](Index b, Index h, Index i) {
    for (const Index j : oracle::visible_keys(spec, b, h, i)) at(mask, b, h, i, j) = 1;
  });
  return mask;
}

struct RulesEqualMask {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("causal order, window, lengths and mask differ from the one mask they make");
    OwnedProblem<T> masked = trial.problem();
    masked.allow = mask_of(trial);
    masked.causal = false;
    masked.window = {};
    masked.key_lengths.clear();
    masked.alignment = Alignment::square;
    compare_answers(out, trial.ask(), trial.ask(masked), trial.expectation());
    return out.verdict();
  }
};

struct MaskEqualsBias {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("an allow mask differs from a bias of -infinity where it hides");
    using Acc = Accumulator<T>;
    OwnedProblem<T> biased = trial.problem();
    if (!biased.allow) return out.verdict();  // it left a row empty, and was taken out
    const Tensor<std::uint8_t>& allow = *biased.allow;
    const Shape& s = trial.shape();
    Tensor<Acc> bias({s.batch, s.query_heads, s.queries, s.keys});
    const ProblemSpec<T> spec = trial.problem().spec();
    const auto entry = [](const Extents& e, Index b, Index h, Index i, Index j) {
      return Extents{e[0] == 1 ? 0 : b, e[1] == 1 ? 0 : h, e[2] == 1 ? 0 : i, e[3] == 1 ? 0 : j};
    };
    for_each_query(s, [&](Index b, Index h, Index i) {
      for (Index j = 0; j < s.keys; ++j) {
        const Extents a = entry(allow.extents, b, h, i, j);
        Acc& x = at(bias, b, h, i, j);
        if (spec.score.bias) {
          const Extents e = entry(biased.bias->extents, b, h, i, j);
          x = at(*biased.bias, e[0], e[1], e[2], e[3]);
        }
        if (!at(allow, a[0], a[1], a[2], a[3])) x = -std::numeric_limits<Acc>::infinity();
      }
    });
    biased.allow.reset();
    biased.bias = bias;
    compare_answers(out, trial.ask(), trial.ask(biased), trial.expectation(biased));
    return out.verdict();
  }
};

template <class Entry>
Tensor<Entry> written_out(const Tensor<Entry>& t, const Shape& s) {
  Tensor<Entry> whole({s.batch, s.query_heads, s.queries, s.keys});
  const Extents& e = t.extents;
  for_each_query(s, [&](Index b, Index h, Index i) {
    for (Index j = 0; j < s.keys; ++j)
      at(whole, b, h, i, j) =
          at(t, e[0] == 1 ? 0 : b, e[1] == 1 ? 0 : h, e[2] == 1 ? 0 : i, e[3] == 1 ? 0 : j);
  });
  return whole;
}

struct BroadcastEqualsWrittenOut {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a broadcast mask or bias differs from the same one written out");
    OwnedProblem<T> whole = trial.problem();
    if (whole.allow) whole.allow = written_out(*whole.allow, trial.shape());
    if (whole.bias) whole.bias = written_out(*whole.bias, trial.shape());
    compare_answers(out, trial.ask(), trial.ask(whole), trial.expectation());
    return out.verdict();
  }
};

// A bias of zeros, a mask that allows all, full lengths: options that change nothing.
struct NeutralOptions {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("an option that changes nothing changed the result");
    const Shape& s = trial.shape();
    const Features f = trial.features();
    OwnedProblem<T> neutral = trial.problem();
    if (f.contains(Feature::allow_mask) && !neutral.allow)
      neutral.allow = Tensor<std::uint8_t>({s.batch, s.query_heads, s.queries, s.keys}, 1);
    if (f.contains(Feature::bias) && !neutral.bias)
      neutral.bias = Tensor<Accumulator<T>>({s.batch, s.query_heads, s.queries, s.keys});
    if (f.contains(Feature::key_lengths) && neutral.key_lengths.empty())
      neutral.key_lengths.assign(static_cast<std::size_t>(s.batch), s.keys);
    if (f.contains(Feature::scale) && !neutral.scale)
      neutral.scale = 1 / std::sqrt(static_cast<double>(s.width));
    compare_answers(out, trial.ask(), trial.ask(neutral), trial.expectation(neutral));
    return out.verdict();
  }
};

// Zeros in masked slots: a value of zero is not the absence of a key.
struct PaddingEqualsShorter {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a padded sequence differs from the same sequence without its padding");
    const Answer<T> padded = trial.ask();
    const OwnedProblem<T>& p = trial.problem();
    if (p.key_lengths.empty()) return out.verdict();  // they left a row empty, and were taken out
    for (Index b = 0; b < trial.shape().batch; ++b) {
      OwnedProblem<T> alone = select_batch(p, {b});
      const Index length = alone.key_lengths[0];
      alone = select_keys(std::move(alone), range(0, length));
      alone.key_lengths.clear();
      Answer<T> mine = select(padded, Axis::batch, {b});
      compare_answers(out, mine, trial.ask(alone), trial.expectation(alone));
    }
    return out.verdict();
  }
};

struct SingleVisibleKey {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a row that sees one key does not give that key's value");
    const Shape& s = trial.shape();
    const OwnedProblem<T>& p = trial.problem();
    const Answer<T> answer = trial.ask();
    const ProblemSpec<T> spec = p.spec();
    const Indices map = oracle::kv_heads_of(p.head_map, s.query_heads, s.kv_heads);
    const auto a = arithmetic_of<T>(trial.declaration(), s.keys, trial.recipe().tiles);
    for_each_query(s, [&](Index b, Index h, Index i) {
      const Indices keys = oracle::visible_keys(spec, b, h, i);
      if (keys.size() != 1) return;
      for (Index c = 0; c < s.value_width; ++c) {
        const double v = number_at(p.v, b, map[static_cast<std::size_t>(h)], keys[0], c);
        // The product and the quotient round once each, and so does every rescaling.
        const double units = 2 + 2 * static_cast<double>(a.rescales);
        const double allowed = (units * a.roundoff + a.weight_roundoff) * std::abs(v) +
                               units * a.least_normal + a.output_roundoff * std::abs(v) +
                               a.output_least;
        out.within({Place::Of::output, b, h, i, c}, v, number_at(answer.output, b, h, i, c),
                   allowed);
      }
    });
    return out.verdict();
  }
};

struct EmptyRows {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a row without a visible key does not give what its convention says");
    const Answer<T> answer = trial.ask();
    const ProblemSpec<T> spec = trial.problem().spec();
    const bool zero = spec.empty_row == EmptyRow::zero;
    for_each_query(trial.shape(), [&](Index b, Index h, Index i) {
      if (!oracle::visible_keys(spec, b, h, i).empty()) return;
      for (Index c = 0; c < trial.shape().value_width; ++c) {
        const double got = number_at(answer.output, b, h, i, c);
        out.require(zero ? got == 0 : std::isnan(got), {Place::Of::output, b, h, i, c},
                    zero ? "0: no key is visible" : "nan: no key is visible", number_text(got));
      }
      if (!answer.has_lse) return;
      const double lse = number_at(answer.lse, b, h, i, 0);
      out.require(lse == -INFINITY, {Place::Of::lse, b, h, i, 0}, "-inf: no key is visible",
                  number_text(lse));
    });
    return out.verdict();
  }
};

void hiding(Recipe& r) {
  if (r.hides()) return;
  r.causal = true;
  if (r.shape.queries != r.shape.keys && r.alignment == Alignment::square)
    r.alignment = Alignment::top_left;
}

void causal_square(Recipe& r) {
  r.causal = true;
  r.shape.queries = r.shape.keys;
  r.alignment = Alignment::square;
  r.lengths = Lengths::full;
}

void ruled(Recipe& r) {
  r.alibi = false;
  if (!r.causal && !r.window.limited() && r.lengths == Lengths::full) hiding(r);
}

void masked(Recipe& r) {
  if (r.allow == Allow::none) r.allow = Allow::half;
}

void broadcasting(Recipe& r) {
  if (r.allow == Allow::none && r.bias == Bias::none) r.allow = Allow::dense;
  const auto none = [](const Broadcast& b) {
    return !b.batch && !b.heads && !b.queries && !b.keys;
  };
  if (none(r.allow_broadcast) && none(r.bias_broadcast)) {
    r.allow_broadcast.heads = true;
    r.bias_broadcast.queries = true;
  }
}

void drawn_lengths(Recipe& r) {
  r.lengths = Lengths::drawn;
  if (r.alignment == Alignment::square) without_positions(r);
}

void single_keys(Recipe& r) {
  without_key_places(r);
  without_sinks(r);
  r.bias = Bias::none;
  r.allow = Allow::single;
  r.allow_broadcast.keys = false;
}

void empty_rows(Recipe& r) {
  without_sinks(r);
  r.allow = Allow::sparse;
  if (r.empty_row == EmptyRow::error) r.empty_row = EmptyRow::zero;
}

}  // namespace

std::vector<Property> visibility_properties() {
  return {
      {.id = "hidden-poison",
       .law = "NaN, infinities and 1e30 in keys and values that a row does not see leave its bits "
              "as they were.",
       .why = "Hidden storage is unwritten cache, padding or somebody else's data. A weight of "
              "zero times NaN is NaN, and a finite sentinel lets 1e30 through.",
       .catches = "nan-through-mask, nan-through-padding, finite-sentinel, kv-length-ignored, "
                  "mask-ignored, causal-alignment",
       .needs = {},
       .domain = hiding,
       .check = check_by<HiddenPoison>,
       .demands = {{"something hidden", 0.8, {Feature::causal}}}},
      {.id = "causal-prefix",
       .law = "Under causal order a row does not change, bit for bit, with the tokens after it.",
       .why = "The one thing a language model's training must never get wrong.",
       .catches = "causal-dropped, causal-alignment, causal-granularity, mask-wrong-axis",
       .needs = {Feature::causal},
       .domain = causal_square,
       .check = check_by<CausalPrefix>},
      {.id = "truncation",
       .law = "Under causal order, cutting off later tokens leaves the earlier rows.",
       .why = "Lengths enter alignment, tile tails and the default of some scales.",
       .catches = "causal-alignment, tile-tail, position-offset",
       .needs = {Feature::causal},
       .domain = causal_square,
       .check = check_by<Truncation>},
      {.id = "decode-equals-prefill",
       .law = "The last query alone, aligned bottom-right, gives the last row of the whole.",
       .why = "Generation with a cache must continue what prefill began.",
       .catches = "causal-alignment, cache-resume, position-offset, alibi-distance",
       .needs = {Feature::causal, Feature::bottom_right, Feature::cross},
       .domain = causal_square,
       .check = check_by<DecodeEqualsPrefill>},
      {.id = "rules-equal-mask",
       .law = "Causal order, window, lengths and mask together equal the one mask they make.",
       .why = "Each option has a path of its own in most kernels; the mask is common to all.",
       .catches = "causal-alignment, window-off-by-one, window-right-bound-dropped, "
                  "kv-length-ignored, segment-mask-ignored, segment-mask-overwritten",
       .needs = {Feature::allow_mask},
       .domain = ruled,
       .check = check_by<RulesEqualMask>,
       .demands = {{"something hidden", 0.8, {Feature::causal}}}},
      {.id = "mask-equals-bias",
       .law = "An allow mask equals a bias of -infinity where it hides.",
       .why = "The two masks of most interfaces meet here; adding a boolean mask as numbers, or "
              "reading a bias as a boolean, does not survive it.",
       .catches = "bool-mask-added, float-mask-as-bool, mask-dtype, mask-convention-mismatch, "
                  "mask-polarity, bias-ignored",
       .needs = {Feature::allow_mask, Feature::bias},
       .domain = masked,
       .check = check_by<MaskEqualsBias>,
       .demands = {{"allow mask", 0.9}}},
      {.id = "broadcast-equals-written-out",
       .law = "A mask or bias with axes of extent 1 equals the same one written out.",
       .why = "Broadcast axes are where batch, head and query strides get confused.",
       .catches = "mask-broadcast-slice, mask-batch-broadcast, mask-batch-stride, "
                  "mask-head-batch-order, bias-batch-order",
       .needs = {Feature::allow_mask},
       .domain = broadcasting,
       .check = check_by<BroadcastEqualsWrittenOut>},
      {.id = "neutral-options",
       .law = "A mask that allows all, a bias of zeros, full lengths and the default scale written "
              "out change nothing.",
       .why = "An option that is present selects another path; its result must not.",
       .catches = "softcap-ignored-path, scale-default-literal, bias-ignored, "
                  "fully-masked-path-mismatch",
       .needs = {},
       .domain = nullptr,
       .check = check_by<NeutralOptions>},
      {.id = "padding-equals-shorter",
       .law = "A sequence padded to a common length gives what it gives without the padding.",
       .why = "Batches of unequal lengths are the ordinary case of serving.",
       .catches = "kv-length-ignored, nan-through-padding, tile-tail, causal-alignment",
       .needs = {Feature::key_lengths},
       .domain = drawn_lengths,
       .check = check_by<PaddingEqualsShorter>,
       .demands = {{"lengths", 0.9}}},
      {.id = "single-visible-key",
       .law = "A row that sees one key gives that key's value, to two roundings.",
       .why = "The tightest tolerance there is: an epsilon in the denominator shows.",
       .catches = "low-precision-softmax, constant-shift, finite-sentinel, mask-multiplicative",
       .needs = {Feature::allow_mask},
       .domain = single_keys,
       .check = check_by<SingleVisibleKey>,
       .demands = {{"allow mask", 0.9}}},
      {.id = "empty-rows",
       .law = "A row without a visible key gives what its convention declares, LSE -infinity "
              "included.",
       .why = "0/0 has been NaN, the mean of all values, the previous row and old memory.",
       .catches = "fully-masked-row, fully-masked-path-mismatch, lse-empty, finite-sentinel",
       .needs = {Feature::allow_mask, Feature::empty_zero},
       .domain = empty_rows,
       .check = check_by<EmptyRows>,
       .demands = {{"allow mask", 0.9}}},
  };
}

}  // namespace attest::properties

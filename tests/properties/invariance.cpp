// Permutations and independence: what an answer may not depend on, and one thing it must.
#include <algorithm>
#include <cmath>

#include "oracle/visible_keys.h"
#include "tests/properties/derive.h"
#include "tests/properties/property.h"

namespace attest::properties {
namespace {

struct KeyValuePermutation {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("permuting keys and values together changed the result");
    const Indices order = shuffled(trial.shape().keys, trial.recipe().seed);
    Answer<T> permuted = trial.ask(select_keys(trial.problem(), order));
    permuted.has_weights = false;
    compare_answers(out, trial.ask(), permuted, trial.expectation());
    return out.verdict();
  }
};

// Permuting keys under values that stay is another problem, and the answer must follow it.
struct KeysAlonePermutation {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("permuting the keys alone left a result that should have changed");
    OwnedProblem<T> other = trial.problem();
    other.k = select(other.k, Axis::token, shuffled(trial.shape().keys, trial.recipe().seed));
    const Answer<T> before = trial.ask(), after = trial.ask(other);
    const Expectation first = trial.expectation(), second = trial.expectation(other);
    const Shape& s = trial.shape();
    for_each_query(s, [&](Index b, Index h, Index i) {
      for (Index c = 0; c < s.value_width; ++c) {
        const oracle::Expected& x = first.output(b, h, i, c);
        const oracle::Expected& y = second.output(b, h, i, c);
        const bool differ = x.bound.judged && y.bound.judged &&
                            std::abs(x.nearest - y.nearest) > x.bound.total() + y.bound.total();
        if (!differ) {
          out.unjudged();
          continue;
        }
        const double got = number_at(after.output, b, h, i, c);
        out.require(got != number_at(before.output, b, h, i, c), {Place::Of::output, b, h, i, c},
                    number_text(y.nearest), number_text(got) + ", as before");
      }
    });
    return out.verdict();
  }
};

struct QueryPermutation {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("permuting the queries did not permute the rows of the result");
    const Indices order = shuffled(trial.shape().queries, trial.recipe().seed);
    const Answer<T> permuted = trial.ask(select_queries(trial.problem(), order));
    compare_answers(out, trial.ask(), select(permuted, Axis::token, inverse(order)),
                    trial.expectation());
    return out.verdict();
  }
};

struct BatchPermutation {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("permuting the sequences of a batch did not permute the results");
    const Indices order = shuffled(trial.shape().batch, trial.recipe().seed);
    const Answer<T> permuted = trial.ask(select_batch(trial.problem(), order));
    compare_answers(out, trial.ask(), select(permuted, Axis::batch, inverse(order)),
                    trial.expectation());
    return out.verdict();
  }
};

// The query heads in the order in which permuted key/value heads still find their own.
Indices following(const Shape& s, HeadMap map, const Indices& kv_order) {
  const Index group = s.query_heads / s.kv_heads;
  Indices heads;
  for (Index h = 0; h < s.query_heads; ++h) {
    const bool blocked = map == HeadMap::blocked;
    const Index kv = blocked ? h / group : h % s.kv_heads;
    const Index member = blocked ? h % group : h / s.kv_heads;
    const Index from = kv_order[static_cast<std::size_t>(kv)];
    heads.push_back(blocked ? from * group + member : member * s.kv_heads + from);
  }
  return heads;
}

struct HeadPermutation {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("permuting the heads did not permute the results");
    const Indices kv = shuffled(trial.shape().kv_heads, trial.recipe().seed);
    const Indices heads = following(trial.shape(), trial.problem().head_map, kv);
    const Answer<T> permuted = trial.ask(select_heads(trial.problem(), heads, kv));
    compare_answers(out, trial.ask(), select(permuted, Axis::head, inverse(heads)),
                    trial.expectation());
    return out.verdict();
  }
};

struct SequencesAlone {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a sequence gives another result alone than in its batch");
    const Answer<T> whole = trial.ask();
    for (Index b = 0; b < trial.shape().batch; ++b) {
      const OwnedProblem<T> alone = select_batch(trial.problem(), {b});
      compare_answers(out, select(whole, Axis::batch, {b}), trial.ask(alone),
                      trial.expectation(alone));
    }
    return out.verdict();
  }
};

struct HeadsAlone {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a head gives another result alone than among the others");
    const Answer<T> whole = trial.ask();
    const Shape& s = trial.shape();
    const Indices map = oracle::kv_heads_of(trial.problem().head_map, s.query_heads, s.kv_heads);
    for (Index h = 0; h < s.query_heads; ++h) {
      const OwnedProblem<T> alone =
          select_heads(trial.problem(), {h}, {map[static_cast<std::size_t>(h)]});
      compare_answers(out, select(whole, Axis::head, {h}), trial.ask(alone),
                      trial.expectation(alone));
    }
    return out.verdict();
  }
};

struct QueriesAlone {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a query gives another result alone than among the others");
    const Answer<T> whole = trial.ask();
    for (Index i = 0; i < trial.shape().queries; ++i) {
      const OwnedProblem<T> alone = select_queries(trial.problem(), {i});
      compare_answers(out, select(whole, Axis::token, {i}), trial.ask(alone),
                      trial.expectation(alone));
    }
    return out.verdict();
  }
};

struct FeaturePermutation {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("permuting the features of queries and keys together changed the result");
    const Indices order = shuffled(trial.shape().width, trial.recipe().seed);
    OwnedProblem<T> permuted = trial.problem();
    permuted.q = select(permuted.q, Axis::column, order);
    permuted.k = select(permuted.k, Axis::column, order);
    compare_answers(out, trial.ask(), trial.ask(permuted), trial.expectation());
    return out.verdict();
  }
};

struct ValueColumnPermutation {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("permuting the columns of the values did not permute those of the output");
    const Indices order = shuffled(trial.shape().value_width, trial.recipe().seed);
    OwnedProblem<T> permuted = trial.problem();
    permuted.v = select(permuted.v, Axis::column, order);
    compare_answers(out, trial.ask(), select(trial.ask(permuted), Axis::column, inverse(order)),
                    trial.expectation());
    return out.verdict();
  }
};

// Other queries poisoned: a row has nothing to do with them.
struct QueryPoison {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a NaN in one query changed another query's row");
    const Shape& s = trial.shape();
    const Answer<T> clean = trial.ask();
    const auto poisoned =
        static_cast<Index>(trial.recipe().seed % static_cast<std::uint64_t>(s.queries));
    OwnedProblem<T> p = trial.problem();
    for (Index b = 0; b < s.batch; ++b)
      for (Index h = 0; h < s.query_heads; ++h)
        at(p.q, b, h, poisoned, 0) = narrow<T>(std::numeric_limits<Accumulator<T>>::quiet_NaN());
    Indices others = counted(s.queries);
    others.erase(others.begin() + poisoned);
    if (others.empty()) return out.verdict();
    const Answer<T> expected = select(clean, Axis::token, others);
    const Answer<T> got = select(trial.ask(p), Axis::token, others);
    compare_bits(out, Place::Of::output, expected.output, got.output);
    if (expected.has_lse) compare_bits(out, Place::Of::lse, expected.lse, got.lse);
    return out.verdict();
  }
};

void several_keys(Recipe& r) {
  without_key_places(r);
  if (r.shape.keys == 1) r.shape.keys = 2;
}

void keys_that_matter(Recipe& r) {
  several_keys(r);
  with_ordinary_values(r);
  if (r.values == Values::equal_keys || r.values == Values::one_hot) r.values = Values::normal;
}

void several_queries(Recipe& r) {
  without_positions(r);
  if (r.shape.queries == 1) r.shape.queries = 2;
}

void several_sequences(Recipe& r) {
  if (r.shape.batch == 1) r.shape.batch = 2;
}

void several_kv_heads(Recipe& r) {
  if (r.shape.kv_heads > 1) return;
  r.shape.kv_heads = 2;
  r.shape.query_heads *= 2;
}

void several_query_heads(Recipe& r) {
  if (r.shape.query_heads == 1) r.shape.query_heads = 2;
  if (r.shape.query_heads % r.shape.kv_heads != 0) r.shape.query_heads = 2 * r.shape.kv_heads;
}

void several_features(Recipe& r) {
  if (r.shape.width == 1) r.shape.width = 2;
}

void several_columns(Recipe& r) {
  if (r.shape.value_width == 1) r.shape.value_width = 2;
}

}  // namespace

std::vector<Property> invariance_properties() {
  return {
      {.id = "key-value-permutation",
       .law = "Without positions, permuting keys and values together leaves the result.",
       .why = "A softmax sums over a set. Tails, tile borders and neighbours' rows break this.",
       .catches = "tile-tail, alibi-distance, layout-split, out-of-bounds",
       .needs = {},
       .domain = several_keys,
       .check = check_by<KeyValuePermutation>},
      {.id = "keys-alone-permutation",
       .law = "Permuting the keys alone changes the result wherever the truth changes.",
       .why = "The converse: an implementation that ignores its keys passes every invariance.",
       .catches = "stale-cache-key, head-index-collapse, scale-inverted",
       .needs = {},
       .domain = keys_that_matter,
       .check = check_by<KeysAlonePermutation>},
      {.id = "query-permutation",
       .law = "Without positions, permuting the queries permutes the rows of the result.",
       .why = "A row belongs to its query, whichever tile it falls in.",
       .catches = "tile-tail, causal-granularity, mask-wrong-axis",
       .needs = {},
       .domain = several_queries,
       .check = check_by<QueryPermutation>},
      {.id = "batch-permutation",
       .law = "Permuting the sequences of a batch permutes the results.",
       .why = "Masks, lengths and biases must follow their own sequence.",
       .catches = "mask-batch-stride, bias-batch-order, mask-head-batch-order",
       .needs = {Feature::batch},
       .domain = several_sequences,
       .check = check_by<BatchPermutation>,
       .demands = {{"B > 1", 0.9}}},
      {.id = "head-permutation",
       .law = "Permuting the key/value heads with their query heads permutes the results.",
       .why = "Slopes, sinks, masks and biases must follow their own head.",
       .catches = "gqa-head-map, alibi-slopes, sink-count, mask-head-batch-order",
       .needs = {},
       .domain = several_kv_heads,
       .check = check_by<HeadPermutation>,
       .demands = {{"Hkv > 1", 0.9}}},
      {.id = "sequences-alone",
       .law = "A sequence gives alone what it gives in its batch.",
       .why = "Somebody else's request must not change an answer.",
       .catches = "mask-batch-broadcast, kv-length-ignored, block-table, index-overflow",
       .needs = {Feature::batch},
       .domain = several_sequences,
       .check = check_by<SequencesAlone>,
       .demands = {{"B > 1", 0.9}}},
      {.id = "heads-alone",
       .law = "A query head with its key/value head gives alone what it gives among the others.",
       .why = "Sharding over devices by heads rests on it.",
       .catches = "gqa-head-map, head-index-collapse, alibi-slopes, sink-count",
       .needs = {},
       .domain = several_query_heads,
       .check = check_by<HeadsAlone>},
      {.id = "queries-alone",
       .law = "Without positions, a query gives alone what it gives among the others.",
       .why = "A single query takes another path (decode) in most kernels.",
       .catches = "causal-granularity, tile-tail, mask-broadcast-slice",
       .needs = {Feature::cross},
       .domain = several_queries,
       .check = check_by<QueriesAlone>},
      {.id = "query-poison",
       .law = "A NaN in one query leaves the bits of every other query's row.",
       .why = "Maxima and sums shared by a tile of rows leak between them.",
       .catches = "out-of-bounds, nan-through-mask, tile-tail",
       .needs = {},
       .domain = nullptr,
       .check = check_by<QueryPoison>},
      {.id = "feature-permutation",
       .law = "Permuting the features of queries and keys together leaves the result.",
       .why = "A dot product sums over a set; a dropped or doubled feature does not.",
       .catches = "stride-innermost, layout-split, value-dim",
       .needs = {},
       .domain = several_features,
       .check = check_by<FeaturePermutation>},
      {.id = "value-column-permutation",
       .law = "Permuting the columns of the values permutes those of the output.",
       .why = "Columns do not know each other.",
       .catches = "value-dim, tile-tail, stride-innermost",
       .needs = {},
       .domain = several_columns,
       .check = check_by<ValueColumnPermutation>},
  };
}

}  // namespace attest::properties

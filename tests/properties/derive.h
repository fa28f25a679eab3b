#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/properties/trial.h"

namespace attest::properties {

// Problems made from problems: some of the keys, queries, sequences or heads of one, in another
// order or several times over. What belongs to them (mask, bias, lengths, slopes, sinks) follows;
// an axis that is broadcast stays so.

using Indices = std::vector<Index>;

inline Indices counted(Index n) {
  Indices all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

inline Indices range(Index first, Index end) {
  Indices some(static_cast<std::size_t>(end - first));
  std::iota(some.begin(), some.end(), first);
  return some;
}

// A permutation of 0..n-1 from a seed; for n > 1 never the identity.
Indices shuffled(Index n, std::uint64_t seed);
Indices inverse(const Indices& permutation);

enum class Axis { batch, head, token, column };

template <class T>
Tensor<T> select(const Tensor<T>& t, Axis axis, const Indices& chosen) {
  const auto a = static_cast<std::size_t>(axis);
  Extents e = t.extents;
  e[a] = std::ssize(chosen);
  Tensor<T> selected(e);
  std::size_t place = 0;
  for (Index b = 0; b < e[0]; ++b)
    for (Index h = 0; h < e[1]; ++h)
      for (Index n = 0; n < e[2]; ++n)
        for (Index c = 0; c < e[3]; ++c) {
          Extents from = {b, h, n, c};
          from[a] = chosen[static_cast<std::size_t>(from[a])];
          selected.elements[place++] = at(t, from[0], from[1], from[2], from[3]);
        }
  return selected;
}

namespace detail {
template <class T>
void select_option(std::optional<Tensor<T>>& t, Axis axis, const Indices& chosen) {
  if (t && t->extents[static_cast<std::size_t>(axis)] != 1) t = select(*t, axis, chosen);
}
template <class T>
void select_entries(std::vector<T>& entries, const Indices& chosen) {
  if (entries.empty()) return;
  std::vector<T> selected;
  for (const Index n : chosen) selected.push_back(entries[static_cast<std::size_t>(n)]);
  entries = std::move(selected);
}
}  // namespace detail

// Meaningful without causal order, window, ALiBi and lengths, which depend on a key's place.
template <class T>
OwnedProblem<T> select_keys(OwnedProblem<T> p, const Indices& keys) {
  p.k = select(p.k, Axis::token, keys);
  p.v = select(p.v, Axis::token, keys);
  detail::select_option(p.allow, Axis::column, keys);
  detail::select_option(p.bias, Axis::column, keys);
  return p;
}

// Meaningful without causal order, window and ALiBi, or for a first part under Alignment::top_left.
template <class T>
OwnedProblem<T> select_queries(OwnedProblem<T> p, const Indices& queries) {
  p.q = select(p.q, Axis::token, queries);
  detail::select_option(p.allow, Axis::token, queries);
  detail::select_option(p.bias, Axis::token, queries);
  return p;
}

template <class T>
OwnedProblem<T> select_batch(OwnedProblem<T> p, const Indices& sequences) {
  for (Tensor<T>* t : {&p.q, &p.k, &p.v}) *t = select(*t, Axis::batch, sequences);
  detail::select_option(p.allow, Axis::batch, sequences);
  detail::select_option(p.bias, Axis::batch, sequences);
  detail::select_entries(p.key_lengths, sequences);
  return p;
}

// The caller sees to it that the head map still pairs them as it did.
template <class T>
OwnedProblem<T> select_heads(OwnedProblem<T> p, const Indices& query_heads,
                             const Indices& kv_heads) {
  p.q = select(p.q, Axis::head, query_heads);
  p.k = select(p.k, Axis::head, kv_heads);
  p.v = select(p.v, Axis::head, kv_heads);
  detail::select_option(p.allow, Axis::head, query_heads);
  detail::select_option(p.bias, Axis::head, query_heads);
  detail::select_entries(p.alibi_slopes, query_heads);
  detail::select_entries(p.sinks, query_heads);
  return p;
}

// The same rearrangement of an answer, so that two answers can be laid side by side.
template <class T>
Answer<T> select(Answer<T> a, Axis axis, const Indices& chosen) {
  a.output = select(a.output, axis, chosen);
  if (axis != Axis::column) {
    a.lse = select(a.lse, axis, chosen);
    if (a.has_weights) a.weights = select(a.weights, axis, chosen);
  }
  return a;
}

// Domains that several laws share.
void without_positions(Recipe& r);   // no causal order, window, ALiBi
void without_key_places(Recipe& r);  // nor lengths
void without_sinks(Recipe& r);
void with_ordinary_values(Recipe& r);  // scores of tens at most, values of order one

}  // namespace attest::properties

#include "tests/properties/derive.h"

#include <random>

namespace attest::properties {

Indices shuffled(Index n, std::uint64_t seed) {
  Indices order = counted(n);
  std::mt19937_64 random(seed);
  for (Index k = n - 1; k > 0; --k)
    std::swap(order[static_cast<std::size_t>(k)],
              order[static_cast<std::size_t>(random() % static_cast<std::uint64_t>(k + 1))]);
  if (n > 1 && order == counted(n)) std::swap(order[0], order[1]);
  return order;
}

Indices inverse(const Indices& permutation) {
  Indices back(permutation.size());
  for (std::size_t n = 0; n < permutation.size(); ++n)
    back[static_cast<std::size_t>(permutation[n])] = static_cast<Index>(n);
  return back;
}

void without_positions(Recipe& r) {
  r.causal = false;
  r.window = {};
  r.alibi = false;
}

void without_key_places(Recipe& r) {
  without_positions(r);
  r.lengths = Lengths::full;
}

void without_sinks(Recipe& r) { r.sinks = false; }

void with_ordinary_values(Recipe& r) {
  r.magnitude = 0;
  switch (r.values) {
    case Values::integers:
    case Values::ties:
    case Values::one_hot:
    case Values::equal_keys:
      return;
    default:
      r.values = Values::normal;
  }
}

}  // namespace attest::properties

#include "tests/properties/draw.h"

#include <rapidcheck/Shrinkable.h>
#include <rapidcheck/seq/Create.h>
#include <rapidcheck/shrinkable/Create.h>

#include <algorithm>

#include "tests/properties/expand.h"

namespace attest::properties {
namespace {

class Draw {
 public:
  Draw(const rc::Random& random, Reach reach) : random_(random), reach_(reach) {}

  Recipe recipe(const std::vector<Element>& elements) {
    Recipe r;
    r.element = elements[static_cast<std::size_t>(between(0, std::ssize(elements) - 1))];
    r.tiles = {between(1, 4), between(1, 5)};
    r.shape = shape(r.tiles);
    r.values = values();
    if (chance(6)) r.magnitude = static_cast<int>(between(-12, 8));
    score_rule(r);
    visibility(r);
    if (chance(3)) r.layout = static_cast<Layout>(between(1, 4));
    r.head_map = chance(3) ? HeadMap::interleaved : HeadMap::blocked;
    r.empty_row = chance(4) ? EmptyRow::nan : EmptyRow::zero;
    r.seed = static_cast<std::uint64_t>(between(0, 999'999));
    return r;
  }

 private:
  Index between(Index low, Index high) {
    return low + static_cast<Index>(random_.next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(Index one_in) { return between(1, one_in) == 1; }

  Index tokens(Index tile) {
    if (chance(6)) return 1;
    if (chance(3)) {  // a multiple of the tile, one less or one more
      const Index multiples = std::max<Index>(1, reach_.tokens / tile);
      return std::clamp<Index>(tile * between(1, multiples) + between(-1, 1), 1, reach_.tokens);
    }
    if (chance(4)) {
      constexpr std::array<Index, 10> primes = {2, 3, 5, 7, 11, 13, 17, 31, 61, 127};
      const auto reached = std::upper_bound(primes.begin(), primes.end(), reach_.tokens);
      if (reached != primes.begin())
        return primes[static_cast<std::size_t>(between(0, reached - primes.begin() - 1))];
    }
    return between(1, std::max<Index>(1, chance(2) ? reach_.tokens : reach_.tokens / 2));
  }

  Shape shape(Tiles tiles) {
    Shape s;
    s.batch = chance(2) ? 1 : between(1, reach_.batch);
    s.kv_heads = chance(2) ? 1 : between(1, reach_.heads);
    s.query_heads = s.kv_heads * (chance(2) ? 1 : between(1, reach_.heads));
    s.keys = tokens(tiles.keys);
    s.queries = chance(3) ? s.keys : tokens(tiles.queries);
    s.width = chance(5) ? 1 : between(1, reach_.width);
    s.value_width = chance(2) ? s.width : between(1, reach_.width);
    if (chance(40)) long_sequence(s);
    if (chance(40)) s.width = chance(2) ? 64 : between(30, 130);
    return s;
  }

  // Past the tiles that kernels have, whatever the reach: one head, few queries, many keys.
  void long_sequence(Shape& s) {
    constexpr std::array<Index, 4> usual = {16, 32, 64, 128};
    const Index tile = reach_.tile > 1 && chance(2)
                           ? std::min<Index>(reach_.tile, 256)
                           : usual[static_cast<std::size_t>(between(0, 3))];
    s.batch = s.kv_heads = s.query_heads = 1;
    s.keys = std::max<Index>(1, tile * between(1, 2) + between(-1, 1));
    s.queries = between(1, 3);
  }

  Values values() {
    if (chance(4)) return Values::normal;
    if (chance(6)) return Values::integers;
    return static_cast<Values>(between(0, static_cast<Index>(Values::subnormal)));
  }

  Broadcast broadcast() {
    Broadcast b;
    for (bool* axis : {&b.batch, &b.heads, &b.queries, &b.keys}) *axis = chance(3);
    return b;
  }

  void score_rule(Recipe& r) {
    r.given_scale = chance(4);
    r.softcap = chance(6);
    r.alibi = chance(6);
    r.sinks = chance(6);
    if (!chance(4)) return;
    r.bias = chance(2) ? Bias::normal : Bias::holes;
    r.bias_broadcast = broadcast();
  }

  void visibility(Recipe& r) {
    r.alignment = static_cast<Alignment>(between(0, 2));
    r.causal = chance(3);
    if (chance(6)) r.window.left = between(0, std::min<Index>(4, r.shape.keys));
    if (chance(6)) r.window.right = between(0, std::min<Index>(4, r.shape.keys));
    if (chance(6)) r.lengths = chance(3) ? Lengths::ragged : Lengths::drawn;
    if (!chance(4)) return;
    r.allow = static_cast<Allow>(between(1, 4));
    r.allow_broadcast = broadcast();
  }

  rc::Random random_;
  Reach reach_;
};

}  // namespace

void bring(Recipe& r, const std::vector<Element>& elements, Features features, Fit into_domain) {
  if (std::find(elements.begin(), elements.end(), r.element) == elements.end())
    r.element = elements.front();
  fit(r, features);
  if (into_domain != nullptr) into_domain(r);
  fit(r, features);
  settle(r);
  fit(r, features);
}

rc::Gen<Recipe> recipes(const std::vector<Element>& elements, Features features, Fit into_domain,
                        Reach reach) {
  const auto shrinks = [=](const Recipe& recipe) {
    const std::string line = to_line(recipe);
    std::vector<Recipe> kept;
    for (Recipe& r : simpler(recipe)) {
      bring(r, elements, features, into_domain);
      if (to_line(r) != line) kept.push_back(std::move(r));
    }
    return rc::seq::fromContainer(std::move(kept));
  };
  return [=](const rc::Random& random, int) {
    Recipe recipe = Draw(random, reach).recipe(elements);
    bring(recipe, elements, features, into_domain);
    return rc::shrinkable::shrinkRecur(std::move(recipe), shrinks);
  };
}

}  // namespace attest::properties

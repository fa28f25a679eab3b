#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attention/head_map.h"
#include "attention/problem_spec.h"
#include "attention/shape.h"
#include "attention/tiles.h"
#include "tests/properties/element.h"
#include "tests/properties/features.h"

namespace attest::properties {

// What q, k and v are made of. Each reaches a place where kernels went wrong.
enum class Values {
  integers,      // -2..2: a counterexample reads like a worked example
  normal,        // about unit variance
  tiny,          // about 2^-20: scores vanish, weights are nearly uniform
  huge,          // scores of thousands and more: one key takes all, or several tie
  negative,      // every score far below zero, so that a maximum started at 0 shows
  massive,       // a few activations 100 times the rest
  equal_keys,    // all keys of a head are one key: every weight the same
  ties,          // entries of -1, 0 and 1 only: scores meet exactly
  one_hot,       // each row one 1 among zeros
  large_values,  // v near the largest number of its type
  subnormal,     // v below the least normal number of its type
};

// Lengths of the sequences of a batch.
enum class Lengths {
  full,    // not given
  drawn,   // 1 to keys
  ragged,  // 0 to keys: an empty sequence gives empty rows
};

// The allow mask.
enum class Allow {
  none,
  half,    // each entry visible by a coin
  dense,   // one entry in eight hidden
  sparse,  // one entry in eight visible: nearly empty and empty rows
  single,  // one key a row
};

enum class Bias {
  none,
  normal,
  holes,  // a quarter is -infinity
};

// How the tensors lie in memory.
enum class Layout {
  row_major,
  tokens_first,  // (B, N, H, width): heads inside tokens, as projections write them
  padded,        // gaps after each row
  transposed,    // width before tokens
  reversed,      // negative stride over tokens
};

// An axis of extent 1 in an allow mask or a bias.
struct Broadcast {
  bool batch = false, heads = false, queries = false, keys = false;
  bool operator==(const Broadcast&) const = default;
};

// A small description that expands to one attention problem, always the same. Elements depend on
// the seed and their own coordinates only: a smaller shape keeps the elements that remain.
struct Recipe {
  Element element = Element::f32;
  Shape shape;
  Values values = Values::integers;
  int magnitude = 0;  // q is multiplied by 2^magnitude
  bool given_scale = false;
  bool softcap = false;
  bool alibi = false;
  bool sinks = false;
  Bias bias = Bias::none;
  Broadcast bias_broadcast{};
  bool causal = false;
  Alignment alignment = Alignment::square;
  Window window{};
  Lengths lengths = Lengths::full;
  Allow allow = Allow::none;
  Broadcast allow_broadcast{};
  HeadMap head_map = HeadMap::blocked;
  EmptyRow empty_row = EmptyRow::error;
  Layout layout = Layout::row_major;
  Tiles tiles{4, 4};
  std::uint64_t seed = 0;

  bool positional() const { return causal || window.limited() || alibi; }
  bool hides() const {
    return causal || window.limited() || lengths != Lengths::full || allow != Allow::none ||
           bias == Bias::holes;
  }
};

// One line: "f32 B=1 Hq=2 Hkv=1 Nq=3 Nk=4 d=2 dv=2 values=integers seed=7 causal align=top-left".
// What has its default is left out.
std::string to_line(const Recipe& recipe);

// Reads such a line. Throws InputError naming the word at fault.
Recipe parse_recipe(std::string_view line);

// The features an implementation must have to be asked this.
Features needed_by(const Recipe& recipe);

// Takes out of a recipe what `features` lack, and what contradicts itself: square alignment with
// Nq != Nk, a convention for empty rows where only `error` is left. Idempotent.
void fit(Recipe& recipe, Features features);

// Simpler recipes, the simplest first: options left out one by one, plainer values, extents cut to
// 1, to a half and by one. None is the recipe itself.
std::vector<Recipe> simpler(const Recipe& recipe);

// What a recipe is an example of: "causal", "Nq < Nk", "values huge", ... for coverage.
std::vector<std::string> labels_of(const Recipe& recipe);

}  // namespace attest::properties

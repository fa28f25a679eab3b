#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tests/properties/candidate.h"
#include "tests/properties/draw.h"
#include "tests/properties/trial.h"
#include "tests/properties/verdict.h"

namespace attest::properties {

// A label that at least this share of a property's cases must carry.
struct Demand {
  const char* label;
  double share;
  Features needs{};  // waived for an implementation without these
};

// A named law over an implementation.
struct Property {
  const char* id;       // "hidden-poison"
  const char* law;      // what must hold, in one sentence
  const char* why;      // what follows, and what the law does not need
  const char* catches;  // classes of fault_classes.h that it sees, comma-separated
  Features needs;       // without these the property is skipped
  Fit domain;           // brings a recipe to where the law holds; null: everywhere
  Verdict (*check)(Candidate& candidate, const Recipe& recipe);
  std::vector<Demand> demands{};
  bool against_truth = false;  // a finding's place is a number of the case as drawn, and its truth
};

// All of them, in the order in which they are reported: the plain ones first.
std::span<const Property> all_properties();

// Throws InputError for an unknown id, with the nearest known.
const Property& property_named(std::string_view id);

// Makes a Property::check of a law: a type with
//   template <class T> Verdict operator()(const Trial<T>& trial) const;
template <class Law>
Verdict check_by(Candidate& candidate, const Recipe& recipe) {
  return with_type(recipe.element, [&]<class T>() -> Verdict {
    try {
      return Law{}(Trial<T>(candidate, recipe));
    } catch (const Ended& ended) {
      return ended.verdict;
    }
  });
}

// The properties by subject; a file each.
std::vector<Property> truth_properties();        // against the oracle
std::vector<Property> readout_properties();      // weights, supports and head maps seen through V
std::vector<Property> visibility_properties();   // who may read whom
std::vector<Property> invariance_properties();   // permutations, independence, equivalent problems
std::vector<Property> scaling_properties();      // shifts and exact scalings
std::vector<Property> composition_properties();  // split, merge, duplication, head groups
std::vector<Property> memory_properties();       // buffers, layouts, repeated calls
std::vector<Property> block_properties();        // through a whole Transformer block

}  // namespace attest::properties

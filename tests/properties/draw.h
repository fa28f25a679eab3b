#pragma once

#include <rapidcheck/Gen.h>
#include <rapidcheck/Random.h>

#include "tests/properties/recipe.h"

namespace attest::properties {

// The largest extents that are drawn.
struct Reach {
  Index tokens = 9;
  Index width = 5;
  Index heads = 3;  // of keys and values, and query heads to each
  Index batch = 3;
  // Keys an implementation holds at a time, where it says so: lengths around its multiples are
  // drawn too. 0: unknown.
  Index tile = 0;
};

// Brings a drawn or simplified recipe into a property's domain. Must be idempotent.
using Fit = void (*)(Recipe& recipe);

// Into the domain, within what an implementation supports, and without contradictions; idempotent.
void bring(Recipe& recipe, const std::vector<Element>& elements, Features features,
           Fit into_domain);

// Recipes that an implementation with these features can be asked and that `into_domain` leaves as
// they are. Every option, value family and layout is drawn, also combined; extents favour 1,
// primes and the neighbours of tile multiples. Shrinks to `simpler` recipes in the same domain.
rc::Gen<Recipe> recipes(const std::vector<Element>& elements, Features features, Fit into_domain,
                        Reach reach = {});

}  // namespace attest::properties

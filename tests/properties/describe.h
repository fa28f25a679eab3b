#pragma once

#include <string>

#include "tests/properties/run.h"

namespace attest::properties {

// A case as a person would write it down: shape, rules, and the numbers of q, k, v, mask and bias
// where they are few.
std::string describe(const Recipe& recipe);

// A failure in full: the law, the minimal case, the place, expected (to 50 digits where the law is
// the truth itself), got, ratio.
std::string describe(const Property& property, const Failure& failure);

// The true value at a place of a case, in decimal; empty where there is none.
std::string truth_at(const Recipe& recipe, const Place& place, int digits);

}  // namespace attest::properties

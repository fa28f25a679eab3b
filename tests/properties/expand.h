#pragma once

#include "attention/owned_problem.h"
#include "tests/properties/recipe.h"

namespace attest::properties {

// The problem a recipe describes; the same on every platform. Rows without a visible key occur
// where the recipe makes them: Problem refuses it under EmptyRow::error unless it is settled.
template <class T>
OwnedProblem<T> expand(const Recipe& recipe);

// Under EmptyRow::error, takes out what hides keys (mask, bias, lengths, window, causal order, in
// this order) until every row sees a key. Idempotent.
void settle(Recipe& recipe);

}  // namespace attest::properties

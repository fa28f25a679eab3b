#pragma once

#include <string>

#include "tests/properties/run.h"

namespace attest::cli {

// Makes the implementation a person names. Throws InputError for a name that is none,
// LoadError for a shared object that cannot be had.
properties::MakeCandidate candidate_named(const std::string& name);

}  // namespace attest::cli

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tests/properties/candidate.h"

namespace attest::candidates {

// attest's own kernels.
std::unique_ptr<properties::Candidate> explicit_kernel();
std::unique_ptr<properties::Candidate> streaming_kernel();

// Implementations that compute something else, one for each way a weak test is fooled: they must be
// rejected by every set of properties worth the name.
//   zeros, nan, mean-of-values (weights uniform over what is visible), mean-of-all (masks ignored
//   too), first-value (a copy of v's first visible row), noise (within the values' range), stale
//   (the answer of the call before)
std::vector<std::string_view> null_names();
std::unique_ptr<properties::Candidate> null_candidate(std::string_view name);

// "explicit", "streaming" or "null:NAME". Throws InputError for another name.
std::unique_ptr<properties::Candidate> built_in(std::string_view name);

}  // namespace attest::candidates

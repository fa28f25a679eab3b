#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace attest::properties {

// A class of faults that attention implementations have had, as their users reported them.
struct FaultClass {
  std::string_view id;          // "causal-alignment"
  std::string_view what;        // what such an implementation does, in one sentence
  std::string_view references;  // public reports, PROJECT#NUMBER, comma-separated
};

// In alphabetical order. Classes of backward passes, of caches by blocks and of training modes are
// left out: nothing here could see them.
std::span<const FaultClass> fault_classes();

// The entries of a comma-separated list of ids. Throws InputError for one that is no class.
std::vector<const FaultClass*> fault_classes_in(std::string_view ids);

}  // namespace attest::properties

#pragma once

#include <cstdint>

namespace attest::properties {

// Whether a label is drawn as often as demanded.
enum class Covered {
  met,     // the label's true share is surely at least nine tenths of what is demanded
  open,    // too few cases to say
  missed,  // the true share is surely below what is demanded
};

// "Surely" is wrong once in 10^9 runs. `hits` of `cases` carried the label.   [Wilson27]
Covered coverage_of(std::int64_t hits, std::int64_t cases, double demanded);

}  // namespace attest::properties

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/problem_files/problem_file.h"
#include "tests/properties/candidate.h"
#include "tests/properties/verdict.h"

namespace attest::problem_files {

// How one set of numbers compares with the truth.
struct Agreement {
  std::string what;                          // "expected output", "explicit: lse", ...
  std::int64_t numbers = 0;                  // compared
  std::int64_t unjudged = 0;                 // of these the bound says nothing
  double worst = 0;                          // largest observed / allowed
  std::optional<properties::Place> place{};  // where
  double truth = 0, got = 0;                 // there
  std::string note{};                        // why nothing was compared

  bool agrees() const { return worst <= 1; }
};

// The file's expected results against the oracle: within the file's own tolerance where it states
// one, otherwise within the bound of a correct explicit kernel in the problem's type.
std::vector<Agreement> check_expected(const ProblemFile& file);

// An implementation's output, LSE and weights against the oracle, within its bound.
std::vector<Agreement> check_candidate(properties::Candidate& candidate, const ProblemFile& file);

}  // namespace attest::problem_files

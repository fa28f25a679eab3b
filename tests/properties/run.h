#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/properties/coverage.h"
#include "tests/properties/property.h"

namespace attest::properties {

// Makes an implementation afresh, so that what one case leaves behind in it ends with a batch of
// cases, and results do not depend on how batches are shared out.
using MakeCandidate = std::function<std::unique_ptr<Candidate>()>;

// How many cases a property gets, and how large.
struct Profile {
  const char* name;
  std::int64_t cases;
  Reach reach;
};
const Profile& profile_named(std::string_view name);  // quick, ci, nightly; else InputError

struct RunPlan {
  std::vector<const Property*> properties{};
  std::int64_t cases = 100;   // of each property
  double budget_seconds = 0;  // above 0: as many cases as fit instead
  std::uint64_t seed = 1;
  int jobs = 1;  // processes; 1 runs in this one
  Reach reach{};
  // Called now and then with the cases done and the cases planned (0: unknown).
  std::function<void(std::int64_t done, std::int64_t planned)> progress{};
};

// The case at an address. Depends on nothing but the arguments.
Recipe recipe_at(const Property& property, const Declaration& declaration, Reach reach,
                 std::uint64_t seed, std::int64_t index);

// "output-within-bound:1:42"
std::string address_of(const Property& property, std::uint64_t seed, std::int64_t index);

struct Failure {
  std::string address;  // of the case found, or "kept" for one of a failing-case file
  Recipe found;
  Recipe minimal;
  Verdict verdict;  // of the minimal case
  int simplifications = 0;
  // False: the case failed once but not when asked again alone; then `minimal` is `found`.
  bool repeats = true;
};

struct LabelCount {
  std::int64_t cases = 0;
  double demanded = 0;  // 0: not demanded
  Covered covered = Covered::met;
};

struct PropertyReport {
  const Property* property = nullptr;
  std::string skipped{};  // why it did not run; empty otherwise
  std::int64_t cases = 0;
  std::int64_t unjudged_cases = 0;
  std::int64_t unsupported_cases = 0;
  std::string unsupported_reason{};  // of the first
  std::int64_t numbers = 0;
  std::int64_t unjudged_numbers = 0;
  double worst = 0;  // largest observed / allowed of the passing cases
  std::string worst_address{};
  std::map<std::string, LabelCount> labels{};
  std::optional<Failure> failure{};

  bool missed_coverage() const;
};

struct RunReport {
  Declaration declaration;
  std::vector<PropertyReport> properties;
  double seconds = 0;

  bool failed() const;
  std::int64_t cases() const;
};

// Runs every property of the plan that the implementation has the features for. The report depends
// on the plan's seed and cases only, never on `jobs` or on time (unless there is a budget). A case
// that kills a process is a failure of its property.
RunReport run(const MakeCandidate& make, const RunPlan& plan);

// One case, from a recipe that was written down.
Verdict check(const MakeCandidate& make, const Property& property, const Recipe& recipe);

// Simplifies a failing case as far as it still fails.
Failure minimise(const MakeCandidate& make, const Property& property, const Recipe& found,
                 std::string address);

}  // namespace attest::properties

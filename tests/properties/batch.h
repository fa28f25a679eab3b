#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/properties/run.h"

namespace attest::properties {

// Consecutive cases of one property, run together: the unit that jobs share out.
struct Batch {
  static constexpr std::int64_t size = 25;
  std::int64_t property = 0;  // place in the plan
  std::int64_t first = 0;     // index of the first case
  std::int64_t count = 0;
};

// What a batch gave. Cases after a failure are not run.
struct BatchResult {
  std::int64_t cases = 0;
  std::int64_t unjudged_cases = 0;
  std::int64_t unsupported_cases = 0;
  std::string unsupported_reason{};
  std::int64_t numbers = 0;
  std::int64_t unjudged_numbers = 0;
  double worst = 0;
  std::int64_t worst_index = -1;
  std::int64_t failing_index = -1;
  std::string death{};  // why the process that ran it died; empty if it did not
  std::map<std::string, std::int64_t> labels{};
};

// `on_case` hears the index of every case before it runs.
BatchResult run_batch(const MakeCandidate& make, const RunPlan& plan, const Batch& batch,
                      const std::function<void(std::int64_t)>& on_case = {});

// The batches of a plan in order, the first of every property before the second of any. Ends by
// itself unless the plan has a budget.
class Batches {
 public:
  explicit Batches(const RunPlan& plan) : plan_(plan) {}
  std::int64_t count() const;  // of a plan without a budget
  Batch at(std::int64_t n) const;

 private:
  const RunPlan& plan_;
};

// Runs batches in `plan.jobs` processes; give(n, result) hears of each in any order. wanted(batch)
// is asked before a batch starts: false leaves it out.
void run_in_processes(const MakeCandidate& make, const RunPlan& plan,
                      const std::function<void(std::int64_t, BatchResult)>& give);

}  // namespace attest::properties

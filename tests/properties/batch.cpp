#include "tests/properties/batch.h"

#include <algorithm>

namespace attest::properties {

BatchResult run_batch(const MakeCandidate& make, const RunPlan& plan, const Batch& batch,
                      const std::function<void(std::int64_t)>& on_case) {
  BatchResult result;
  const Property& property = *plan.properties[static_cast<std::size_t>(batch.property)];
  const std::unique_ptr<Candidate> candidate = make();
  for (std::int64_t index = batch.first; index < batch.first + batch.count; ++index) {
    if (on_case) on_case(index);
    const Recipe recipe =
        recipe_at(property, candidate->declaration(), plan.reach, plan.seed, index);
    for (const std::string& label : labels_of(recipe)) ++result.labels[label];
    const Verdict verdict = property.check(*candidate, recipe);
    ++result.cases;
    result.numbers += verdict.judged;
    result.unjudged_numbers += verdict.unjudged;
    if (verdict.kind == Verdict::Kind::unjudged) ++result.unjudged_cases;
    if (verdict.kind == Verdict::Kind::unsupported && result.unsupported_cases++ == 0)
      result.unsupported_reason = verdict.reason;
    if (verdict.failed()) {
      result.failing_index = index;
      return result;
    }
    if (verdict.worst > result.worst) {
      result.worst = verdict.worst;
      result.worst_index = index;
    }
  }
  return result;
}

std::int64_t Batches::count() const {
  return (plan_.cases + Batch::size - 1) / Batch::size * std::ssize(plan_.properties);
}

Batch Batches::at(std::int64_t n) const {
  const std::int64_t properties = std::ssize(plan_.properties);
  Batch batch{
      .property = n % properties, .first = n / properties * Batch::size, .count = Batch::size};
  if (plan_.budget_seconds <= 0) batch.count = std::min(Batch::size, plan_.cases - batch.first);
  return batch;
}

}  // namespace attest::properties

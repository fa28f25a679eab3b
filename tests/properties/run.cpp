#include "tests/properties/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "attention/error.h"
#include "attention/spelling.h"
#include "tests/properties/batch.h"

namespace attest::properties {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// FNV-1a: the same on every platform.
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

std::string death_finding(const std::string& death) { return "the process died: " + death; }

// Puts batches together in order, up to the first failing one of each property.
class Gathered {
 public:
  void add(std::int64_t n, BatchResult result) { results_.emplace(n, std::move(result)); }

  void into(const RunPlan& plan, const Batches& batches, const MakeCandidate& make,
            RunReport& report) const {
    std::vector<bool> ended(plan.properties.size(), false);
    for (const auto& [n, result] : results_) {
      const auto place = static_cast<std::size_t>(batches.at(n).property);
      if (ended[place]) continue;
      PropertyReport& p = report.properties[place];
      merge(plan, result, p);
      if (result.failing_index < 0) continue;
      ended[place] = true;
      p.failure = failure_of(plan, make, report.declaration, *p.property, result);
    }
  }

 private:
  static void merge(const RunPlan& plan, const BatchResult& from, PropertyReport& p) {
    p.cases += from.cases;
    p.unjudged_cases += from.unjudged_cases;
    p.unsupported_cases += from.unsupported_cases;
    if (p.unsupported_reason.empty()) p.unsupported_reason = from.unsupported_reason;
    p.numbers += from.numbers;
    p.unjudged_numbers += from.unjudged_numbers;
    for (const auto& [label, count] : from.labels) p.labels[label].cases += count;
    if (from.worst > p.worst) {
      p.worst = from.worst;
      p.worst_address = address_of(*p.property, plan.seed, from.worst_index);
    }
  }

  static Failure failure_of(const RunPlan& plan, const MakeCandidate& make,
                            const Declaration& declaration, const Property& property,
                            const BatchResult& result) {
    const Recipe found =
        recipe_at(property, declaration, plan.reach, plan.seed, result.failing_index);
    const std::string address = address_of(property, plan.seed, result.failing_index);
    if (result.death.empty()) return minimise(make, property, found, address);
    // Asking again in this process would end it too.
    return {.address = address,
            .found = found,
            .minimal = found,
            .verdict = {.kind = Verdict::Kind::fail,
                        .finding = Finding{.what = death_finding(result.death),
                                           .expected = "a result",
                                           .got = result.death}}};
  }

  std::map<std::int64_t, BatchResult> results_;
};

void run_here(const MakeCandidate& make, const RunPlan& plan, const Batches& batches,
              Gathered& gathered) {
  const Clock::time_point start = Clock::now();
  std::vector<bool> failed(plan.properties.size(), false);
  std::int64_t done = 0;
  for (std::int64_t n = 0;; ++n) {
    if (plan.budget_seconds > 0 ? seconds_since(start) >= plan.budget_seconds
                                : n >= batches.count())
      break;
    const Batch batch = batches.at(n);
    const auto place = static_cast<std::size_t>(batch.property);
    if (failed[place]) {
      if (std::all_of(failed.begin(), failed.end(), [](bool f) { return f; })) break;
      continue;
    }
    BatchResult result = run_batch(make, plan, batch);
    failed[place] = result.failing_index >= 0;
    done += result.cases;
    gathered.add(n, std::move(result));
    if (plan.progress)
      plan.progress(done, plan.budget_seconds > 0 ? 0 : plan.cases * std::ssize(plan.properties));
  }
}

void count_demands(const Declaration& declaration, PropertyReport& p) {
  if (p.failure) return;
  for (const Demand& demand : p.property->demands) {
    if (!declaration.features.contains(demand.needs)) continue;
    LabelCount& label = p.labels[demand.label];
    label.demanded = demand.share;
    label.covered = coverage_of(label.cases, p.cases, demand.share);
  }
}

}  // namespace

const Profile& profile_named(std::string_view name) {
  static constexpr std::array profiles = {
      Profile{"quick", 100, {.tokens = 9, .width = 5, .heads = 2, .batch = 2}},
      Profile{"ci", 400, {.tokens = 17, .width = 8, .heads = 3, .batch = 3}},
      Profile{"nightly", 20'000, {.tokens = 40, .width = 16, .heads = 3, .batch = 3}},
  };
  std::vector<std::string_view> names;
  for (const Profile& profile : profiles) {
    if (profile.name == name) return profile;
    names.emplace_back(profile.name);
  }
  throw InputError("--profile", "\"" + std::string(name) + "\"",
                   listed(names) + did_you_mean(name, names));
}

Recipe recipe_at(const Property& property, const Declaration& declaration, Reach reach,
                 std::uint64_t seed, std::int64_t index) {
  const rc::Random random(
      rc::Random::Key{seed, hash(property.id), static_cast<std::uint64_t>(index), 0});
  reach.tile = declaration.key_tile.value_or(0);
  return recipes(declaration.elements, declaration.features, property.domain, reach)(random, 0)
      .value();
}

std::string address_of(const Property& property, std::uint64_t seed, std::int64_t index) {
  return fmt::format("{}:{}:{}", property.id, seed, index);
}

bool PropertyReport::missed_coverage() const {
  return std::any_of(labels.begin(), labels.end(), [](const auto& label) {
    return label.second.demanded > 0 && label.second.covered == Covered::missed;
  });
}

bool RunReport::failed() const {
  return std::any_of(properties.begin(), properties.end(),
                     [](const PropertyReport& p) { return p.failure.has_value(); });
}

std::int64_t RunReport::cases() const {
  std::int64_t cases = 0;
  for (const PropertyReport& p : properties) cases += p.cases;
  return cases;
}

Verdict check(const MakeCandidate& make, const Property& property, const Recipe& recipe) {
  return property.check(*make(), recipe);
}

Failure minimise(const MakeCandidate& make, const Property& property, const Recipe& found,
                 std::string address) {
  constexpr int most_evaluations = 3000;
  Failure failure{.address = std::move(address),
                  .found = found,
                  .minimal = found,
                  .verdict = check(make, property, found)};
  failure.repeats = failure.verdict.failed();
  if (!failure.repeats) return failure;
  const std::unique_ptr<Candidate> candidate = make();
  const Declaration& declaration = candidate->declaration();
  std::set<std::string> seen{to_line(found)};
  int evaluations = 0;
  for (bool simpler_fails = true; simpler_fails;) {
    simpler_fails = false;
    for (Recipe& r : simpler(failure.minimal)) {
      bring(r, declaration.elements, declaration.features, property.domain);
      if (!seen.insert(to_line(r)).second) continue;
      if (++evaluations > most_evaluations) return failure;
      Verdict verdict = property.check(*candidate, r);
      if (!verdict.failed()) continue;
      failure.minimal = r;
      failure.verdict = std::move(verdict);
      ++failure.simplifications;
      simpler_fails = true;
      break;
    }
  }
  return failure;
}

RunReport run(const MakeCandidate& make, const RunPlan& plan) {
  const Clock::time_point start = Clock::now();
  RunReport report{.declaration = make()->declaration(), .properties = {}};
  RunPlan runnable = plan;
  runnable.properties.clear();
  std::vector<PropertyReport> skipped;
  for (const Property* property : plan.properties) {
    const Features lacking = property->needs.without(report.declaration.features);
    if (lacking.empty()) {
      runnable.properties.push_back(property);
      report.properties.push_back({.property = property});
    } else {
      skipped.push_back({.property = property, .skipped = "needs " + to_string(lacking)});
    }
  }
  if (!runnable.properties.empty()) {
    const Batches batches(runnable);
    Gathered gathered;
    if (plan.jobs > 1)
      run_in_processes(make, runnable, [&](std::int64_t n, BatchResult result) {
        gathered.add(n, std::move(result));
      });
    else
      run_here(make, runnable, batches, gathered);
    gathered.into(runnable, batches, make, report);
  }
  for (PropertyReport& p : report.properties) count_demands(report.declaration, p);
  for (PropertyReport& p : skipped) report.properties.push_back(std::move(p));
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace attest::properties

#include "tests/properties/run.h"

#include <gtest/gtest.h>

#include "tests/candidates/built_in.h"
#include "tests/properties/test/faulty.h"
#include "tests/support/input_error.h"

namespace attest::properties {
namespace {

using test::faulty;

RunPlan plan(std::int64_t cases, int jobs) {
  RunPlan plan{
      .properties = {}, .cases = cases, .jobs = jobs, .reach = profile_named("quick").reach};
  for (const char* id : {"output-within-bound", "support", "run-twice", "weights-within-bound"})
    plan.properties.push_back(&property_named(id));
  return plan;
}

// Everything of a report but the time it took.
std::string text_of(const RunReport& report) {
  std::string text;
  for (const PropertyReport& p : report.properties) {
    text += std::string(p.property->id) + ' ' + p.skipped + ' ' + std::to_string(p.cases) + ' ' +
            std::to_string(p.numbers) + ' ' + std::to_string(p.unjudged_numbers) + ' ' +
            std::to_string(p.unsupported_cases) + ' ' + std::to_string(p.worst) + ' ' +
            p.worst_address;
    for (const auto& [label, count] : p.labels)
      text += ' ' + label + '=' + std::to_string(count.cases);
    if (p.failure)
      text += "\n  " + p.failure->address + ' ' + to_line(p.failure->found) + " -> " +
              to_line(p.failure->minimal);
    text += '\n';
  }
  return text;
}

TEST(Run, GivesTheSameReportWhateverTheNumberOfJobs) {
  for (const char* candidate : {"explicit", "null:stale"}) {
    const MakeCandidate make = [&] { return candidates::built_in(candidate); };
    const std::string one = text_of(run(make, plan(130, 1)));
    EXPECT_EQ(text_of(run(make, plan(130, 2))), one);
    EXPECT_EQ(text_of(run(make, plan(130, 5))), one);
  }
}

TEST(Run, DrawsOtherCasesFromAnotherSeed) {
  RunPlan other = plan(50, 1);
  other.seed = 2;
  EXPECT_NE(text_of(run(candidates::explicit_kernel, plan(50, 1))),
            text_of(run(candidates::explicit_kernel, other)));
}

TEST(Run, ReportsADeadProcessAsAFailureOfItsCase) {
  const RunReport report = run(faulty("dies"), plan(100, 2));
  for (const PropertyReport& p : report.properties) {
    ASSERT_TRUE(p.failure) << p.property->id;
    EXPECT_EQ(p.failure->found.shape.keys, 3) << to_line(p.failure->found);
    EXPECT_NE(p.failure->verdict.finding->got.find("Aborted"), std::string::npos);
  }
}

TEST(Run, ReportsAnErrorCodeAsAFailure) {
  const RunReport report = run(faulty("gives up"), plan(100, 1));
  EXPECT_EQ(report.properties[0].failure->verdict.finding->got, "error 7");
}

TEST(Run, CountsWhatAnImplementationDoesNotTake) {
  const RunReport report = run(faulty("takes no three keys"), plan(100, 1));
  EXPECT_FALSE(report.failed());
  EXPECT_GT(report.properties[0].unsupported_cases, 0);
  EXPECT_EQ(report.properties[0].unsupported_reason, "three keys");
}

TEST(Run, SkipsPropertiesThatNeedWhatIsNotThere) {
  const RunReport report = run(candidates::streaming_kernel, plan(10, 1));
  EXPECT_EQ(report.properties.back().skipped, "needs weights");
  EXPECT_EQ(report.properties.back().cases, 0);
}

TEST(Run, EndsWithItsBudget) {
  RunPlan timed = plan(0, 2);
  timed.budget_seconds = 0.2;
  const RunReport report = run(candidates::explicit_kernel, timed);
  EXPECT_GT(report.cases(), 0);
  EXPECT_LT(report.seconds, 20);
}

TEST(Run, FindsTheCaseAtAnAddressAgain) {
  const RunReport report = run(faulty("scale removed"), plan(100, 1));
  const Failure& failure = *report.properties[0].failure;
  const std::size_t colon = failure.address.rfind(':');
  const std::int64_t index = std::stoll(failure.address.substr(colon + 1));
  const Recipe again = recipe_at(property_named("output-within-bound"), report.declaration,
                                 profile_named("quick").reach, 1, index);
  EXPECT_EQ(to_line(again), to_line(failure.found));
  EXPECT_TRUE(
      check(faulty("scale removed"), property_named("output-within-bound"), again).failed());
}

TEST(Coverage, IsMetOpenOrMissed) {
  EXPECT_EQ(coverage_of(500, 1000, 0.3), Covered::met);
  EXPECT_EQ(coverage_of(100, 1000, 0.3), Covered::missed);
  EXPECT_EQ(coverage_of(3, 10, 0.3), Covered::open);
  EXPECT_EQ(coverage_of(0, 0, 0.3), Covered::open);
  EXPECT_EQ(coverage_of(0, 1000, 0.3), Covered::missed);
}

// A demand that the drawing cannot meet is found, not passed over.
TEST(Coverage, OfARunIsEnforced) {
  Property greedy = property_named("run-twice");
  greedy.demands = {{"causal", 0.95}};
  RunPlan one{.properties = {&greedy}, .cases = 400, .reach = profile_named("quick").reach};
  EXPECT_TRUE(run(candidates::explicit_kernel, one).properties[0].missed_coverage());
}

TEST(Properties, AnUnknownNameIsAnInputError) {
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(property_named("suport")); }),
            "property");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(profile_named("fast")); }), "--profile");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(candidates::built_in("explicitly")); }),
            "candidate");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(candidates::built_in("null:ones")); }),
            "candidate");
}

}  // namespace
}  // namespace attest::properties

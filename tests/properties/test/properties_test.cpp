// Every property can fail, and fails for the fault it is there for; both kernels pass them all.
#include <gtest/gtest.h>

#include <algorithm>

#include <set>

#include "tests/candidates/built_in.h"
#include "tests/properties/describe.h"
#include "tests/properties/fault_classes.h"
#include "tests/properties/test/faulty.h"

namespace attest::properties {
namespace {

using test::faulty;

struct Sight {
  const char* property;
  const char* fault;
};

constexpr Sight sights[] = {
    {"finite-output", "nan"},
    {"output-within-bound", "scale removed"},
    {"lse-within-bound", "lse in base 2"},
    {"weights-within-bound", "mask ignored"},
    {"rows-sum-to-one", "one percent low"},
    {"support", "causal reversed"},
    {"head-map", "head map swapped"},
    {"convex-hull", "one percent high"},
    {"hidden-poison", "zero times values"},
    {"causal-prefix", "causal ignored"},
    {"truncation", "depends on the number of keys"},
    {"decode-equals-prefill", "bottom-right read as top-left"},
    {"rules-equal-mask", "window ignored"},
    {"mask-equals-bias", "mask ignored"},
    {"broadcast-equals-written-out", "broadcast mask ignored"},
    {"neutral-options", "mask path off"},
    {"padding-equals-shorter", "lengths ignored"},
    {"single-visible-key", "one percent low"},
    {"empty-rows", "empty rows kept"},
    {"key-value-permutation", "first value leaks"},
    {"keys-alone-permutation", "keys ignored"},
    {"query-permutation", "first query off"},
    {"batch-permutation", "first sequence off"},
    {"head-permutation", "first head off"},
    {"sequences-alone", "later sequences off"},
    {"heads-alone", "later heads off"},
    {"queries-alone", "later queries off"},
    {"query-poison", "zero times queries"},
    {"feature-permutation", "looks at q"},
    {"value-column-permutation", "first column off"},
    {"value-shift", "one percent low"},
    {"value-scaling", "a little added"},
    {"query-scaling", "scale ignored"},
    {"feature-signs", "looks at q"},
    {"constant-values", "one percent low"},
    {"zero-query", "lengths ignored"},
    {"score-shift", "large scores fail"},
    {"key-duplication", "depends on the number of keys"},
    {"split-merge", "lse in base 2"},
    {"head-groups", "head map swapped"},
    {"value-columns-alone", "wide values off"},
    {"far-key-vanishes", "first value leaks"},
    {"run-twice", "changes from call to call"},
    {"call-order", "changes from call to call"},
    {"every-element-written", "changes from call to call"},
    {"nothing-else-written", "writes beside the result"},
    {"inputs-unmodified", "inputs written"},
    {"layout", "strided off"},
    {"tile-size", "tiles of one key off"},
    {"results-asked-for", "off without lse"},
    {"block-prefix", "causal ignored"},
    {"block-permutation", "first query off"},
};

RunPlan plan_of(const char* property, std::int64_t cases = 300) {
  return {.properties = {&property_named(property)},
          .cases = cases,
          .reach = profile_named("quick").reach};
}

RunPlan plan_of_all(std::int64_t cases) {
  RunPlan plan{.properties = {}, .cases = cases, .reach = profile_named("quick").reach};
  for (const Property& property : all_properties()) plan.properties.push_back(&property);
  return plan;
}

class EveryProperty : public testing::TestWithParam<Sight> {};

TEST_P(EveryProperty, SeesAFault) {
  const RunReport report = run(faulty(GetParam().fault), plan_of(GetParam().property));
  ASSERT_TRUE(report.properties[0].failure) << GetParam().fault << " was not seen";
  EXPECT_TRUE(report.properties[0].failure->repeats);
  EXPECT_FALSE(describe(*report.properties[0].property, *report.properties[0].failure).empty());
}

INSTANTIATE_TEST_SUITE_P(Faults, EveryProperty, testing::ValuesIn(sights),
                         [](const auto& parameter) {
                           std::string name = parameter.param.property;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Properties, EachHasAFaultThatItSees) {
  std::set<std::string> seen, all;
  for (const Sight& sight : sights) seen.insert(sight.property);
  for (const Property& property : all_properties()) all.insert(property.id);
  EXPECT_EQ(seen, all);
}

TEST(Properties, SayWhatTheyAreFor) {
  for (const Property& property : all_properties()) {
    EXPECT_GT(std::string_view(property.law).size(), 20u) << property.id;
    EXPECT_GT(std::string_view(property.why).size(), 20u) << property.id;
    EXPECT_FALSE(std::string_view(property.catches).empty()) << property.id;
  }
}

void expect_to_pass(const MakeCandidate& make, std::int64_t cases) {
  const RunReport report = run(make, plan_of_all(cases));
  for (const PropertyReport& p : report.properties) {
    EXPECT_FALSE(p.failure) << describe(*p.property, *p.failure);
    EXPECT_FALSE(p.missed_coverage()) << p.property->id;
    EXPECT_LE(p.unjudged_cases, p.cases / 2) << p.property->id;
  }
}

TEST(Properties, HoldForTheExplicitKernel) { expect_to_pass(candidates::explicit_kernel, 30); }
TEST(Properties, HoldForTheStreamingKernel) { expect_to_pass(candidates::streaming_kernel, 30); }
TEST(PropertiesLong, HoldForTheExplicitKernel) {
  expect_to_pass(candidates::explicit_kernel, 1500);
}
TEST(PropertiesLong, HoldForTheStreamingKernel) {
  expect_to_pass(candidates::streaming_kernel, 1500);
}

class NullCandidate : public testing::TestWithParam<std::string_view> {};

TEST_P(NullCandidate, IsRejectedByTheBoundAlone) {
  const std::string name(GetParam());
  const RunReport report =
      run([&] { return candidates::null_candidate(name); }, plan_of("output-within-bound", 100));
  EXPECT_TRUE(report.failed());
}

INSTANTIATE_TEST_SUITE_P(Each, NullCandidate, testing::ValuesIn(candidates::null_names()),
                         [](const auto& parameter) {
                           std::string name(parameter.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The three experiments of the teaching text, simplified to what a person checks by hand.
struct Experiment {
  const char* fault;
  const char* property;
};
class Simplified : public testing::TestWithParam<Experiment> {};

TEST_P(Simplified, ToTwoByTwoAtMost) {
  const RunReport report = run(faulty(GetParam().fault), plan_of(GetParam().property));
  ASSERT_TRUE(report.failed());
  const Shape& s = report.properties[0].failure->minimal.shape;
  EXPECT_LE(s.queries, 2) << to_line(report.properties[0].failure->minimal);
  EXPECT_LE(s.keys, 2);
  EXPECT_LE(s.width, 2);
  EXPECT_EQ(s.batch * s.query_heads, 1);
  EXPECT_EQ(report.properties[0].failure->minimal.values, Values::integers);
}

INSTANTIATE_TEST_SUITE_P(Experiments, Simplified,
                         testing::Values(Experiment{"scale removed", "output-within-bound"},
                                         Experiment{"causal reversed", "output-within-bound"},
                                         Experiment{"causal reversed", "support"},
                                         Experiment{"mask ignored", "output-within-bound"},
                                         Experiment{"mask ignored", "support"}));

TEST(Support, NamesTheConventionItSees) {
  const auto got = [](const char* fault) {
    const RunReport report = run(faulty(fault), plan_of("support"));
    return report.properties[0].failure->verdict.finding->got;
  };
  EXPECT_NE(got("causal reversed").find("causal order reversed"), std::string::npos);
  EXPECT_NE(got("mask ignored").find("allow mask ignored"), std::string::npos);
  EXPECT_NE(got("window ignored").find("window ignored"), std::string::npos);
  EXPECT_NE(got("bottom-right read as top-left").find("top-left"), std::string::npos);
  EXPECT_NE(got("lengths ignored").find("key lengths ignored"), std::string::npos);
}

// What a property claims to see is a class that has been reported, and every class is claimed.
TEST(FaultClasses, AreEachSeenByAProperty) {
  std::set<std::string_view> claimed, known;
  for (const Property& property : all_properties())
    for (const FaultClass* fault : fault_classes_in(property.catches)) claimed.insert(fault->id);
  for (const FaultClass& fault : fault_classes()) known.insert(fault.id);
  EXPECT_EQ(claimed, known);
  EXPECT_EQ(known.size(), fault_classes().size());
}

// A test of row sums alone lets a missing scale through; a test of shapes alone everything.
TEST(Properties, RowSumsAloneLetAMissingScaleThrough) {
  EXPECT_FALSE(run(faulty("scale removed"), plan_of("rows-sum-to-one")).failed());
  for (const char* fault : {"scale removed", "causal reversed", "mask ignored"})
    EXPECT_FALSE(run(faulty(fault), plan_of("finite-output")).failed()) << fault;
}

}  // namespace
}  // namespace attest::properties

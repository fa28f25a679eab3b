#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/properties/describe.h"

namespace attest::properties {

// ATTEST_VERIFY(Suite, make): one GoogleTest test for each property, of the implementation that
// `make` (an expression that gives a std::unique_ptr<Candidate>) makes. The environment's
// ATTEST_CASES (default 100) and ATTEST_SEED (default 1) say how many cases are drawn and which.
#define ATTEST_VERIFY(Suite, ...)                                                          \
  class Suite : public ::testing::TestWithParam<const ::attest::properties::Property*> {}; \
  TEST_P(Suite, Holds) {                                                                   \
    ::attest::properties::expect_property(*GetParam(), [] { return __VA_ARGS__; });        \
  }                                                                                        \
  INSTANTIATE_TEST_SUITE_P(                                                                \
      Property, Suite, ::testing::ValuesIn(::attest::properties::each_property()),         \
      [](const auto& each) { return ::attest::properties::test_name(*each.param); })

inline std::vector<const Property*> each_property() {
  std::vector<const Property*> each;
  for (const Property& property : all_properties()) each.push_back(&property);
  return each;
}

// GoogleTest names hold letters, digits and underscores.
inline std::string test_name(const Property& property) {
  std::string name = property.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

inline void expect_property(const Property& property, const MakeCandidate& make) {
  const auto number = [](const char* name, long long otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoll(text);
  };
  RunPlan plan{.properties = {&property}, .reach = profile_named("quick").reach};
  plan.cases = number("ATTEST_CASES", 100);
  plan.seed = static_cast<std::uint64_t>(number("ATTEST_SEED", 1));
  const PropertyReport report = run(make, plan).properties.at(0);
  if (!report.skipped.empty()) GTEST_SKIP() << report.skipped;
  EXPECT_FALSE(report.failure) << describe(property, *report.failure);
  EXPECT_FALSE(report.missed_coverage());
}

}  // namespace attest::properties

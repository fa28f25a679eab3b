#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/properties/describe.h"

namespace attest::properties {

// ATTEST_VERIFY(Suite, make): one GoogleTest test for each property, of the implementation that
// `make` (an expression that gives a std::unique_ptr<Candidate>) makes. The environment's
// ATTEST_CASES (default 100) and ATTEST_SEED (default 1) say how many cases are drawn and which;
// ATTEST_REPLAY asks one case again, as a failure printed it.
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

// A whole number of 1 or more from the environment; anything else fails the test.
inline std::int64_t number_in_environment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  std::int64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error == std::errc() && stop == end && number >= 1) return number;
  ADD_FAILURE() << name << ": got \"" << text << "\"; accepted: a whole number of 1 or more";
  return otherwise;
}

// A failure with the line that asks its minimal case again.
inline std::string report_of(const Property& property, const Failure& failure) {
  return describe(property, failure) + "  replay: ATTEST_REPLAY='" + property.id + " " +
         to_line(failure.minimal) + "'\n";
}

inline void expect_property(const Property& property, const MakeCandidate& make) {
  if (const char* replay = std::getenv("ATTEST_REPLAY")) {
    const std::string_view line = replay;
    const std::size_t space = std::min(line.find(' '), line.size());
    if (line.substr(0, space) != property.id) GTEST_SKIP() << "another property is replayed";
    const Recipe recipe = parse_recipe(line.substr(space));
    const Verdict verdict = check(make, property, recipe);
    if (verdict.failed())
      ADD_FAILURE() << report_of(
          property,
          {.address = "replayed", .found = recipe, .minimal = recipe, .verdict = verdict});
    return;
  }
  RunPlan plan{.properties = {&property}, .reach = profile_named("quick").reach};
  plan.cases = number_in_environment("ATTEST_CASES", 100);
  plan.seed = static_cast<std::uint64_t>(number_in_environment("ATTEST_SEED", 1));
  const PropertyReport report = run(make, plan).properties.at(0);
  if (!report.skipped.empty()) GTEST_SKIP() << report.skipped;
  if (report.failure) ADD_FAILURE() << report_of(property, *report.failure);
  for (const auto& [label, count] : report.labels)
    if (count.demanded > 0 && count.covered == Covered::missed)
      ADD_FAILURE() << "\"" << label << "\" was drawn in " << count.cases << " of " << report.cases
                    << " cases, where " << 100 * count.demanded << " % are demanded";
  // Nothing was tested where nothing was taken.
  if (report.unsupported_cases == report.cases)
    GTEST_SKIP() << "none of " << report.cases << " cases is taken: " << report.unsupported_reason;
}

}  // namespace attest::properties

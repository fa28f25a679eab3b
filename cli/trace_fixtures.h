#pragma once

#include <span>
#include <string_view>

#include "attention/owned_problem.h"

namespace attest::cli {

// A worked example small enough to check by hand.
struct TraceFixture {
  std::string_view name;
  std::string_view summary;  // one line: what it shows
  OwnedProblem<double> (*problem)();
};

std::span<const TraceFixture> trace_fixtures();

// Throws InputError listing the names, `others` that are no fixtures too, with the nearest.
const TraceFixture& find_trace_fixture(std::string_view name,
                                       std::span<const std::string_view> others = {});

}  // namespace attest::cli

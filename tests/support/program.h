#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "cli/command.h"

namespace attest::test {

// What a run of the program gave.
struct Outcome {
  cli::Exit exit;
  std::string out;
  std::string err;
};

inline Outcome attest(const cli::Arguments& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const cli::Exit exit = cli::run(arguments, {.out = out, .err = err});
  return {exit, out.str(), err.str()};
}

// Wrong input: exit code 2, nothing on stdout, exactly one line on stderr.
inline std::string complaint(const cli::Arguments& arguments) {
  const Outcome outcome = attest(arguments);
  EXPECT_EQ(outcome.exit, cli::Exit::wrong_input);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.find("attest: "), 0u);
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  return outcome.err;
}

}  // namespace attest::test

#pragma once

#include <string>
#include <vector>

#include "tests/properties/recipe.h"

namespace attest::cli {

// A failing case that is kept: one line of a text file.
struct KeptCase {
  std::string candidate;
  std::string property;
  properties::Recipe recipe;
};

std::string to_line(const KeptCase& kept);

// Lines "CANDIDATE PROPERTY RECIPE"; blank lines and lines that start with # are skipped. A file
// that does not exist is empty. Throws InputError naming file and line.
std::vector<KeptCase> read_cases(const std::string& path);

// Adds those that the file does not have yet at its end; makes the file, with a comment at its top,
// where it does not exist. Throws InputError where it cannot be written.
void keep_cases(const std::string& path, const std::vector<KeptCase>& cases);

}  // namespace attest::cli

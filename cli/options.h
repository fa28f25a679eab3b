#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attention/shape.h"
#include "cli/command.h"

namespace attest::cli {

// One flag of a command. `argument` is the placeholder in the help, null for a switch.
struct Option {
  const char* name;  // without the dashes
  const char* argument;
  const char* help;
};

// A command as its --help shows it.
struct Usage {
  const char* line;     // "attest trace NAME"
  const char* summary;  // a sentence or two
  std::vector<Option> options;
  int words = 0;  // most words beside the flags
  std::vector<const char*> examples;
};

// What a person gave.
class Given {
 public:
  bool has(const std::string& name) const { return find(name) != nullptr; }
  // The argument of a flag, or `otherwise`.
  std::string text(const std::string& name, const std::string& otherwise = {}) const;
  const Arguments& words() const { return words_; }
  // The first word beside the flags.
  std::optional<std::string> name() const {
    return words_.empty() ? std::nullopt : std::optional(words_.front());
  }

 private:
  friend Given parse(const Usage& usage, const Arguments& arguments);
  const std::string* find(const std::string& name) const;

  std::vector<std::pair<std::string, std::string>> values_;
  Arguments words_;
};

// Throws InputError for an unknown flag (with the nearest known), a flag given twice, a missing
// argument, words beside the flags that the command does not take. `--help` is always known.
Given parse(const Usage& usage, const Arguments& arguments);

// Usage line, summary, options, examples, and the exit codes.
std::string help(const Usage& usage);

// A whole number of `least` to `most`, written in decimal digits. With `suffixes`, k, M and G
// multiply by 1024, 1024^2 and 1024^3. Throws InputError("--" + flag).
std::uint64_t whole_number(const std::string& flag, const std::string& text, std::uint64_t least,
                           std::uint64_t most, bool suffixes = false);

// Comma-separated whole numbers, one or more.
std::vector<std::uint64_t> whole_numbers(const std::string& flag, const std::string& text,
                                         std::uint64_t least, std::uint64_t most,
                                         bool suffixes = false);

// A finite decimal number.
double real_number(const std::string& flag, const std::string& text);

enum class Format { table, markdown, csv, json };
Format format(const Given& given);
inline constexpr Option format_option = {"format", "FORMAT",
                                         "table (default), markdown, csv or json"};

}  // namespace attest::cli

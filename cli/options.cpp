#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>

#include "attention/error.h"
#include "attention/spelling.h"

namespace attest::cli {
namespace po = boost::program_options;

namespace {

constexpr Option help_option = {"help", nullptr, "this text"};

std::vector<Option> with_help(const Usage& usage) {
  std::vector<Option> options = usage.options;
  options.push_back(help_option);
  return options;
}

po::options_description description(const Usage& usage) {
  po::options_description all;
  for (const Option& option : with_help(usage)) {
    if (option.argument)
      all.add_options()(option.name, po::value<std::string>(), option.help);
    else
      all.add_options()(option.name, po::bool_switch(), option.help);
  }
  return all;
}

// The parser's complaint in this program's words.
[[noreturn]] void refuse(const Usage& usage, const po::error_with_option_name& error) {
  std::vector<std::string> names;
  for (const Option& option : with_help(usage)) names.push_back(fmt::format("--{}", option.name));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string flag = error.get_option_name();
  if (dynamic_cast<const po::unknown_option*>(&error))
    throw InputError("flag", flag, listed(known) + did_you_mean(flag, known));
  if (dynamic_cast<const po::multiple_occurrences*>(&error))
    throw InputError(flag, "given twice", "once");
  const auto named = std::ranges::find_if(usage.options, [&](const Option& option) {
    return flag == fmt::format("--{}", option.name);
  });
  if (named != usage.options.end() && !named->argument)
    throw InputError(flag, "an argument", "no argument");
  throw InputError(flag, "no argument", named == usage.options.end() ? "one" : named->argument);
}

std::vector<po::option> split(const Usage& usage, const Arguments& arguments) {
  namespace style = po::command_line_style;
  const po::options_description known = description(usage);
  try {
    return po::command_line_parser(arguments)
        .options(known)
        .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
        .run()
        .options;
  } catch (const po::error_with_option_name& error) {
    refuse(usage, error);
  }
}

}  // namespace

const std::string* Given::find(const std::string& name) const {
  for (const auto& [key, value] : values_)
    if (key == name) return &value;
  return nullptr;
}

std::string Given::text(const std::string& name, const std::string& otherwise) const {
  const std::string* value = find(name);
  return value ? *value : otherwise;
}

Given parse(const Usage& usage, const Arguments& arguments) {
  Given given;
  Arguments flags;
  for (std::size_t n = 0; n < arguments.size(); ++n)
    flags.push_back(arguments[n] == "-h" ? "--help" : arguments[n]);
  for (const po::option& option : split(usage, flags)) {
    if (option.position_key >= 0 || option.string_key.empty()) {
      const std::string word = option.original_tokens.empty() ? "" : option.original_tokens[0];
      if (word.starts_with('-')) throw InputError("argument", word, "a flag with two dashes");
      if (std::ssize(given.words_) >= usage.words) throw InputError("argument", word, usage.line);
      given.words_.push_back(word);
      continue;
    }
    if (given.has(option.string_key))
      throw InputError("--" + option.string_key, "given twice", "once");
    given.values_.emplace_back(option.string_key, option.value.empty() ? "" : option.value[0]);
  }
  return given;
}

std::string help(const Usage& usage) {
  std::string text = fmt::format("Usage: {}\n\n{}\n\nOptions:\n", usage.line, usage.summary);
  std::size_t width = 0;
  const auto flag = [](const Option& option) {
    return option.argument ? fmt::format("--{} {}", option.name, option.argument)
                           : fmt::format("--{}", option.name);
  };
  const std::vector<Option> options = with_help(usage);
  for (const Option& option : options) width = std::max(width, flag(option).size());
  for (const Option& option : options)
    text += fmt::format("  {:<{}}  {}\n", flag(option), width, option.help);
  if (!usage.examples.empty()) text += "\nExamples:\n";
  for (const char* example : usage.examples) text += fmt::format("  {}\n", example);
  return text +
         "\nExit codes: 0 fine, 1 a finding, 2 wrong input, 3 inconclusive,\n"
         "            6 a candidate that cannot be loaded, 70 internal error.\n";
}

std::uint64_t whole_number(const std::string& flag, const std::string& text, std::uint64_t least,
                           std::uint64_t most, bool suffixes) {
  const auto refuse = [&] {
    throw InputError("--" + flag, "\"" + text + "\"",
                     fmt::format("a whole number from {} to {}{}", least, most,
                                 suffixes ? ", k, M or G after it for 1024, 1024^2, 1024^3" : ""));
  };
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop == text.data()) refuse();
  std::uint64_t factor = 1;
  if (stop != end) {
    const std::size_t power = std::string_view("kMG").find(*stop);
    if (!suffixes || stop + 1 != end || power == std::string_view::npos) refuse();
    factor = std::uint64_t{1} << (10 * (power + 1));
  }
  if (__builtin_mul_overflow(number, factor, &number) || number < least || number > most) refuse();
  return number;
}

std::vector<std::uint64_t> whole_numbers(const std::string& flag, const std::string& text,
                                         std::uint64_t least, std::uint64_t most, bool suffixes) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    numbers.push_back(whole_number(flag, text.substr(start, end - start), least, most, suffixes));
    start = end + 1;
  }
  return numbers;
}

double real_number(const std::string& flag, const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number))
    throw InputError("--" + flag, "\"" + text + "\"", "a finite number such as 0.125");
  return number;
}

Format format(const Given& given) {
  constexpr std::array<std::string_view, 4> names = {"table", "markdown", "csv", "json"};
  const std::string name = given.text("format", "table");
  const auto* found = std::ranges::find(names, name);
  if (found == names.end())
    throw InputError("--format", "\"" + name + "\"", listed(names) + did_you_mean(name, names));
  return static_cast<Format>(found - names.begin());
}

}  // namespace attest::cli

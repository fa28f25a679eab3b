#include "cli/options.h"

#include <gtest/gtest.h>

#include "tests/support/input_error.h"

namespace attest::cli {
namespace {

using test::message_of;

const Usage usage = {.line = "attest sample [NAME] [OPTIONS]",
                     .summary = "A sample.",
                     .options = {{"batch", "N", "sequences"},
                                 {"causal", nullptr, "a switch"},
                                 {"scale", "NUMBER", "a factor"}},
                     .words = 1,
                     .examples = {"attest sample --batch 2"}};

std::string refusal(const Arguments& arguments) {
  return message_of([&] { parse(usage, arguments); });
}

TEST(Options, ReadFlagsSwitchesAndOneName) {
  const Given given = parse(usage, {"--batch", "2", "name", "--causal", "--scale=-0.5"});
  EXPECT_EQ(given.text("batch"), "2");
  EXPECT_EQ(given.text("scale"), "-0.5");
  EXPECT_TRUE(given.has("causal"));
  EXPECT_EQ(given.name(), "name");
  EXPECT_FALSE(given.has("help"));
}

TEST(Options, TakeANegativeNumberAsAnArgument) {
  EXPECT_EQ(parse(usage, {"--scale", "-1"}).text("scale"), "-1");
}

TEST(Options, KnowHelpInBothSpellings) {
  EXPECT_TRUE(parse(usage, {"--help"}).has("help"));
  EXPECT_TRUE(parse(usage, {"-h"}).has("help"));
}

TEST(Options, AbsentFlagsHaveTheirDefault) {
  const Given given = parse(usage, {});
  EXPECT_EQ(given.text("batch", "7"), "7");
  EXPECT_EQ(given.name(), std::nullopt);
}

TEST(Options, RefuseEachFaultInOneLine) {
  EXPECT_EQ(refusal({"--bacth", "2"}),
            "flag: got --bacth; accepted: --batch, --causal, --scale, --help; did you mean "
            "--batch?");
  EXPECT_EQ(refusal({"--bat", "2"}).find("flag: got --bat;"), 0u);
  EXPECT_EQ(refusal({"--batch"}), "--batch: got no argument; accepted: N");
  EXPECT_EQ(refusal({"--causal=yes"}), "--causal: got an argument; accepted: no argument");
  EXPECT_EQ(refusal({"--batch", "1", "--batch", "2"}), "--batch: got given twice; accepted: once");
  EXPECT_EQ(refusal({"one", "two"}), "argument: got two; accepted: attest sample [NAME] [OPTIONS]");
  EXPECT_EQ(refusal({"-x"}), "argument: got -x; accepted: a flag with two dashes");
}

TEST(Options, HelpShowsLineOptionsExamplesAndExitCodes) {
  const std::string text = help(usage);
  for (const char* part : {"Usage: attest sample", "--batch N", "--causal ", "--help",
                           "attest sample --batch 2", "Exit codes: 0 fine"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(WholeNumber, ReadsDigitsAndSuffixes) {
  EXPECT_EQ(whole_number("n", "0", 0, 10), 0u);
  EXPECT_EQ(whole_number("n", "18446744073709551615", 0, ~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(whole_number("n", "4k", 1, 1 << 20, true), 4096u);
  EXPECT_EQ(whole_number("n", "1M", 1, 1 << 20, true), 1048576u);
  EXPECT_EQ(whole_number("n", "2G", 1, ~std::uint64_t{0}, true), std::uint64_t{2} << 30);
}

TEST(WholeNumber, RefusesAnythingElse) {
  for (const char* bad : {"", "-1", "+1", "1.0", "1e3", "12x", " 1", "1 ", "0x10", "4k", "k", "11",
                          "18446744073709551616", "99999999999999999999999"})
    EXPECT_EQ(message_of([&] { whole_number("n", bad, 0, 10); }),
              std::string("--n: got \"") + bad + "\"; accepted: a whole number from 0 to 10");
  EXPECT_EQ(message_of([] {
              whole_number("n", "17179869184G", 0, ~std::uint64_t{0}, true);
            }).find("--n: got \"17179869184G\""),
            0u);
  EXPECT_THROW(whole_number("n", "4kk", 0, 1 << 20, true), InputError);
  EXPECT_THROW(whole_number("n", "4K", 0, 1 << 20, true), InputError);
}

TEST(WholeNumbers, ReadsAListWithoutGaps) {
  EXPECT_EQ(whole_numbers("n", "1,2,30", 1, 99), (std::vector<std::uint64_t>{1, 2, 30}));
  for (const char* bad : {"", ",", "1,", ",1", "1,,2", "1, 2"})
    EXPECT_THROW(whole_numbers("n", bad, 1, 99), InputError) << bad;
}

TEST(RealNumber, IsFiniteAndWhole) {
  EXPECT_EQ(real_number("x", "-0.125"), -0.125);
  EXPECT_EQ(real_number("x", "1e3"), 1000);
  for (const char* bad : {"", "nan", "inf", "-inf", "1e999", "0.5x", "0,5"})
    EXPECT_THROW(real_number("x", bad), InputError) << bad;
}

TEST(FormatFlag, NamesTheFourForms) {
  const Usage formatted = {
      .line = "attest x", .summary = "x", .options = {format_option}, .words = 0, .examples = {}};
  EXPECT_EQ(format(parse(formatted, {})), Format::table);
  EXPECT_EQ(format(parse(formatted, {"--format", "markdown"})), Format::markdown);
  EXPECT_EQ(format(parse(formatted, {"--format", "csv"})), Format::csv);
  EXPECT_EQ(format(parse(formatted, {"--format", "json"})), Format::json);
  EXPECT_EQ(message_of([&] {
              format(parse(formatted, {"--format", "jsno"}));
            }),
            "--format: got \"jsno\"; accepted: table, markdown, csv, json; did you mean json?");
}

}  // namespace
}  // namespace attest::cli

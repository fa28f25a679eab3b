#include "cli/command.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/program.h"

namespace attest::cli {
namespace {

using test::attest;
using test::complaint;
using test::Outcome;

TEST(Program, ListsItsCommandsOnHelp) {
  const Outcome outcome = attest({"--help"});
  EXPECT_EQ(outcome.exit, Exit::fine);
  EXPECT_NE(outcome.out.find("estimate"), std::string::npos);
  EXPECT_NE(outcome.out.find("trace"), std::string::npos);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(attest({"help"}).out, outcome.out);
  EXPECT_EQ(attest({"-h"}).out, outcome.out);
}

TEST(Program, CalledWithoutACommandSaysHowAndFails) {
  const Outcome outcome = attest({});
  EXPECT_EQ(outcome.exit, Exit::wrong_input);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("Usage: attest COMMAND"), std::string::npos);
}

TEST(Program, HelpOfACommandIsTheCommandsHelp) {
  for (const char* command :
       {"estimate", "init", "trace", "verify", "replay", "oracle", "explain"}) {
    const Outcome outcome = attest({command, "--help"});
    EXPECT_EQ(outcome.exit, Exit::fine);
    EXPECT_EQ(outcome.out.find(std::string("Usage: attest ") + command), 0u);
    EXPECT_EQ(attest({"help", command}).out, outcome.out);
  }
}

TEST(Program, PrintsItsVersion) { EXPECT_EQ(attest({"--version"}).out.find("attest 0."), 0u); }

TEST(Program, SuggestsTheNearestCommand) {
  EXPECT_EQ(complaint({"trase"}),
            "attest: command: got \"trase\"; accepted: estimate, init, trace, verify, replay, "
            "oracle, explain; "
            "did you mean trace?\n");
  EXPECT_EQ(complaint({"help", "estimat"}).find("attest: command: got \"estimat\""), 0u);
}

TEST(Program, ColoursMessagesOnlyWhereItMay) {
  std::ostringstream out;
  std::ostringstream err;
  run({"nothing"}, {.out = out, .err = err, .colour_out = true, .colour_err = true});
  EXPECT_NE(err.str().find("\x1b["), std::string::npos);
  EXPECT_EQ(attest({"nothing"}).err.find("\x1b["), std::string::npos);
}

TEST(Program, SaysSoWhenItsOutputIsLost) {
  std::ofstream full("/dev/full");
  std::ostringstream err;
  EXPECT_EQ(run({"--help"}, {.out = full, .err = err}), Exit::internal_error);
  EXPECT_EQ(err.str(), "attest: the output could not be written\n");
}

TEST(Trace, ReproducesTheTwoPositionsToSixDecimals) {
  const std::string out = attest({"trace", "two-positions"}).out;
  for (const char* number :
       {"0.669762", "0.330238", "6.697615", "6.604769", "3.302385", "13.395231", "0.707107"})
    EXPECT_NE(out.find(number), std::string::npos) << number;
}

TEST(Trace, FlagsChangeTheExample) {
  EXPECT_EQ(attest({"trace", "two-positions", "--causal"}).out,
            attest({"trace", "two-positions-causal"}).out);
  EXPECT_EQ(attest({"trace", "two-positions", "--scale", "1"}).out,
            attest({"trace", "two-positions-unscaled"}).out);
  EXPECT_NE(attest({"trace", "two-positions", "--digits", "9"}).out.find("0.669761549"),
            std::string::npos);
}

TEST(Trace, WritesTheSameNumbersInEveryFormat) {
  const std::string markdown = attest({"trace", "one-query", "--format", "markdown"}).out;
  EXPECT_NE(markdown.find("| **/ sum** | **0.575975** | **0.140029** | **0.283995** |"),
            std::string::npos)
      << markdown;
  const std::string csv = attest({"trace", "one-query", "--format", "csv"}).out;
  EXPECT_EQ(csv.find("batch,head,query,step,position,value\n"), 0u);
  EXPECT_NE(csv.find("0,0,0,weight,0,0.5759753452"), std::string::npos) << csv;
  const auto json = nlohmann::json::parse(attest({"trace", "one-query", "--format", "json"}).out);
  EXPECT_EQ(json["schema"], "attest.trace");
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_NEAR(json["rows"][0]["weight"][0].get<double>(), 0.575975, 5e-7);
}

TEST(Trace, ListsEveryExampleInEveryFormat) {
  const auto json = nlohmann::json::parse(attest({"trace", "--list", "--format", "json"}).out);
  for (const auto& example : json["examples"]) {
    const auto name = example["name"].get<std::string>();
    EXPECT_EQ(attest({"trace", name}).exit, Exit::fine) << name;
    for (const char* form : {"table", "markdown", "csv"})
      EXPECT_NE(attest({"trace", "--list", "--format", form}).out.find(name), std::string::npos);
  }
}

TEST(Trace, PrintsScoreShapesAndWhoMayReadWhomInAFamily) {
  const std::string out =
      attest({"trace", "encoder-decoder", "--source", "12", "--target", "3"}).out;
  for (const char* shape : {"(12, 12)", "(3, 3)", "(3, 12)", "changes exactly these outputs"})
    EXPECT_NE(out.find(shape), std::string::npos) << shape;
  const auto json = nlohmann::json::parse(
      attest({"trace", "decoder-only", "--target", "3", "--format", "json"}).out);
  EXPECT_EQ(json["tables"][1]["rows"],
            nlohmann::json({{"t0", "x", ".", "."}, {"t1", "x", "x", "."}, {"t2", "x", "x", "x"}}));
  EXPECT_EQ(complaint({"trace", "encoder-only", "--target", "3"}),
            "attest: --target: got 3; accepted: none: encoder-only takes none\n");
}

TEST(Trace, PrintsTheTwoHeadBlock) {
  const std::string out = attest({"trace", "two-head-block"}).out;
  for (const char* number :
       {"0.999998", "1.347147", "0.577349", "-0.962248", "0.248255", "0.503490", "0.333333"})
    EXPECT_NE(out.find(number), std::string::npos) << number;
}

TEST(Trace, PrintsSinusoidalPositionsWithTheirNumbers) {
  const auto json = nlohmann::json::parse(
      attest({"trace", "positions", "--tokens", "4", "--width", "6", "--format", "json"}).out);
  const auto& rows = json["tables"][0]["rows"];
  ASSERT_EQ(rows.size(), 24u);
  EXPECT_EQ(rows[0], nlohmann::json({"0", "0", "sin(p / 10000^(c/d))",
                                     "sin(0 / 10000^(0/6)) = sin(0 / 1) = sin(0)", "0.000000"}));
  EXPECT_EQ(rows[20], nlohmann::json({"3", "2", "sin(p / 10000^(c/d))",
                                      "sin(3 / 10000^(2/6)) = sin(3 / 21.5443) = sin(0.139248)",
                                      "0.138798"}));
  EXPECT_EQ(rows[23], nlohmann::json({"3", "5", "cos(p / 10000^(c/d))",
                                      "cos(3 / 10000^(4/6)) = cos(3 / 464.159) = cos(0.0064633)",
                                      "0.999979"}));
  EXPECT_EQ(attest({"trace", "positions"}).out,
            attest({"trace", "positions", "--tokens", "4", "--width", "6"}).out);
  EXPECT_NE(attest({"trace", "positions", "--digits", "9"}).out.find("0.138798101"),
            std::string::npos);
  for (const char* flag : {"--tokens", "--width", "positions"})
    EXPECT_NE(attest({"trace", "--help"}).out.find(flag), std::string::npos);
}

TEST(Trace, RefusesPositionsThatDoNotExist) {
  EXPECT_EQ(complaint({"trace", "positions", "--width", "5"}),
            "attest: --width: got 5; accepted: an even number from 2 to 64\n");
  EXPECT_EQ(complaint({"trace", "positions", "--width", "0"}),
            "attest: --width: got 0; accepted: an even number from 2 to 64\n");
  EXPECT_EQ(complaint({"trace", "positions", "--tokens", "0"}),
            "attest: --tokens: got \"0\"; accepted: a whole number from 1 to 64\n");
  EXPECT_NE(complaint({"trace", "postions"}).find("did you mean positions"), std::string::npos);
}

TEST(Trace, RefusesFlagsThatItsNameDoesNotTake) {
  EXPECT_EQ(complaint({"trace", "positions", "--causal"}),
            "attest: --causal: got given; accepted: none: positions takes none\n");
  EXPECT_EQ(complaint({"trace", "two-head-block", "--problem", "x"}),
            "attest: --problem: got x; accepted: none: two-head-block takes none\n");
  EXPECT_EQ(complaint({"trace", "two-positions", "--tokens", "3"}),
            "attest: --tokens: got 3; accepted: none: an attention problem takes none\n");
  EXPECT_EQ(complaint({"trace", "decoder-only", "--source", "3"}),
            "attest: --source: got 3; accepted: none: decoder-only takes none\n");
}

class ProblemFile {
 public:
  explicit ProblemFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("attest-problem-" + std::to_string(::getpid()) + ".json")) {
    std::ofstream(path_) << text;
  }
  ~ProblemFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Trace, ReadsAProblemFromAFile) {
  const ProblemFile file(
      R"({"q": [[1, 0], [0, 1]], "k": [[1, 0], [0, 1]], "v": [[10, 0], [0, 20]], "causal": true})");
  EXPECT_EQ(attest({"trace", "--problem", file.path()}).out,
            attest({"trace", "two-positions-causal"}).out);
}

TEST(Trace, RefusesWhatItCannotShow) {
  EXPECT_EQ(complaint({"trace"}).find("attest: trace: got neither a name nor --problem"), 0u);
  EXPECT_EQ(complaint({"trace", "two-positions", "--problem", "x"})
                .find("attest: trace: got a name and --problem"),
            0u);
  EXPECT_NE(complaint({"trace", "two-postions"}).find("did you mean two-positions"),
            std::string::npos);
  EXPECT_EQ(complaint({"trace", "--problem", "/nowhere/p.json"}),
            "attest: --problem: got /nowhere/p.json (No such file or directory); accepted: a file "
            "that can be read\n");
  EXPECT_EQ(complaint({"trace", "--problem", "/"}),
            "attest: --problem: got / (a directory); accepted: a file that can be read\n");
  EXPECT_EQ(complaint({"trace", "two-positions", "--digits", "18"}),
            "attest: --digits: got \"18\"; accepted: a whole number from 0 to 17\n");
}

TEST(Program, SendsNoControlCharacterOfItsInputToTheTerminal) {
  const std::string hostile = "\x1b[2J\n\u009b";
  for (const Arguments& arguments :
       {Arguments{hostile}, Arguments{"trace", hostile}, Arguments{"trace", "--problem", hostile},
        Arguments{"estimate", "--config", hostile, "--seq", "1"},
        Arguments{"estimate", "--" + hostile},
        Arguments{"estimate", "--heads", hostile, "--head-dim", "64", "--seq", "1"}}) {
    const std::string line = complaint(arguments);
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
    EXPECT_NE(line.find("\\x1b[2J\\n\\u009b"), std::string::npos) << line;
  }
}

TEST(Trace, RefusesAProblemTooLargeForAPerson) {
  std::string rows = "[[1]";
  for (int n = 1; n < 65; ++n) rows += ",[1]";
  rows += "]";
  const ProblemFile file("{\"q\": " + rows + ", \"k\": " + rows + ", \"v\": " + rows + "}");
  EXPECT_EQ(complaint({"trace", "--problem", file.path()}),
            "attest: problem: got 4225 query-key pairs; accepted: at most 4096: a trace is read by "
            "a person\n");
}

}  // namespace
}  // namespace attest::cli

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/case_file.h"
#include "cli/verify_view.h"
#include "tests/properties/run.h"
#include "tests/support/program.h"

namespace attest::cli {
namespace {

using test::attest;
using test::complaint;
using test::Outcome;

// A file of its own for each test, gone afterwards.
class CaseFile {
 public:
  CaseFile()
      : path_(std::filesystem::temp_directory_path() /
              (std::string("attest-") +
               testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt")) {
    std::filesystem::remove(path_);
  }
  ~CaseFile() { std::filesystem::remove(path_); }
  CaseFile(const CaseFile&) = delete;
  CaseFile& operator=(const CaseFile&) = delete;

  std::string path() const { return path_.string(); }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

Outcome quick(Arguments arguments) {
  for (const char* more : {"--cases", "20", "--jobs", "1", "--failures", "none"})
    arguments.emplace_back(more);
  arguments.insert(arguments.begin(), "verify");
  return attest(arguments);
}

TEST(Verify, BothKernelsPass) {
  const Outcome outcome = quick({});
  EXPECT_EQ(outcome.exit, Exit::fine) << outcome.out;
  EXPECT_NE(outcome.out.find("explicit, seed 1"), std::string::npos);
  EXPECT_NE(outcome.out.find("streaming, seed 1"), std::string::npos);
  EXPECT_NE(outcome.err.find("no property failed"), std::string::npos);
}

TEST(Verify, ShowsAFailureAsAPersonWouldWriteIt) {
  const Outcome outcome = quick({"null:mean-of-values", "--only", "weights-within-bound"});
  EXPECT_EQ(outcome.exit, Exit::finding);
  EXPECT_NE(outcome.out.find("  q      [2]\n  k      [1; -1]\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("0.98201379003790844197320686205046157512751498812047"),
            std::string::npos);
  EXPECT_NE(outcome.out.find("got       0.5"), std::string::npos);
  EXPECT_NE(outcome.out.find("replay: attest replay null:mean-of-values 'weights-within-bound f32"),
            std::string::npos);
}

TEST(Verify, ItsReplayLineFailsAgain) {
  const Outcome outcome = quick({"null:zeros", "--only", "support"});
  const std::string mark = "attest replay null:zeros '";
  const std::size_t start = outcome.out.find(mark) + mark.size();
  const std::string what = outcome.out.substr(start, outcome.out.find('\'', start) - start);
  const Outcome again = attest({"replay", "null:zeros", what});
  EXPECT_EQ(again.exit, Exit::finding) << again.err;
  EXPECT_NE(again.out.find("FAIL support"), std::string::npos);
  EXPECT_EQ(attest({"replay", "explicit", what}).exit, Exit::fine);
}

TEST(Verify, KeepsFailingCasesAndTriesThemFirst) {
  const CaseFile file;
  const Arguments arguments = {"verify", "null:zeros", "--only", "support",    "--cases",
                               "30",     "--jobs",     "1",      "--failures", file.path()};
  EXPECT_EQ(attest(arguments).exit, Exit::finding);
  const std::string kept = file.text();
  EXPECT_NE(kept.find("\nnull:zeros support f32 "), std::string::npos) << kept;
  const Outcome again = attest(arguments);
  EXPECT_EQ(again.exit, Exit::finding);
  EXPECT_NE(again.err.find("1 kept case tried first"), std::string::npos) << again.err;
  EXPECT_NE(again.out.find("case kept"), std::string::npos);
  EXPECT_EQ(file.text(), kept);  // nothing twice
}

TEST(Verify, WritesNoFileWhereNothingFails) {
  const CaseFile file;
  EXPECT_EQ(
      attest({"verify", "explicit", "--cases", "5", "--jobs", "1", "--failures", file.path()}).exit,
      Exit::fine);
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

TEST(Verify, KeepsCasesOfACandidateWhosePathHasSpaces) {
  const CaseFile file;
  const KeptCase kept{"./my kernels/100%.so", "support", {}};
  keep_cases(file.path(), {kept});
  ASSERT_EQ(read_cases(file.path()).size(), 1u);
  EXPECT_EQ(read_cases(file.path())[0].candidate, kept.candidate);
  EXPECT_NE(replay_line(kept.candidate, properties::property_named("support"), {})
                .find("replay './my kernels/100%.so' 'support "),
            std::string::npos);
}

TEST(Verify, NamesTheLineOfABadCaseFile) {
  const CaseFile file;
  std::ofstream(file.path()) << "# comment\n\nexplicit suport f32 B=1\n";
  const std::string line = complaint({"verify", "--failures", file.path()});
  EXPECT_NE(line.find(".txt:3: property: got \"suport\""), std::string::npos) << line;
  EXPECT_NE(line.find("did you mean support?"), std::string::npos);
}

TEST(Verify, GivesTheSameJsonWhateverTheNumberOfJobs) {
  const auto json = [](const char* jobs) {
    return attest({"verify", "streaming", "--cases", "60", "--only", "*-bound,split-merge",
                   "--format", "json", "--failures", "none", "--jobs", jobs})
        .out;
  };
  EXPECT_EQ(json("1"), json("3"));
  const nlohmann::json parsed = nlohmann::json::parse(json("1"));
  EXPECT_EQ(parsed["schema"], "attest.verify");
  EXPECT_EQ(parsed["candidates"][0]["properties"][0]["id"], "output-within-bound");
  EXPECT_EQ(parsed["candidates"][0]["properties"][0]["cases"], 60);
  EXPECT_GT(parsed["candidates"][0]["properties"][0]["labels"]["causal"]["cases"], 0);
}

TEST(Verify, WritesOneCsvTableOfAllImplementations) {
  const Outcome outcome = quick({"--only", "support,run-twice", "--format", "csv"});
  EXPECT_EQ(outcome.out.find("candidate,property,result,cases,"), 0u);
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 5) << outcome.out;
  EXPECT_NE(outcome.out.find("\nstreaming,run-twice,ok,20,"), std::string::npos);
}

TEST(Verify, FencesFailuresInMarkdown) {
  const Outcome outcome = quick({"null:zeros", "--only", "support", "--format", "markdown"});
  EXPECT_NE(outcome.out.find("\n```text\nFAIL support"), std::string::npos) << outcome.out;
}

TEST(Verify, RejectsEveryNullCandidate) {
  const Outcome outcome = attest({"verify", "--self-check", "--cases", "25", "--jobs", "1"});
  EXPECT_EQ(outcome.exit, Exit::fine) << outcome.out;
  EXPECT_EQ(outcome.out.find("PASSES"), std::string::npos);
}

// A check that cannot tell is not a check: with shapes alone, most nulls pass.
TEST(Verify, SelfCheckFailsWherePropertiesAreTooWeak) {
  const Outcome outcome =
      attest({"verify", "--self-check", "--only", "finite-output", "--jobs", "1"});
  EXPECT_EQ(outcome.exit, Exit::finding);
  EXPECT_NE(outcome.out.find("PASSES"), std::string::npos);
}

TEST(Verify, RefusesWhatItDoesNotKnow) {
  EXPECT_NE(complaint({"verify", "explict"}).find("did you mean explicit?"), std::string::npos);
  EXPECT_NE(complaint({"verify", "--only", "suport"}).find("did you mean support?"),
            std::string::npos);
  EXPECT_NE(complaint({"verify", "--only", "x*"}).find("--only"), std::string::npos);
  EXPECT_NE(complaint({"verify", "--profile", "quik"}).find("did you mean quick?"),
            std::string::npos);
  EXPECT_NE(complaint({"verify", "--cases", "0"}).find("--cases"), std::string::npos);
  EXPECT_NE(complaint({"verify", "--jobs", "0"}).find("--jobs"), std::string::npos);
  EXPECT_NE(complaint({"verify", "--budget", "0s"}).find("--budget"), std::string::npos);
  EXPECT_NE(complaint({"verify", "--budget", "fast"}).find("--budget"), std::string::npos);
  EXPECT_NE(complaint({"verify", "--budget", "1s", "--cases", "3"}).find("--budget"),
            std::string::npos);
  EXPECT_NE(complaint({"verify", "a", "b"}).find("argument"), std::string::npos);
}

TEST(Replay, ShowsACaseByItsAddress) {
  const Outcome outcome = attest({"replay", "streaming", "output-within-bound:1:3"});
  EXPECT_EQ(outcome.exit, Exit::fine) << outcome.err;
  EXPECT_NE(outcome.out.find("passes: "), std::string::npos);
  EXPECT_EQ(attest({"replay", "streaming", "output-within-bound:1:3"}).out, outcome.out);
}

TEST(Replay, RefusesWhatIsNoCase) {
  EXPECT_NE(complaint({"replay"}).find("case"), std::string::npos);
  EXPECT_NE(complaint({"replay", "explicit"}).find("case"), std::string::npos);
  EXPECT_NE(complaint({"replay", "explicit", "support"}).find("PROPERTY:SEED:INDEX"),
            std::string::npos);
  EXPECT_NE(complaint({"replay", "explicit", "support:1:x"}).find("index"), std::string::npos);
  EXPECT_NE(complaint({"replay", "explicit", "support f32 Nk=0"}).find("Nk"), std::string::npos);
  EXPECT_NE(complaint({"replay", "explicit", "tile-size f32 B=1"}).find("lacks tiles"),
            std::string::npos);
}

TEST(Explain, ListsEveryPropertyAndTellsOfOne) {
  const Outcome all = attest({"explain"});
  for (const properties::Property& p : properties::all_properties())
    EXPECT_NE(all.out.find(p.id), std::string::npos);
  const Outcome one = attest({"explain", "split-merge"});
  EXPECT_NE(one.out.find("lse-empty"), std::string::npos);
  EXPECT_NE(complaint({"explain", "split-merg"}).find("did you mean split-merge?"),
            std::string::npos);
}

}  // namespace
}  // namespace attest::cli

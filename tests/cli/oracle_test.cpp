#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/problem_files/problem_file.h"
#include "tests/support/program.h"

namespace attest::cli {
namespace {

using test::attest;
using test::complaint;
using test::Outcome;

// A problem of two keys in a file, gone afterwards.
class File {
 public:
  explicit File(const problem_files::ExpectedResult& expected = {})
      : path_(std::filesystem::temp_directory_path() /
              (std::string("attest-") +
               testing::UnitTest::GetInstance()->current_test_info()->name() + ".safetensors")) {
    OwnedProblem<double> p;
    p.q = {{1, 0}};
    p.k = {{1, 0}, {0, 1}};
    p.v = {{1}, {3}};
    write(problem_files::write_problem(p, expected));
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(const std::string& content) const {
    std::ofstream(path_, std::ios::binary) << content;
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

problem_files::ExpectedResult output_of(double x) {
  problem_files::ExpectedResult expected{.output = Tensor<double>({1, 1, 1, 1})};
  expected.output->elements = {x};
  return expected;
}

TEST(Oracle, PrintsTheTruthToTheDigitsAskedFor) {
  const File file;
  const Outcome outcome = attest({"oracle", file.path(), "--digits", "50", "--weights"});
  EXPECT_EQ(outcome.exit, Exit::fine);
  // 1 + 2 / (1 + e^(1/sqrt 2)), by an independent calculation.
  EXPECT_NE(outcome.out.find("1.6604769013466861487664101083317117844414275701683"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("weight"), std::string::npos);
  EXPECT_EQ(attest({"oracle", file.path()}).out.find("weight"), std::string::npos);
}

TEST(Oracle, GivesTheSameNumbersAsJson) {
  const File file;
  const nlohmann::json json =
      nlohmann::json::parse(attest({"oracle", file.path(), "--format", "json"}).out);
  EXPECT_EQ(json["schema"], "attest.oracle");
  EXPECT_EQ(json["numbers"][0]["of"], "output");
  EXPECT_EQ(json["numbers"][0]["value"], "1.6604769013466861");
}

// A weight of e^-(2^60) has a decimal exponent of 18 digits; it is printed at once.
TEST(Oracle, PrintsWeightsOfAnySize) {
  const File file;
  OwnedProblem<double> p;
  p.q = {{1}};
  p.k = {{0}, {-0x1p60}};
  p.v = {{1}, {1}};
  file.write(problem_files::write_problem(p));
  const Outcome outcome = attest({"oracle", file.path(), "--weights", "--digits", "12"});
  EXPECT_EQ(outcome.exit, Exit::fine) << outcome.err;
  EXPECT_NE(outcome.out.find("e-500707447518348173"), std::string::npos) << outcome.out;
}

TEST(Oracle, ComparesExpectedResultsWithTheTruth) {
  EXPECT_EQ(attest({"oracle", File(output_of(1.6604769013466861)).path()}).exit, Exit::fine);
  const Outcome wrong = attest({"oracle", File(output_of(1.66)).path()});
  EXPECT_EQ(wrong.exit, Exit::finding);
  EXPECT_NE(wrong.out.find("FAIL"), std::string::npos);
}

TEST(VerifyProblem, JudgesKernelsAndExpectedResults) {
  const File file(output_of(1.6604769013466861));
  const Outcome outcome = attest({"verify", "--problem", file.path()});
  EXPECT_EQ(outcome.exit, Exit::fine) << outcome.out;
  for (const char* row :
       {"expected output", "explicit output", "explicit weights", "streaming lse"})
    EXPECT_NE(outcome.out.find(row), std::string::npos) << row;
  EXPECT_EQ(attest({"verify", "null:zeros", "--problem", file.path()}).exit, Exit::finding);
}

TEST(VerifyProblem, RefusesWhatDoesNotGoTogether) {
  const File file;
  EXPECT_NE(complaint({"verify", "--problem", file.path(), "--cases", "3"}).find("--cases"),
            std::string::npos);
  EXPECT_NE(complaint({"verify", "--problem", "no-such-file"}).find("no-such-file"),
            std::string::npos);
  EXPECT_NE(complaint({"oracle"}).find("FILE.safetensors"), std::string::npos);
  file.write("rubbish that is no safetensors file");
  EXPECT_NE(complaint({"oracle", file.path()}).find("a header of"), std::string::npos);
}

// A problem that is whole but that attention refuses: one line, and nothing is computed.
TEST(VerifyProblem, RefusesAProblemThatAttentionRefuses) {
  const File file;
  OwnedProblem<float> p;
  p.k = {{1, 2}};
  file.write(problem_files::write_problem(p));
  EXPECT_NE(complaint({"verify", "--problem", file.path()}).find("width"), std::string::npos);
  EXPECT_NE(complaint({"oracle", file.path()}).find("width"), std::string::npos);
}

}  // namespace
}  // namespace attest::cli

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/program.h"

namespace attest::cli {
namespace {

namespace fs = std::filesystem;
using test::attest;
using test::complaint;

// A folder of its own to work in.
class Init : public ::testing::Test {
 protected:
  Init() : before_(fs::current_path()) {
    std::string folder = fs::temp_directory_path() / "attest_init_XXXXXX";
    folder_ = mkdtemp(folder.data());
    fs::current_path(folder_);
  }
  ~Init() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  static std::string text(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  fs::path before_, folder_;
};

TEST_F(Init, WritesEverythingUnderTheNameGiven) {
  const auto outcome = attest({"init", "tiled_kernel"});
  EXPECT_EQ(outcome.exit, Exit::fine);
  EXPECT_NE(outcome.out.find("attest verify ./tiled_kernel/build/libtiled_kernel.so\n"),
            std::string::npos);
  const std::string root = ATTEST_SOURCE_DIR;
  EXPECT_EQ(text("tiled_kernel/attest_candidate.h"),
            text(root + "/tests/candidates/attest_candidate.h"));
  EXPECT_EQ(text("tiled_kernel/AttestCandidate.cmake"),
            text(root + "/cmake/AttestCandidate.cmake"));
  for (const char* file : {"tiled_kernel.c", "tiled_kernel.cpp", "CMakeLists.txt", "README.md"}) {
    const std::string written = text(fs::path("tiled_kernel") / file);
    EXPECT_NE(written.find("tiled_kernel"), std::string::npos) << file;
    EXPECT_EQ(written.find("my_kernel"), std::string::npos) << file;
  }
}

TEST_F(Init, OverwritesNothing) {
  fs::create_directory("mine");
  EXPECT_EQ(
      complaint({"init", "mine"}),
      "attest: NAME: got \"mine\", which exists; accepted: the name of a folder to be made\n");
  EXPECT_TRUE(fs::is_empty("mine"));
}

TEST_F(Init, TakesNamesThatAreNoPaths) {
  for (const char* name : {"../up", "a b", "7th", "x/y", "a\"b"})
    EXPECT_EQ(complaint({"init", name}).find("attest: NAME: got \""), 0u);
  complaint({"init"});
}

}  // namespace
}  // namespace attest::cli

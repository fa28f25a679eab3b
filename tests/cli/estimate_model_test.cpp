#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/program.h"

namespace attest::cli {
namespace {

using nlohmann::json;
using test::attest;
using test::complaint;

const std::string examples = std::string(ATTEST_SOURCE_DIR) + "/estimator/examples/";

Arguments model(const std::string& name, const Arguments& more) {
  Arguments arguments = {"estimate", "--config", examples + name};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(EstimateModel, CountsLlamaAt8192TokensAndFourSequences) {
  const json result = json::parse(
      attest(model("llama-3.1-8b.json", {"--seq", "8192", "--batch", "4", "--format", "json"}))
          .out);
  EXPECT_EQ(result["schema"], "attest.estimate.model");
  EXPECT_EQ(result["parameters"], 8030261248);
  EXPECT_EQ(result["weights"]["total_bytes"], 2 * 8030261248);
  EXPECT_EQ(result["kv_cache"]["total_bytes"], std::uint64_t{4} << 30);  // 1 GiB a sequence
  EXPECT_EQ(result["explicit_workspace"]["total_bytes"],
            std::uint64_t{2} * 4 * 32 * 8192 * 8192 * 2);
}

TEST(EstimateModel, ShowsWhatWasReadAndWhereItCameFrom) {
  const std::string out = attest(model("gpt2.json", {"--seq", "1024"})).out;
  for (const char* part : {"4 * hidden", "default of gpt2", "124,439,808", "position embedding",
                           "KV cache", "not measured peak memory"})
    EXPECT_NE(out.find(part), std::string::npos) << part;
}

TEST(EstimateModel, SaysWhenTheSequenceIsLongerThanTheModel) {
  EXPECT_NE(attest(model("gpt2.json", {"--seq", "2048"})).out.find("beyond the 1024 positions"),
            std::string::npos);
  EXPECT_EQ(attest(model("gpt2.json", {"--seq", "1024"})).out.find("beyond the"),
            std::string::npos);
}

TEST(EstimateModel, KeepsCacheAndWeightFormatsApart) {
  const json result =
      json::parse(attest(model("llama-3.1-8b.json", {"--seq", "4096", "--dtype", "q4_0",
                                                     "--cache-dtype", "q8_0", "--format", "json"}))
                      .out);
  EXPECT_EQ(result["kv_cache"]["total_bytes"], 272 * 1024 * 1024);
  EXPECT_LT(result["weights"]["total_bytes"], std::uint64_t{8030261248} * 6 / 10);
}

TEST(EstimateModel, EveryExampleIsEstimatedInEveryFormat) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(examples))
    for (const char* form : {"table", "markdown", "csv", "json"}) {
      EXPECT_EQ(
          attest({"estimate", "--config", entry.path().string(), "--seq", "256", "--format", form})
              .exit,
          Exit::fine)
          << entry.path();
      ++count;
    }
  EXPECT_EQ(count, 12);
}

TEST(EstimateModel, RefusesWhatItCannotRead) {
  EXPECT_EQ(complaint({"estimate", "--config", "/nowhere.json", "--seq", "1"}),
            "attest: --config: got /nowhere.json (No such file or directory); accepted: a file "
            "that can be read\n");
  EXPECT_EQ(complaint(model("gpt2.json", {})),
            "attest: --seq: got nothing; accepted: tokens per sequence, such as 8192\n");
  EXPECT_EQ(complaint(model("gpt2.json", {"--seq", "1,2"})).find("attest: --seq: got \"1,2\""), 0u);
  EXPECT_NE(complaint(model("gpt2.json", {"--seq", "1", "--dtype", "q4"})).find("did you mean"),
            std::string::npos);
}

}  // namespace
}  // namespace attest::cli

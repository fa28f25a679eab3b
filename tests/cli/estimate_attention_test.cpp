#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace attest::cli {
namespace {

using nlohmann::json;
using test::attest;
using test::complaint;

Arguments with(const Arguments& more) {
  Arguments arguments = {"estimate", "--heads", "8", "--head-dim", "64"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json estimate_json(const Arguments& more) {
  Arguments arguments = with(more);
  arguments.insert(arguments.end(), {"--format", "json"});
  const test::Outcome outcome = attest(arguments);
  EXPECT_EQ(outcome.exit, Exit::fine) << outcome.err;
  return json::parse(outcome.out);
}

json line(const json& ledger, const std::string& name) {
  for (const json& candidate : ledger["lines"])
    if (candidate["name"] == name) return candidate;
  ADD_FAILURE() << "no line " << name;
  return {};
}

TEST(EstimateAttention, PrintsScoresOf64And256MebibytesWithFormulaAndNumbers) {
  const std::string out =
      attest(with({"--batch", "1", "--seq", "2048,4096", "--dtype", "f16"})).out;
  for (const char* part : {"33,554,432", "64 MiB", "256 MiB", "B*Hq*Nq*Nk*e", "1*8*2048*2048*2",
                           "1*8*4096*4096*2", "explicit attention", "streaming attention",
                           "probabilities", "Q ", "K ", "V ", "output", "not measured peak memory"})
    EXPECT_NE(out.find(part), std::string::npos) << part;
}

TEST(EstimateAttention, WritesExactIntegersInJson) {
  const json result = estimate_json({"--seq", "2048,4096"});
  EXPECT_EQ(result["schema"], "attest.estimate.attention");
  EXPECT_EQ(result["schema_version"], 1);
  const json scores = line(result["plans"][0]["explicit"], "scores");
  EXPECT_EQ(scores["elements"], 33554432);
  EXPECT_EQ(scores["bytes"], 67108864);
  EXPECT_EQ(line(result["plans"][1]["explicit"], "scores")["bytes"], 268435456);
}

TEST(EstimateAttention, KeepsIntegersExactBeyondSixtyFourBits) {
  const std::string out = attest({"estimate", "--heads", "8", "--head-dim", "64", "--seq",
                                  "4294967296", "--batch", "1024", "--format", "json"})
                              .out;
  EXPECT_NE(out.find("\"elements\": 151115727451828646838272"), std::string::npos);
  EXPECT_NE(out.find("\"bytes\": 302231454903657293676544"), std::string::npos);
}

TEST(EstimateAttention, SixteenHeadsDoubleTheScores) {
  const json result = json::parse(
      attest({"estimate", "--heads", "16", "--head-dim", "64", "--seq", "2048", "--format", "json"})
          .out);
  EXPECT_EQ(line(result["plans"][0]["explicit"], "scores")["bytes"], 134217728);
}

TEST(EstimateAttention, MoreHeadsAtFixedWidthLeaveQKVAlone) {
  const auto at = [](const char* heads) {
    return json::parse(attest({"estimate", "--width", "512", "--heads", heads, "--seq", "2048",
                               "--format", "json"})
                           .out)["plans"][0]["explicit"];
  };
  for (const char* name : {"Q", "K", "V", "output"})
    EXPECT_EQ(line(at("8"), name)["bytes"], line(at("16"), name)["bytes"]) << name;
  EXPECT_EQ(line(at("16"), "scores")["bytes"], 134217728);
}

TEST(EstimateAttention, CausalDoesNotShrinkTheDenseScores) {
  const json causal = estimate_json({"--seq", "2048", "--causal"});
  const json full = estimate_json({"--seq", "2048"});
  EXPECT_EQ(causal["plans"][0]["explicit"], full["plans"][0]["explicit"]);
  EXPECT_EQ(causal["plans"][0]["causal_visible_per_head"], 2048 * 2049 / 2);
  EXPECT_NE(attest(with({"--seq", "4", "--causal"})).out.find("6 of 16 entries"),
            std::string::npos);
}

TEST(EstimateAttention, PaddedLengthsCount) {
  const json result = estimate_json({"--lengths", "2048,512,512"});
  const json& plan = result["plans"][0];
  EXPECT_EQ(plan["batch"], 3);
  EXPECT_EQ(plan["queries"], 2048);
  EXPECT_EQ(line(plan["explicit"], "scores")["elements"], 3 * 8 * 2048 * 2048);
  EXPECT_EQ(plan["padding"]["useful_entries_per_head"], 2048 * 2048 + 2 * 512 * 512);
  EXPECT_NE(attest(with({"--lengths", "2048,512,512"})).out.find("37.5 %"), std::string::npos);
}

TEST(EstimateAttention, TakesQueriesAndKeysApart) {
  const json plan =
      estimate_json({"--queries", "1", "--keys", "8k", "--kv-heads", "2"})["plans"][0];
  EXPECT_EQ(plan["queries"], 1);
  EXPECT_EQ(plan["keys"], 8192);
  EXPECT_EQ(line(plan["explicit"], "scores")["elements"], 8 * 8192);
  EXPECT_EQ(line(plan["explicit"], "K")["elements"], 2 * 8192 * 64);
}

TEST(EstimateAttention, ListsEveryLineInCsv) {
  const std::string out = attest(with({"--seq", "2048", "--format", "csv"})).out;
  EXPECT_EQ(out.find("attention,queries,keys,name,role,shape,dtype,formula,numbers,elements,bytes,"
                     "source,note\nexplicit,2048,2048,Q,input,1 x 8 x 2048 x 64,f16,"),
            0u)
      << out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1 + 6 + 5);
}

TEST(EstimateAttention, WritesMarkdownTables) {
  const std::string out = attest(with({"--seq", "2048", "--format", "markdown"})).out;
  EXPECT_NE(out.find("| scores | f16 | B\\*Hq\\*Nq\\*Nk\\*e |"), std::string::npos) << out;
}

struct Case {
  Arguments arguments;
  const char* line;
};

TEST(EstimateAttention, RefusesEachBadFlagInOneLine) {
  const Case cases[] = {
      {{"estimate"},
       "attest: --heads: got nothing; accepted: the number of query heads, or --config FILE for a "
       "whole model\n"},
      {{"estimate", "--heads", "0", "--head-dim", "64", "--seq", "1"},
       "attest: --heads: got \"0\"; accepted: a whole number from 1 to 18446744073709551615\n"},
      {{"estimate", "--heads", "-8", "--head-dim", "64", "--seq", "1"},
       "attest: --heads: got \"-8\"; accepted: a whole number from 1 to 18446744073709551615\n"},
      {{"estimate", "--heads", "8", "--seq", "1"},
       "attest: --head-dim: got nothing; accepted: either --head-dim N, or --width N for heads * "
       "head_dim\n"},
      {{"estimate", "--heads", "8", "--width", "100", "--seq", "1"},
       "attest: --width: got 100; accepted: a multiple of --heads = 8\n"},
      {with({}),
       "attest: --seq: got nothing; accepted: sequence lengths, such as 2048 or 2048,4096\n"},
      {with({"--seq", "2048,"}),
       "attest: --seq: got \"\"; accepted: a whole number from 1 to 4611686018427387904, k, M or G "
       "after it for 1024, 1024^2, 1024^3\n"},
      {with({"--seq", "1e3"}),
       "attest: --seq: got \"1e3\"; accepted: a whole number from 1 to 4611686018427387904, k, M "
       "or "
       "G after it for 1024, 1024^2, 1024^3\n"},
      {with({"--seq", "1", "--kv-heads", "3"}),
       "attest: kv_heads: got 3; accepted: a divisor of heads = 8\n"},
      {with({"--seq", "1", "--sequence", "2"}),
       "attest: flag: got --sequence; accepted: --seq, --batch, --dtype, --format, --heads, "
       "--kv-heads, --queries, --keys, --head-dim, --width, --value-dim, --score-dtype, --causal, "
       "--alignment, --lengths, --tile-queries, --tile-keys, --config, --cache-dtype, --help\n"},
      {with({"--queries", "2"}),
       "attest: --keys: got nothing; accepted: --queries and --keys together\n"},
      {with({"--queries", "2", "--keys", "3", "--causal"}),
       "attest: causal: got 2 queries and 3 keys under square alignment; accepted: equal counts, "
       "or "
       "a declared alignment: top_left or bottom_right\n"},
      {with({"--seq", "1", "--alignment", "top-left"}),
       "attest: --alignment: got no --causal; accepted: --causal beside it\n"},
      {with({"--lengths", "5,6", "--seq", "4"}),
       "attest: --seq: got 4; accepted: at least the longest of --lengths, 6\n"},
      {with({"--lengths", "5,6", "--batch", "3"}),
       "attest: --batch: got 3; accepted: 2, one per length given\n"},
      {with({"--seq", "100", "--head-dim", "64"}),
       "attest: --head-dim: got given twice; accepted: once\n"},
      {with({"--seq", "8", "--cache-dtype", "f16"}),
       "attest: --cache-dtype: got no --config; accepted: --config FILE beside it\n"},
      {{"estimate", "--config", "c.json", "--heads", "8"},
       "attest: --heads: got --config beside it; accepted: one or the other: the config states the "
       "model's geometry\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(complaint(c.arguments), c.line);
}

TEST(EstimateAttention, RefusesAmountsBeyondItsRange) {
  EXPECT_EQ(complaint({"estimate", "--heads", "18446744073709551615", "--head-dim", "1", "--seq",
                       "4611686018427387904"}),
            "attest: elements: got more than 2^127 - 1; accepted: a plan whose amounts stay below "
            "2^127\n");
}

TEST(EstimateAttention, WritesNothingWhereALaterPlanIsRefused) {
  complaint(with({"--seq", "2048,4611686018427387904", "--batch", "1125899906842624"}));
}

TEST(EstimateAttention, SuggestsTheNearestFormat) {
  EXPECT_NE(
      complaint(with({"--seq", "1", "--dtype", "b16"})).find("did you mean f16, bf16 or i16?"),
      std::string::npos);
}

}  // namespace
}  // namespace attest::cli

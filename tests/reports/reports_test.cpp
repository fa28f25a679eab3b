#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "reports/json.h"
#include "reports/table.h"

namespace attest::reports {
namespace {

const Table sample = {
    .title = "T",
    .columns = {{"name"}, {"n", Align::right}},
    .rows = {{.cells = {"µs", "1"}}, {.cells = {"total", "12"}, .emphasised = true}},
    .notes = {"one two three"}};

TEST(Text, PadsToCodePointsAndAligns) {
  EXPECT_EQ(as_text(sample, false),
            "T\nname    n\n---------\nµs      1\ntotal  12\none two three\n");
}

TEST(Text, WrapsNotesAtSpaces) {
  EXPECT_NE(as_text(sample, false, 8).find("one two\nthree\n"), std::string::npos);
}

TEST(Text, UsesEscapesOnlyWithColour) {
  EXPECT_EQ(as_text(sample, false).find('\x1b'), std::string::npos);
  EXPECT_NE(as_text(sample, true).find("\x1b[1mtotal  12\x1b[0m"), std::string::npos);
}

TEST(Markdown, EscapesPipesAndMarksTotals) {
  const Table table{.title = {},
                    .columns = {{"a|b"}},
                    .rows = {{.cells = {"x|y\nz"}}, {.cells = {"t"}, .emphasised = true}},
                    .notes = {}};
  EXPECT_EQ(as_markdown(table), "| a\\|b |\n| --- |\n| x\\|y<br>z |\n| **t** |\n");
}

TEST(Csv, QuotesWhatNeedsIt) {
  const Table table{.title = "left out",
                    .columns = {{"a"}, {"b,c"}},
                    .rows = {{.cells = {"say \"x\"", "line\nbreak"}}},
                    .notes = {"left out"}};
  EXPECT_EQ(as_csv(table), "a,\"b,c\"\n\"say \"\"x\"\"\",\"line\nbreak\"\n");
}

TEST(Json, WritesWhatAParserReadsBack) {
  JsonWriter json;
  json.begin_object();
  json.key("text").value("quote \" slash \\ line \n tab \t bell \x07 µ");
  json.key("big").integer("340282366920938463463374607431768211456");
  json.key("list").begin_array().real(0.1).boolean(true).null().end_array();
  json.key("empty").begin_array().end_array();
  json.key("nan").real(std::numeric_limits<double>::quiet_NaN());
  json.end_object();
  EXPECT_NE(json.str().find("340282366920938463463374607431768211456"), std::string::npos);
  const auto parsed = nlohmann::json::parse(json.str());
  EXPECT_EQ(parsed["text"], "quote \" slash \\ line \n tab \t bell \x07 µ");
  EXPECT_EQ(parsed["list"][0], 0.1);
  EXPECT_TRUE(parsed["nan"].is_null());
  EXPECT_EQ(parsed["empty"].size(), 0u);
}

TEST(JsonDeath, AbortsOnWhatWouldNotBeJson) {
  EXPECT_DEATH(JsonWriter().begin_object().value("no key"), "value without a key");
  EXPECT_DEATH(JsonWriter().begin_array().end_object(), "end without its begin");
  EXPECT_DEATH(JsonWriter().begin_array().key("k"), "key outside an object");
  EXPECT_DEATH(JsonWriter().integer("1.5"), "not decimal digits");
  EXPECT_DEATH(JsonWriter().begin_array().str(), "not complete");
}

}  // namespace
}  // namespace attest::reports

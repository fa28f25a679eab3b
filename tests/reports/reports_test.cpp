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

std::string markdown_of(const std::string& cell) {
  const std::string text =
      as_markdown({.title = {}, .columns = {{"c"}}, .rows = {{.cells = {cell}}}, .notes = {}});
  const std::size_t row = text.rfind("\n| ") + 3;
  return text.substr(row, text.rfind(" |\n") - row);
}

TEST(Markdown, ShowsEveryCharacterAsItStands) {
  EXPECT_EQ(markdown_of("vocab*hidden*e"), "vocab\\*hidden\\*e");
  EXPECT_EQ(markdown_of("model_type_"), "model\\_type\\_");
  EXPECT_EQ(markdown_of("`code` <b> [a](b) ~~x~~ &lt; $x$"),
            "\\`code\\` \\<b\\> \\[a\\](b) \\~\\~x\\~\\~ \\&lt; \\$x\\$");
  EXPECT_EQ(markdown_of("\\|"), "\\\\\\|");  // not a backslash that frees the border
  EXPECT_EQ(markdown_of("a\nb\rc\r\nd"), "a<br>b<br>c<br>d");
  EXPECT_EQ(markdown_of("\x1b[2J"), "\\\\x1b\\[2J");
}

TEST(Markdown, EscapesWhatWouldStartABlockInANote) {
  const auto note = [](const std::string& text) {
    const std::string all =
        as_markdown({.title = {}, .columns = {{"c"}}, .rows = {}, .notes = {text}});
    return all.substr(all.find("\n\n") + 2);
  };
  EXPECT_EQ(note("# heading"), "\\# heading\n");
  EXPECT_EQ(note("- item"), "\\- item\n");
  EXPECT_EQ(note("+ item"), "\\+ item\n");
  EXPECT_EQ(note("12. item"), "12\\. item\n");
  EXPECT_EQ(note("> quote"), "\\> quote\n");
  EXPECT_EQ(note("    code"), "code\n");
  EXPECT_EQ(note("12 items, 3.5 each - plain"), "12 items, 3.5 each - plain\n");
}

TEST(Text, ShowsControlCharactersSpeltOut) {
  const Table table{.title = "\x1b[2J",
                    .columns = {{"a\tb"}, {"n"}},
                    .rows = {{.cells = {"x\ny", "1"}}},
                    .notes = {"\x07"}};
  EXPECT_EQ(as_text(table, false), "\\x1b[2J\na\\tb  n\n-------\nx\\ny  1\n\\x07\n");
}

TEST(TableDeath, ARowHasAsManyCellsAsThereAreColumns) {
  const std::string promise = "broken promise: row.cells.size\\(\\) == table.columns.size";
  for (const std::vector<std::string>& cells :
       {std::vector<std::string>{"a"}, std::vector<std::string>{"a", "b", "c"}}) {
    const Table table{.title = {}, .columns = {{"1"}, {"2"}}, .rows = {{cells}}, .notes = {}};
    EXPECT_DEATH(as_text(table, false), promise);
    EXPECT_DEATH(as_markdown(table), promise);
    EXPECT_DEATH(as_csv(table), promise);
  }
}

TEST(Csv, QuotesACarriageReturn) {
  const Table table{
      .title = {}, .columns = {{"a"}, {"b"}}, .rows = {{.cells = {"x\ry", "\x1b"}}}, .notes = {}};
  EXPECT_EQ(as_csv(table), "a,b\n\"x\ry\",\\x1b\n");
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

TEST(Json, SendsNoControlCharacterAndNoBrokenUtf8) {
  JsonWriter json;
  json.value("\x1b \x7f \u009b \xff");
  EXPECT_EQ(json.str(), "\"\\u001b \\u007f \\u009b \\ufffd\"\n");
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

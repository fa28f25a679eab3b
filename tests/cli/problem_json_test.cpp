#include "cli/problem_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/support/input_error.h"

namespace attest::cli {
namespace {

OwnedProblem<double> read(const std::string& text) { return problem_from_json(text, "p.json"); }

std::string refusal(const std::string& text) {
  return test::message_of([&] { read(text); });
}

const std::string qkv = R"("q": [[1, 0]], "k": [[1, 0], [0, 1]], "v": [[10], [20]])";

std::string with(const std::string& option) { return "{" + qkv + ", " + option + "}"; }

TEST(ProblemJson, ReadsRowsAsOneBatchAndOneHead) {
  const OwnedProblem<double> p = read("{" + qkv + "}");
  EXPECT_EQ(p.q.extents, (Extents{1, 1, 1, 2}));
  EXPECT_EQ(p.k.extents, (Extents{1, 1, 2, 2}));
  EXPECT_EQ(p.k.elements, (std::vector<double>{1, 0, 0, 1}));
  EXPECT_EQ(p.v.elements, (std::vector<double>{10, 20}));
  EXPECT_FALSE(p.causal);
  EXPECT_FALSE(p.scale);
}

TEST(ProblemJson, ReadsFourAxes) {
  const OwnedProblem<double> p = read(
      R"({"q": [[[[1], [2]]], [[[3], [4]]]], "k": [[[[5]]], [[[6]]]], "v": [[[[7, 8]]], [[[9, 0]]]],
          "allow": [[[[true], [false]]], [[[true], [true]]]]})");
  EXPECT_EQ(p.q.extents, (Extents{2, 1, 2, 1}));
  EXPECT_EQ(p.v.extents, (Extents{2, 1, 1, 2}));
  EXPECT_EQ(p.allow->extents, (Extents{2, 1, 2, 1}));
  EXPECT_EQ(p.allow->elements, (std::vector<std::uint8_t>{1, 0, 1, 1}));
}

TEST(ProblemJson, ReadsEveryOption) {
  const OwnedProblem<double> p = read(with(
      R"("causal": true, "alignment": "bottom_right", "window": {"left": 3}, "key_lengths": [2],
         "allow": [[true, false]], "scale": 0.5, "softcap": 30, "bias": [[0.25, "-inf"]],
         "alibi_slopes": [0.5], "sinks": [-1], "head_map": "interleaved", "empty_row": "zero")"));
  EXPECT_TRUE(p.causal);
  EXPECT_EQ(p.alignment, Alignment::bottom_right);
  EXPECT_EQ(p.window.left, 3);
  EXPECT_FALSE(p.window.right);
  EXPECT_EQ(p.key_lengths, (std::vector<Index>{2}));
  EXPECT_EQ(p.allow->elements, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(p.scale, 0.5);
  EXPECT_EQ(p.softcap, 30);
  EXPECT_EQ(p.bias->elements,
            (std::vector<double>{0.25, -std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(p.alibi_slopes, (std::vector<double>{0.5}));
  EXPECT_EQ(p.sinks, (std::vector<double>{-1}));
  EXPECT_EQ(p.head_map, HeadMap::interleaved);
  EXPECT_EQ(p.empty_row, EmptyRow::zero);
}

struct Case {
  std::string text;
  std::string line;
};

TEST(ProblemJson, RefusesEachFaultInOneLineThatNamesTheElement) {
  const Case cases[] = {
      {"[1]", "p.json: got [1]; accepted: an object with q, k and v"},
      {R"({"q": [[1]], "k": [[1]]})", "p.json: got no v; accepted: q, k and v"},
      {with(R"("casual": true)"),
       "p.json: got the key \"casual\"; accepted: q, k, v, causal, alignment, window, "
       "key_lengths, allow, scale, softcap, bias, sinks, head_map, empty_row, alibi_slopes; did "
       "you mean causal?"},
      {R"({"q": [[1]], "q": [[2]], "k": [[1]], "v": [[1]]})",
       "p.json: got the key \"q\" twice in one object; accepted: each key once"},
      {R"({"q": [[1, 2], [3]], "k": [[1, 2]], "v": [[1]]})",
       "q[1]: got 1 elements; accepted: 2, as in the first (no row may be ragged)"},
      {R"({"q": [[1, true]], "k": [[1, 2]], "v": [[1]]})", "q[0][1]: got true; accepted: a number"},
      {R"({"q": [[1, null]], "k": [[1, 2]], "v": [[1]]})", "q[0][1]: got null; accepted: a number"},
      {R"({"q": [[1, "2"]], "k": [[1, 2]], "v": [[1]]})", "q[0][1]: got \"2\"; accepted: a number"},
      {R"({"q": [[1], 2], "k": [[1]], "v": [[1]]})", "q[1]: got 2; accepted: an array of 1"},
      {R"({"q": [], "k": [[1]], "v": [[1]]})",
       "q: got arrays nested 0 deep; accepted: rows [[...], ...] (tokens, width), or [[[[...]]]] "
       "(batch, heads, tokens, width)"},
      {R"({"q": [[[1]]], "k": [[1]], "v": [[1]]})",
       "q: got arrays nested 3 deep; accepted: rows [[...], ...] (tokens, width), or [[[[...]]]] "
       "(batch, heads, tokens, width)"},
      {R"({"q": [[1]], "k": [[[[1]]]], "v": [[1]]})",
       "k: got arrays nested 4 deep; accepted: rows of elements, [[...], ...], as in q"},
      {with(R"("allow": [[1, 1]])"),
       "allow[0][0]: got 1; accepted: true (visible) or false (hidden)"},
      {with(R"("allow": "all")"),
       "allow: got arrays nested 0 deep; accepted: rows of elements, [[...], ...], as in q"},
      {with(R"("causal": 1)"), "causal: got 1; accepted: true or false"},
      {with(R"("scale": false)"), "scale: got false; accepted: a number"},
      {with(R"("bias": [[0, "inf"]])"),
       "bias[0][1]: got \"inf\"; accepted: a number, or \"-inf\" to hide the pair"},
      {with(R"("alignment": "bottom-right")"),
       "alignment: got \"bottom-right\"; accepted: square, top_left, bottom_right; did you mean "
       "bottom_right?"},
      {with(R"("window": {"lift": 1})"),
       "window: got key lift; accepted: {\"left\": n, \"right\": n}, either left out for no limit"},
      {with(R"("window": {"left": 1.5})"), "window.left: got 1.5; accepted: a whole number"},
      {with(R"("key_lengths": [18446744073709551615])"),
       "key_lengths[0]: got 18446744073709551615; accepted: a whole number"},
      {with(R"("sinks": [])"), "sinks: got []; accepted: a list of one element or more"},
  };
  for (const Case& c : cases) EXPECT_EQ(refusal(c.text), c.line) << c.text;
}

TEST(ProblemJson, SaysWhereTextIsNotJson) {
  EXPECT_EQ(refusal("{\"q\": [[1,\n 2]}").find("p.json: got parse error at line 2, column 4"), 0u);
  EXPECT_NE(refusal("").find("p.json: got parse error"), std::string::npos);
  EXPECT_NE(refusal(R"({"q": [[1e999]]})").find("p.json: got "), std::string::npos);
  EXPECT_NE(refusal("{\"\xff\": 1}").find("p.json: got parse error"), std::string::npos);
}

TEST(ProblemJson, RefusesNestingThatCouldExhaustTheStack) {
  const std::string deep(1000000, '[');
  EXPECT_EQ(refusal(deep),
            "p.json: got nesting deeper than 64; accepted: JSON nested at most 64 deep");
}

}  // namespace
}  // namespace attest::cli

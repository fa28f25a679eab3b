#include "cli/trace_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/trace_fixtures.h"

namespace attest::cli {
namespace {

std::vector<reports::Table> tables_of(std::string_view fixture) {
  const OwnedProblem<double> p = find_trace_fixture(fixture).problem();
  return trace_tables(Problem<double>(p.spec()), 6);
}

using Cells = std::vector<std::string>;

TEST(TraceView, ShowsOneTablePerQueryWithOneColumnPerKey) {
  const auto tables = tables_of("one-query");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].title, "query 0 = [1, 0]");
  EXPECT_EQ(tables[0].columns.size(), 4u);
  EXPECT_EQ(tables_of("two-queries").size(), 2u);
}

TEST(TraceView, WritesTheArithmeticOfTheTwoPositions) {
  const auto rows = tables_of("two-positions")[0].rows;
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].cells, (Cells{"q . k", "1.000000", "0.000000"}));
  EXPECT_EQ(rows[1].cells, (Cells{"* 1/sqrt(2)", "0.707107", "0.000000"}));
  EXPECT_EQ(rows[2].cells, (Cells{"- max", "0.000000", "-0.707107"}));
  EXPECT_EQ(rows[3].cells, (Cells{"e^", "1.000000", "0.493069"}));
  EXPECT_EQ(rows[4].cells, (Cells{"/ sum", "0.669762", "0.330238"}));
}

TEST(TraceView, ShowsTheMaskOnlyWhereThereIsOne) {
  const auto rows = tables_of("two-positions-causal")[0].rows;
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[2].cells, (Cells{"-inf where hidden", "0.707107", "-inf"}));
  EXPECT_EQ(rows[5].cells, (Cells{"/ sum", "1.000000", "0.000000"}));
}

TEST(TraceView, WritesTheOutputAsTheSumItIs) {
  EXPECT_EQ(tables_of("two-positions")[0].notes[1],
            "output = 0.669762 * [10, 0] + 0.330238 * [0, 20] = [6.697615, 6.604769]");
  EXPECT_EQ(tables_of("two-positions-causal")[0].notes[1],
            "output = 1.000000 * [10, 0] = [10.000000, 0.000000]");
}

TEST(TraceView, NamesEveryStepThatAProblemAsksFor) {
  OwnedProblem<double> p = find_trace_fixture("two-positions").problem();
  p.softcap = 2;
  p.bias = Tensor<double>{{0.5, 0}, {0, 0.5}};
  p.alibi_slopes = {0.25};
  p.sinks = {0};
  const auto table = trace_tables(Problem<double>(p.spec()), 3)[0];
  Cells steps;
  for (const auto& row : table.rows) steps.push_back(row.cells[0]);
  EXPECT_EQ(steps,
            (Cells{"q . k", "* 1/sqrt(2)", "2 tanh(s / 2)", "+ bias", "- slope * |key - diagonal|",
                   "-inf where hidden", "- max", "e^", "/ sum"}));
  EXPECT_NE(table.notes[0].find("the sink 0 takes part"), std::string::npos);
}

TEST(TraceView, ListsEveryNumberOnceInFullPrecision) {
  const OwnedProblem<double> p = find_trace_fixture("two-positions").problem();
  const auto list = trace_list(Problem<double>(p.spec()));
  ASSERT_EQ(list.rows.size(), 2u * (5 * 2 + 3 + 2));
  EXPECT_EQ(list.rows[2].cells, (Cells{"0", "0", "0", "scaled", "0", "0.7071067811865475"}));
}

TEST(TraceView, WritesMaskedScoresAsNullInJson) {
  const OwnedProblem<double> p = find_trace_fixture("two-positions-causal").problem();
  reports::JsonWriter json;
  write_trace(Problem<double>(p.spec()), json);
  EXPECT_NE(json.str().find("\"masked\": [\n      0.7071067811865475,\n      null\n    ]"),
            std::string::npos)
      << json.str();
}

TEST(TraceFixtures, AreAllValidAndNamedOnce) {
  std::vector<std::string_view> names;
  for (const TraceFixture& fixture : trace_fixtures()) {
    EXPECT_NO_THROW(Problem<double>(fixture.problem().spec())) << fixture.name;
    EXPECT_EQ(std::ranges::count(names, fixture.name), 0) << fixture.name;
    names.push_back(fixture.name);
  }
}

}  // namespace
}  // namespace attest::cli

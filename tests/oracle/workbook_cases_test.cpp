// The workbook's comparison: 120 small cases against a 50-digit calculation with unshifted
// exponentials, lengths 1 to 5, query/key widths 1 to 4, value widths 1 to 3, visibility patterns,
// causal or not; here for both kernels, in double.
#include <gtest/gtest.h>

#include <vector>

#include "tests/oracle/kernel_run.h"

namespace attest::oracle {
namespace {

using oracle_test::Draw;
using oracle_test::KernelRun;

constexpr int workbook_assertions = 3722;

enum class Pattern { all, one_hidden, padding, band };
constexpr int patterns = 4;

class WorkbookCase {
 public:
  WorkbookCase(Index length, Index width, Index value_width, bool causal)
      : number_(((length - 1) * 4 + width - 1) * 3 + value_width - 1 + (causal ? 60 : 0)) {
    Draw draw(static_cast<std::uint64_t>(number_) + 1);
    const Index keys = causal ? length : draw.between(1, 5);
    const auto elements = [&](Index count, double magnitude) {
      std::vector<double> drawn(static_cast<std::size_t>(count));
      for (double& x : drawn) x = magnitude * draw.normal();
      return drawn;
    };
    const double magnitude = number_ % 5 == 0 ? 30 : 1;  // some rows all but hard, most mixed
    q_ = elements(length * width, magnitude);
    k_ = elements(keys * width, magnitude);
    v_ = elements(keys * value_width, 10);
    spec_.q = {q_, {1, 1, length, width}};
    spec_.k = {k_, {1, 1, keys, width}};
    spec_.v = {v_, {1, 1, keys, value_width}};
    spec_.visibility.causal = causal;
    hide(static_cast<Pattern>(number_ % patterns), length, keys);
  }

  const ProblemSpec<double>& spec() const { return spec_; }

 private:
  // Key 0 stays visible to every query, so that no row is empty under causal order either.
  void hide(Pattern pattern, Index length, Index keys) {
    allow_.assign(static_cast<std::size_t>(length * keys), 1);
    for (Index i = 0; i < length; ++i)
      for (Index j = 1; j < keys; ++j) {
        const bool hidden = (pattern == Pattern::one_hidden && (i + j) % 3 == 0) ||
                            (pattern == Pattern::padding && j == keys - 1) ||
                            (pattern == Pattern::band && std::abs(i - j) > 1);
        if (hidden) allow_[static_cast<std::size_t>(i * keys + j)] = 0;
      }
    spec_.visibility.allow = TensorView<const std::uint8_t>(allow_, {1, 1, length, keys});
  }

  Index number_;
  std::vector<double> q_, k_, v_;
  std::vector<std::uint8_t> allow_;
  ProblemSpec<double> spec_;
};

int compare(const Problem<double>& problem, const Arithmetic& arithmetic,
            const KernelRun<double>& run) {
  int assertions = 0;
  const Judge<double> judge(problem.spec(), arithmetic);
  oracle_test::for_each_number(
      problem, judge, run, [&](char kind, const Expected& expected, double got) {
        const std::optional<double> ratio = expected.ratio(got);
        EXPECT_TRUE(ratio && *ratio <= 1)
            << kind << " got " << got << ", true " << expected.nearest << ", bound "
            << expected.bound.total() << " in " << to_string(problem.shape());
        ++assertions;
      });
  return assertions;
}

TEST(WorkbookCases, BothKernelsAgreeWithFiftyDigitsInOneHundredAndTwentyCases) {
  int cases = 0;
  int assertions = 0;
  for (Index length = 1; length <= 5; ++length)
    for (Index width = 1; width <= 4; ++width)
      for (Index value_width = 1; value_width <= 3; ++value_width)
        for (const bool causal : {false, true}) {
          const WorkbookCase drawn(length, width, value_width, causal);
          const Problem<double> problem(drawn.spec());
          const Index keys = problem.shape().keys;
          assertions += compare(problem, explicit_arithmetic<double>(),
                                KernelRun<double>::explicitly(problem));
          for (const Index tile : {Index{1}, Index{2}, Index{64}})
            assertions +=
                compare(problem, streaming_arithmetic<double>(keys, tile),
                        KernelRun<double>::streaming(problem, {.queries = 2, .keys = tile}));
          ++cases;
        }
  EXPECT_EQ(cases, 120);
  EXPECT_GE(assertions, workbook_assertions);
  RecordProperty("assertions", assertions);
  std::cout << "WorkbookCases: " << cases << " cases, " << assertions
            << " assertions (the workbook: " << workbook_assertions << ")\n";
}

}  // namespace
}  // namespace attest::oracle

#include "oracle/row_bounds.h"

#include <gtest/gtest.h>
// RapidCheck's GoogleTest glue needs gtest first.
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

#include "tests/oracle/kernel_run.h"

namespace attest::oracle {
namespace {

using oracle_test::KernelRun;
using oracle_test::RandomCase;

// Every ratio of one kernel's run on one problem, by kind of number.
template <class T>
void collect_ratios(const Problem<T>& problem, const Arithmetic& arithmetic,
                    const KernelRun<T>& run, std::map<char, std::vector<double>>& ratios) {
  oracle_test::for_each_number(problem, Judge<T>(problem.spec(), arithmetic), run,
                               [&](char kind, const Expected& expected, double got) {
                                 if (const auto ratio = expected.ratio(got))
                                   ratios[kind].push_back(*ratio);
                                 else
                                   ratios['u'].push_back(0);
                               });
}

template <class T>
std::map<char, std::vector<double>> ratios_of_both_kernels(const Problem<T>& problem, Index tile) {
  std::map<char, std::vector<double>> ratios;
  collect_ratios(problem, explicit_arithmetic<T>(), KernelRun<T>::explicitly(problem), ratios);
  collect_ratios(problem, streaming_arithmetic<T>(problem.shape().keys, tile),
                 KernelRun<T>::streaming(problem, {.queries = 3, .keys = tile}), ratios);
  return ratios;
}

template <class T>
void search(const char* name) {
  std::map<char, std::vector<double>> all;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const RandomCase<T> drawn(seed, {.tokens = 12, .width = 9});
    const Problem<T> problem(drawn.spec());
    for (const auto& [kind, ratios] :
         ratios_of_both_kernels(problem, 1 + static_cast<Index>(seed % 4))) {
      const double worst = *std::ranges::max_element(ratios);
      ASSERT_LE(worst, 1) << kind << " seed " << seed << " " << to_string(problem.shape());
      all[kind].insert(all[kind].end(), ratios.begin(), ratios.end());
    }
  }
  for (auto& [kind, ratios] : all) {
    std::ranges::sort(ratios);
    std::printf("%s %c %zu median %.3g p99 %.3g max %.3g\n", name, kind, ratios.size(),
                ratios[ratios.size() / 2], ratios[ratios.size() * 99 / 100], ratios.back());
  }
}
TEST(RowBounds, X) {
  search<double>("double");
  search<float>("float");
  search<Float16>("f16");
  search<BFloat16>("bf16");
}

}  // namespace
}  // namespace attest::oracle

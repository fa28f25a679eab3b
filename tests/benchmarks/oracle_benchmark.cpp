// How fast the oracle is, as ratios measured in one run: against the plain triple loop in
// cpp_bin_float_50, and against tests/benchmarks/decimal_twin.py where python3 and that file are
// given. One head, 64 queries, 64 keys, width 64, value width 64, unit normal floats.
//   oracle_benchmark [path of decimal_twin.py]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "oracle/exact_attention.h"
#include "tests/oracle/random_case.h"

namespace {

using attest::Index;
using attest::oracle::ExactAttention;
using attest::oracle::Real;
using Plain50 = boost::multiprecision::cpp_bin_float_50;

constexpr Index tokens = 64;
constexpr Index width = 64;

struct Case {
  std::vector<float> q = draw(1), k = draw(2), v = draw(3);
  attest::ProblemSpec<float> spec{.q = {q, {1, 1, tokens, width}},
                                  .k = {k, {1, 1, tokens, width}},
                                  .v = {v, {1, 1, tokens, width}},
                                  .visibility = {},
                                  .score = {},
                                  .sinks = {}};

  static std::vector<float> draw(std::uint64_t seed) {
    attest::oracle_test::Draw draw(seed);
    std::vector<float> elements(tokens * width);
    for (float& x : elements) x = static_cast<float>(draw.normal());
    return elements;
  }
};

// The loops anybody would write first, with the number type's own exp.
std::vector<Plain50> plain_loop(const Case& problem) {
  const auto element = [](const std::vector<float>& tensor, Index row, Index column) {
    return Plain50(tensor[static_cast<std::size_t>(row * width + column)]);
  };
  const Plain50 scale = 1 / sqrt(Plain50(width));
  std::vector<Plain50> output;
  for (Index i = 0; i < tokens; ++i) {
    std::vector<Plain50> mixed(width, Plain50(0));
    Plain50 sum = 0;
    for (Index j = 0; j < tokens; ++j) {
      Plain50 score = 0;
      for (Index c = 0; c < width; ++c)
        score += element(problem.q, i, c) * element(problem.k, j, c);
      const Plain50 part = exp(Plain50(score * scale));
      sum += part;
      for (Index c = 0; c < width; ++c)
        mixed[static_cast<std::size_t>(c)] += part * element(problem.v, j, c);
    }
    for (const Plain50& x : mixed) output.push_back(x / sum);
  }
  return output;
}

template <class Run>
double milliseconds(Run run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

template <class Number>
double largest_difference(const std::vector<Real>& ours, const std::vector<Number>& theirs) {
  Real largest = 0;
  for (std::size_t n = 0; n < ours.size(); ++n)
    largest = std::max(largest, Real(abs(ours[n] - Real(theirs[n]))));
  return static_cast<double>(largest);
}

// Runs the twin on the same problem; its first line is milliseconds, the others are the outputs.
struct Twin {
  double milliseconds = 0;
  std::vector<Real> output;
};

Twin run_twin(const std::string& script, const Case& problem) {
  char path[] = "/tmp/attest-oracle-XXXXXX";
  close(mkstemp(path));
  {
    std::ofstream file(path);
    file << std::hexfloat << tokens << ' ' << tokens << ' ' << width << ' ' << width << '\n';
    for (const auto* tensor : {&problem.q, &problem.k, &problem.v})
      for (const float x : *tensor) file << x << '\n';
  }
  Twin twin;
  std::FILE* pipe = popen(("python3 '" + script + "' " + path).c_str(), "r");
  char line[256];
  if (pipe && std::fgets(line, sizeof line, pipe)) twin.milliseconds = std::atof(line);
  while (pipe && std::fgets(line, sizeof line, pipe)) {
    std::string digits(line);
    while (!digits.empty() && digits.back() <= ' ') digits.pop_back();
    twin.output.emplace_back(digits);
  }
  if (pipe) pclose(pipe);
  unlink(path);
  return twin;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): a benchmark that throws may end so
int main(int argc, char** argv) {
  const Case problem;
  std::vector<Real> ours;
  const auto oracle = [&] {
    ours.clear();
    const ExactAttention<float> exact(problem.spec);
    for (Index i = 0; i < tokens; ++i) {
      const auto row = exact.row(0, 0, i);
      ours.insert(ours.end(), row.output.begin(), row.output.end());
    }
  };
  std::vector<Plain50> theirs;
  const auto plain = [&] { theirs = plain_loop(problem); };
  oracle();
  // The best of rounds that take turns: a busy machine slows both sides of a ratio alike.
  double fast = milliseconds(oracle);
  double slow = milliseconds(plain);
  for (int round = 0; round < 8; ++round) {
    for (int n = 0; n < 4; ++n) fast = std::min(fast, milliseconds(oracle));
    slow = std::min(slow, milliseconds(plain));
  }
  std::printf("64 queries, 64 keys, width 64, value width 64, float, one thread\n");
  std::printf("oracle                     %8.2f ms\n", fast);
  std::printf("plain cpp_bin_float_50     %8.2f ms   %6.1f times the oracle's time\n", slow,
              slow / fast);
  std::printf("largest output difference  %8.1e\n", largest_difference(ours, theirs));
  if (argc < 2) return 0;
  const Twin twin = run_twin(argv[1], problem);
  if (twin.output.size() != ours.size()) {
    std::fprintf(stderr, "oracle_benchmark: %s gave no result (is python3 there?)\n", argv[1]);
    return 1;
  }
  std::printf("Python Decimal, 50 digits  %8.2f ms   %6.1f times the oracle's time\n",
              twin.milliseconds, twin.milliseconds / fast);
  std::printf("largest output difference  %8.1e\n", largest_difference(ours, twin.output));
  return 0;
}

// What a worker process costs: microseconds a call over the same shared object called in this
// process, and milliseconds a start.
//   worker_benchmark PROGRAM SHARED_OBJECT CALLS
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "attention/owned_problem.h"
#include "tests/candidates/shared_object.h"
#include "tests/candidates/worker.h"

namespace {

using namespace attest;
using Clock = std::chrono::steady_clock;

double micros(Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

// Median of the microseconds that calls take.
double median_call(properties::Candidate& candidate, Index tokens, Index width, int calls) {
  OwnedProblem<float> p;
  p.q = p.k = p.v = Tensor<float>({1, 2, tokens, width}, 0.5f);
  const Problem<float> problem(p.spec());
  Tensor<float> output({1, 2, tokens, width}), lse({1, 2, tokens, 1});
  const AttentionResult<float> result{.output = output.view(), .weights = {}, .lse = lse.view()};
  std::vector<double> times;
  for (int n = 0; n < calls; ++n) {
    const auto begin = Clock::now();
    if (!candidate.forward(problem, result, {}).done()) std::abort();
    times.push_back(micros(Clock::now() - begin));
  }
  std::nth_element(times.begin(), times.begin() + calls / 2, times.end());
  return times[static_cast<std::size_t>(calls / 2)];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "worker_benchmark PROGRAM SHARED_OBJECT CALLS\n");
    return 2;
  }
  const int calls = argc > 3 ? std::max(1, std::atoi(argv[3])) : 5000;
  const candidates::WorkerOptions options{.program = argv[1]};
  const auto here = candidates::in_process(argv[2]);
  const auto there = candidates::in_worker(argv[2], options);
  std::printf("tokens  width  in process us  worker us  overhead us   (medians of %d)\n", calls);
  for (const auto& [tokens, width] :
       {std::pair<Index, Index>{4, 4}, {8, 8}, {16, 16}, {32, 32}, {64, 64}}) {
    const double a = median_call(*here, tokens, width, calls);
    const double b = median_call(*there, tokens, width, calls);
    std::printf("%6d %6d %14.1f %10.1f %12.1f\n", static_cast<int>(tokens), static_cast<int>(width),
                a, b, b - a);
  }
  const auto begin = Clock::now();
  for (int n = 0; n < 50; ++n) candidates::in_worker(argv[2], options);
  std::printf("start: %.2f ms\n", micros(Clock::now() - begin) / 50 / 1000);
}

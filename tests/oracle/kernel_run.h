#pragma once

#include <algorithm>
#include <vector>

#include "attention/explicit_attention.h"
#include "attention/streaming_attention.h"
#include "oracle/judge.h"
#include "tests/oracle/random_case.h"

namespace attest::oracle_test {

// What one kernel answered to one problem. Weights are empty where the kernel has none.
template <class T>
class KernelRun {
 public:
  using Acc = Accumulator<T>;

  static KernelRun explicitly(const Problem<T>& problem) {
    KernelRun run(problem.shape());
    run.weights_.resize(static_cast<std::size_t>(run.shape_.batch * run.shape_.query_heads *
                                                 run.shape_.queries * run.shape_.keys));
    explicit_attention(problem, run.result());
    return run;
  }

  static KernelRun streaming(const Problem<T>& problem, Tiles tiles) {
    KernelRun run(problem.shape());
    streaming_attention(problem, run.result(), tiles);
    return run;
  }

  double output(Index b, Index h, Index i, Index c) const {
    return static_cast<double>(widen(output_[place(b, h, i, c, shape_.value_width)]));
  }
  double weight(Index b, Index h, Index i, Index j) const {
    return static_cast<double>(weights_[place(b, h, i, j, shape_.keys)]);
  }
  double lse(Index b, Index h, Index i) const {
    return static_cast<double>(lse_[place(b, h, i, 0, 1)]);
  }
  bool has_weights() const { return !weights_.empty(); }

 private:
  explicit KernelRun(const Shape& shape) : shape_(shape) {
    const Index rows = shape.batch * shape.query_heads * shape.queries;
    output_.resize(static_cast<std::size_t>(rows * shape.value_width));
    lse_.resize(static_cast<std::size_t>(rows));
  }

  AttentionResult<T> result() {
    const Shape& s = shape_;
    AttentionResult<T> views;
    views.output =
        TensorView<T>(output_, {s.batch, s.query_heads, s.queries, s.value_width}, "output");
    views.lse = TensorView<Acc>(lse_, {s.batch, s.query_heads, s.queries, 1}, "lse");
    if (!weights_.empty())
      views.weights =
          TensorView<Acc>(weights_, {s.batch, s.query_heads, s.queries, s.keys}, "weights");
    return views;
  }

  std::size_t place(Index b, Index h, Index i, Index c, Index width) const {
    return static_cast<std::size_t>(((b * shape_.query_heads + h) * shape_.queries + i) * width +
                                    c);
  }

  Shape shape_;
  std::vector<T> output_;
  std::vector<Acc> weights_;
  std::vector<Acc> lse_;
};

// Calls visit(kind, expected, got) for every number of a run that the oracle has an opinion on;
// kind is 'o', 'w' or 'l'. Weights of hidden keys are expected to be 0.
template <class T, class Visit>
void for_each_number(const Problem<T>& problem, const oracle::Judge<T>& judge,
                     const KernelRun<T>& run, Visit visit) {
  for_each_row(problem.shape(), [&](Index b, Index h, Index i) {
    const oracle::ExpectedRow row = judge.row(b, h, i);
    for (Index c = 0; c < problem.shape().value_width; ++c)
      visit('o', row.output[static_cast<std::size_t>(c)], run.output(b, h, i, c));
    visit('l', row.lse, run.lse(b, h, i));
    if (!run.has_weights() || row.keys.empty()) return;
    std::size_t next = 0;
    for (Index j = 0; j < problem.shape().keys; ++j) {
      const bool visible = next < row.keys.size() && row.keys[next] == j;
      visit('w', visible ? row.weights[next++] : oracle::Expected{}, run.weight(b, h, i, j));
    }
  });
}

}  // namespace attest::oracle_test

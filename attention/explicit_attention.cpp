#include "attention/explicit_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "attention/kv_head.h"
#include "attention/scoring.h"
#include "attention/softmax.h"

namespace attest {
namespace {

// The explicit computation of one problem, in the three passes that its formula names.
template <class T>
class ExplicitKernel {
 public:
  using Acc = Accumulator<T>;

  ExplicitKernel(const Problem<T>& problem, std::pmr::memory_resource* memory)
      : problem_(problem),
        shape_(problem.shape()),
        spec_(problem.spec()),
        scoring_(shape_, spec_.score, problem.visibility()),
        scores_(static_cast<std::size_t>(shape_.batch * shape_.query_heads * shape_.queries *
                                         shape_.keys),
                memory),
        mixed_(static_cast<std::size_t>(shape_.value_width), memory) {}

  void run(const AttentionResult<T>& result) {
    for_each_row([&](Index b, Index h, Index i) { score(b, h, i); });
    for_each_row([&](Index b, Index h, Index i) {
      const Acc lse = normalise(b, h, i);
      if (!result.lse.empty()) result.lse(b, h, i, 0) = lse;
    });
    for_each_row([&](Index b, Index h, Index i) {
      mix(b, h, i, result.output);
      if (!result.weights.empty())
        for (Index j = 0; j < shape_.keys; ++j)
          result.weights(b, h, i, j) = row(b, h, i)[static_cast<std::size_t>(j)];
    });
  }

 private:
  static constexpr Acc hidden_score = -std::numeric_limits<Acc>::infinity();

  template <class Visit>
  void for_each_row(Visit visit) const {
    for (Index b = 0; b < shape_.batch; ++b)
      for (Index h = 0; h < shape_.query_heads; ++h)
        for (Index i = 0; i < shape_.queries; ++i) visit(b, h, i);
  }

  std::span<Acc> row(Index b, Index h, Index i) {
    const Index first = ((b * shape_.query_heads + h) * shape_.queries + i) * shape_.keys;
    return std::span(scores_).subspan(static_cast<std::size_t>(first),
                                      static_cast<std::size_t>(shape_.keys));
  }

  bool sees(Index b, Index h, Index i, Index j) const {
    return problem_.visibility()(b, h, i, j) && !scoring_.hidden(b, h, i, j);
  }

  Acc dot(Index b, Index h, Index kv, Index i, Index j) const {
    Acc sum = 0;
    for (Index c = 0; c < shape_.width; ++c)
      sum += widen(spec_.q(b, h, i, c)) * widen(spec_.k(b, kv, j, c));
    return sum;
  }

  void score(Index b, Index h, Index i) {
    const Index kv = kv_head(spec_.head_map, shape_, h);
    const std::span<Acc> scores = row(b, h, i);
    for (Index j = 0; j < shape_.keys; ++j)
      scores[static_cast<std::size_t>(j)] =
          sees(b, h, i, j) ? scoring_(dot(b, h, kv, i, j), b, h, i, j) : hidden_score;
  }

  // Turns the row's scores into its weights; returns the row's LSE.
  Acc normalise(Index b, Index h, Index i) {
    const std::span<Acc> weights = row(b, h, i);
    const bool sink = !spec_.sinks.empty();
    if (!sink && is_empty(b, h, i)) {
      std::ranges::fill(weights, empty_row_fill<Acc>(spec_.empty_row));
      return hidden_score;
    }
    Acc max = sink ? spec_.sinks[static_cast<std::size_t>(h)] : hidden_score;
    for (Acc score : weights) max = larger(max, score);
    Acc sum = sink ? exponential(spec_.sinks[static_cast<std::size_t>(h)], max) : Acc{0};
    for (Acc& weight : weights) {
      weight = exponential(weight, max);
      sum += weight;
    }
    for (Acc& weight : weights) weight /= sum;
    return max + std::log(sum);
  }

  bool is_empty(Index b, Index h, Index i) const {
    for (Index j = 0; j < shape_.keys; ++j)
      if (sees(b, h, i, j)) return false;
    return true;
  }

  void mix(Index b, Index h, Index i, const TensorView<T>& output) {
    const Index kv = kv_head(spec_.head_map, shape_, h);
    const std::span<const Acc> weights = row(b, h, i);
    std::ranges::fill(mixed_, Acc{0});
    for (Index j = 0; j < shape_.keys; ++j) {
      const Acc weight = weights[static_cast<std::size_t>(j)];
      if (weight == 0) continue;  // 0 * v would let NaN and infinity in hidden values through
      for (Index c = 0; c < shape_.value_width; ++c)
        mixed_[static_cast<std::size_t>(c)] += weight * widen(spec_.v(b, kv, j, c));
    }
    for (Index c = 0; c < shape_.value_width; ++c)
      output(b, h, i, c) = narrow<T>(mixed_[static_cast<std::size_t>(c)]);
  }

  const Problem<T>& problem_;
  const Shape& shape_;
  const ProblemSpec<T>& spec_;
  Scoring<Acc> scoring_;
  std::pmr::vector<Acc> scores_;
  std::pmr::vector<Acc> mixed_;
};

}  // namespace

template <class T>
void explicit_attention(const Problem<T>& problem, const AttentionResult<T>& result,
                        std::pmr::memory_resource* memory) {
  validate(problem.shape(), result);
  ExplicitKernel<T>(problem, memory).run(result);
}

template void explicit_attention(const Problem<float>&, const AttentionResult<float>&,
                                 std::pmr::memory_resource*);
template void explicit_attention(const Problem<double>&, const AttentionResult<double>&,
                                 std::pmr::memory_resource*);
template void explicit_attention(const Problem<Float16>&, const AttentionResult<Float16>&,
                                 std::pmr::memory_resource*);
template void explicit_attention(const Problem<BFloat16>&, const AttentionResult<BFloat16>&,
                                 std::pmr::memory_resource*);

}  // namespace attest

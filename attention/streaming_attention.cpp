#include "attention/streaming_attention.h"

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

struct Range {
  Index first;
  Index count;
};

// The online computation of one problem by one worker.
template <class T>
class StreamingKernel {
 public:
  using Acc = Accumulator<T>;

  // Allocates in the order that streaming_attention.h's memory formula lists.
  StreamingKernel(const Problem<T>& problem, const Tiles& tiles, std::pmr::memory_resource* memory)
      : problem_(problem),
        shape_(problem.shape()),
        spec_(problem.spec()),
        scoring_(shape_, spec_.score, problem.visibility()),
        tiles_{std::min(tiles.queries, shape_.queries), std::min(tiles.keys, shape_.keys)},
        keys_(size(tiles_.keys * shape_.width), memory),
        values_(size(tiles_.keys * shape_.value_width), memory),
        queries_(size(tiles_.queries * shape_.width), memory),
        mixed_(size(tiles_.queries * shape_.value_width), memory),
        max_(size(tiles_.queries), memory),
        sum_(size(tiles_.queries), memory),
        scores_(size(tiles_.keys), memory) {}

  void run(const AttentionResult<T>& result) {
    for (Index b = 0; b < shape_.batch; ++b)
      for (Index h = 0; h < shape_.query_heads; ++h)
        for (Index first = 0; first < shape_.queries; first += tiles_.queries)
          stream(b, h, {first, std::min(tiles_.queries, shape_.queries - first)}, result);
  }

 private:
  static constexpr Acc hidden_score = -std::numeric_limits<Acc>::infinity();

  static std::size_t size(Index n) { return static_cast<std::size_t>(n); }

  static std::span<Acc> row(std::pmr::vector<Acc>& tile, Index r, Index width) {
    return std::span(tile).subspan(size(r * width), size(width));
  }

  // Widens rows `range` of one (batch, head) of a tensor into a packed tile.
  static void load(const TensorView<const T>& tensor, Index b, Index h, Range range,
                   std::pmr::vector<Acc>& tile) {
    const Index width = tensor.extents()[3];
    for (Index r = 0; r < range.count; ++r)
      for (Index c = 0; c < width; ++c)
        tile[size(r * width + c)] = widen(tensor(b, h, range.first + r, c));
  }

  void stream(Index b, Index h, Range queries, const AttentionResult<T>& result) {
    const Index kv = kv_head(spec_.head_map, shape_, h);
    load(spec_.q, b, h, queries, queries_);
    start(h);
    for (Index first = 0; first < shape_.keys; first += tiles_.keys) {
      const Range keys{first, std::min(tiles_.keys, shape_.keys - first)};
      load(spec_.k, b, kv, keys, keys_);
      load(spec_.v, b, kv, keys, values_);
      for (Index r = 0; r < queries.count; ++r)
        if (score(b, h, queries.first + r, r, keys)) absorb(r, keys.count);
    }
    for (Index r = 0; r < queries.count; ++r) finish(b, h, queries.first + r, r, result);
  }

  // A row begins with nothing absorbed, or with its sink: a key without a value.
  void start(Index h) {
    const bool sink = !spec_.sinks.empty();
    std::ranges::fill(max_, sink ? spec_.sinks[size(h)] : hidden_score);
    std::ranges::fill(sum_, sink ? Acc{1} : Acc{0});
    std::ranges::fill(mixed_, Acc{0});
  }

  // Scores one query against a tile of keys; false if it sees none of them.
  bool score(Index b, Index h, Index i, Index r, Range keys) {
    bool any = false;
    for (Index t = 0; t < keys.count; ++t) {
      const Index j = keys.first + t;
      const bool sees = problem_.visibility()(b, h, i, j) && !scoring_.hidden(b, h, i, j);
      scores_[size(t)] = sees ? scoring_(dot(r, t), b, h, i, j) : hidden_score;
      any = any || sees;
    }
    return any;
  }

  Acc dot(Index r, Index t) {
    const std::span<const Acc> q = row(queries_, r, shape_.width);
    const std::span<const Acc> k = row(keys_, t, shape_.width);
    Acc sum = 0;
    for (std::size_t c = 0; c < q.size(); ++c) sum += q[c] * k[c];
    return sum;
  }

  // Takes a scored tile into the row's running maximum, sum and mix.
  void absorb(Index r, Index count) {
    const std::span<const Acc> scores = std::span(scores_).first(size(count));
    Acc max = max_[size(r)];
    for (Acc score : scores) max = larger(max, score);
    if (max == hidden_score) return;  // every score so far overflowed downwards
    rescale(r, max);
    const std::span<Acc> mixed = row(mixed_, r, shape_.value_width);
    for (Index t = 0; t < count; ++t) {
      const Acc part = exponential(scores[size(t)], max);
      if (part == 0) continue;  // 0 * v would let NaN and infinity in hidden values through
      sum_[size(r)] += part;
      const std::span<const Acc> value = row(values_, t, shape_.value_width);
      for (std::size_t c = 0; c < mixed.size(); ++c) mixed[c] += part * value[c];
    }
  }

  // What was absorbed under the old maximum, expressed under the new one.
  void rescale(Index r, Acc max) {
    const Acc factor = exponential(max_[size(r)], max);
    sum_[size(r)] *= factor;
    for (Acc& m : row(mixed_, r, shape_.value_width)) m *= factor;
    max_[size(r)] = max;
  }

  void finish(Index b, Index h, Index i, Index r, const AttentionResult<T>& result) {
    const Acc sum = sum_[size(r)];
    const bool empty = sum == 0;
    const std::span<const Acc> mixed = row(mixed_, r, shape_.value_width);
    for (Index c = 0; c < shape_.value_width; ++c)
      result.output(b, h, i, c) =
          narrow<T>(empty ? empty_row_fill<Acc>(spec_.empty_row) : mixed[size(c)] / sum);
    if (!result.lse.empty())
      result.lse(b, h, i, 0) = empty ? hidden_score : max_[size(r)] + std::log(sum);
  }

  const Problem<T>& problem_;
  const Shape& shape_;
  const ProblemSpec<T>& spec_;
  Scoring<Acc> scoring_;
  Tiles tiles_;
  std::pmr::vector<Acc> keys_;
  std::pmr::vector<Acc> values_;
  std::pmr::vector<Acc> queries_;
  std::pmr::vector<Acc> mixed_;
  std::pmr::vector<Acc> max_;
  std::pmr::vector<Acc> sum_;
  std::pmr::vector<Acc> scores_;
};

}  // namespace

template <class T>
void streaming_attention(const Problem<T>& problem, const AttentionResult<T>& result, Tiles tiles,
                         std::pmr::memory_resource* memory) {
  validate(problem.shape(), result);
  if (!result.weights.empty())
    throw InputError("weights", "asked for", "no weights: streaming attention never holds them");
  if (tiles.queries < 1)
    throw InputError("tiles.queries", std::to_string(tiles.queries), "a whole number of 1 or more");
  if (tiles.keys < 1)
    throw InputError("tiles.keys", std::to_string(tiles.keys), "a whole number of 1 or more");
  StreamingKernel<T>(problem, tiles, memory).run(result);
}

template void streaming_attention(const Problem<float>&, const AttentionResult<float>&, Tiles,
                                  std::pmr::memory_resource*);
template void streaming_attention(const Problem<double>&, const AttentionResult<double>&, Tiles,
                                  std::pmr::memory_resource*);
template void streaming_attention(const Problem<Float16>&, const AttentionResult<Float16>&, Tiles,
                                  std::pmr::memory_resource*);
template void streaming_attention(const Problem<BFloat16>&, const AttentionResult<BFloat16>&, Tiles,
                                  std::pmr::memory_resource*);

}  // namespace attest

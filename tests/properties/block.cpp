// Through a whole Transformer block: y = x + O(attention(norm(x))), z = y + ffn(norm(y)).
#include <algorithm>
#include <cmath>

#include "attention/layer_norm.h"
#include "attention/seeded_weights.h"
#include "tests/properties/derive.h"
#include "tests/properties/property.h"

namespace attest::properties {
namespace {

constexpr Index model_width = 6;
constexpr Index hidden_width = 9;
constexpr Index roundings = 64;  // more than any number of this block passes through in double

// The block's weights and everything of the recipe but its tokens.
template <class T>
class StudyBlock {
 public:
  explicit StudyBlock(const Trial<T>& trial) : trial_(trial), weights_(trial.recipe().seed) {
    const Shape& s = trial.shape();
    query_ = weights_.linear(model_width, s.query_heads * s.width);
    key_ = weights_.linear(model_width, s.kv_heads * s.width);
    value_ = weights_.linear(model_width, s.kv_heads * s.value_width);
    output_ = weights_.linear(s.query_heads * s.value_width, model_width);
    ffn_ = {weights_.linear(model_width, hidden_width), weights_.linear(hidden_width, model_width)};
  }

  Matrix tokens() { return weights_.matrix(trial_.shape().keys, model_width, 2); }

  OwnedProblem<T> problem(const Matrix& x) const {
    const Matrix normed = normalise(x, LayerNorm{});
    OwnedProblem<T> p = trial_.problem();
    split(apply(query_, normed), p.q);
    split(apply(key_, normed), p.k);
    split(apply(value_, normed), p.v);
    return p;
  }

  Matrix after_attention(const Matrix& x, const Tensor<T>& attended) const {
    const Extents& e = attended.extents;
    Matrix joined(e[2], e[1] * e[3]);
    for (Index h = 0; h < e[1]; ++h)
      for (Index n = 0; n < e[2]; ++n)
        for (Index c = 0; c < e[3]; ++c) joined(n, h * e[3] + c) = number_at(attended, 0, h, n, c);
    return add(x, apply(output_, joined));
  }

  Matrix after_feed_forward(const Matrix& y) const {
    return add(y, apply(ffn_, normalise(y, LayerNorm{})));
  }

  Matrix run(const Matrix& x) const {
    return after_feed_forward(after_attention(x, trial_.ask(problem(x)).output));
  }

  // How far the block's output moves, at most, when attention's output of one token moves by
  // `moved` (query_heads * value_width entries). `y` is that token after attention.
  std::vector<double> reach(std::span<const double> y, const std::vector<double>& moved) const {
    const std::vector<double> after = through(output_.weight, moved);
    double mean = 0, square = 0, magnitude = 0;
    for (const double v : y) mean += v / model_width;
    for (const double v : y) square += (v - mean) * (v - mean) / model_width;
    for (const double v : y) magnitude = std::max(magnitude, std::abs(v));
    const double rounding = roundings * 0x1p-53 * (1 + magnitude);
    double mean_moved = 0, root = 0;
    for (const double m : after) mean_moved += m / model_width;
    for (const double m : after) root += (m + mean_moved) * (m + mean_moved) / model_width;
    root = std::sqrt(root);
    const double deviation = std::sqrt(square + LayerNorm{}.epsilon);
    const double least = deviation - root;  // the deviation after the move is at least this
    std::vector<double> normed;
    for (std::size_t c = 0; c < after.size(); ++c)
      normed.push_back(least <= 0 ? INFINITY
                                  : (after[c] + mean_moved + rounding +
                                     std::abs(y[c] - mean) / deviation * root) /
                                        least);
    std::vector<double> far = through(ffn_.contract.weight, through(ffn_.expand.weight, normed));
    for (std::size_t c = 0; c < far.size(); ++c) far[c] += after[c] + rounding;
    return far;
  }

 private:
  static std::vector<double> through(const Matrix& weight, const std::vector<double>& moved) {
    std::vector<double> out(static_cast<std::size_t>(weight.columns()), 0);
    for (Index r = 0; r < weight.rows(); ++r)
      for (Index c = 0; c < weight.columns(); ++c)
        out[static_cast<std::size_t>(c)] +=
            std::abs(weight(r, c)) * moved[static_cast<std::size_t>(r)];
    return out;
  }

  static void split(const Matrix& joined, Tensor<T>& heads) {
    const Extents& e = heads.extents;
    for (Index h = 0; h < e[1]; ++h)
      for (Index n = 0; n < e[2]; ++n)
        for (Index c = 0; c < e[3]; ++c)
          at(heads, 0, h, n, c) = narrow<T>(static_cast<Accumulator<T>>(joined(n, h * e[3] + c)));
  }

  const Trial<T>& trial_;
  SeededWeights weights_;
  Linear query_, key_, value_, output_;
  FeedForward ffn_;
};

struct BlockPrefix {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("a token's state after a causal block changed with what comes after it");
    StudyBlock<T> block(trial);
    const Matrix x = block.tokens();
    const Index cut =
        1 + static_cast<Index>(trial.recipe().seed % static_cast<std::uint64_t>(x.rows()));
    Matrix other = x;
    for (Index n = cut; n < x.rows(); ++n)
      for (Index c = 0; c < x.columns(); ++c) other(n, c) = static_cast<double>((n + 2 * c) % 3);
    const Matrix before = block.run(x), after = block.run(other);
    for (Index n = 0; n < cut; ++n)
      for (Index c = 0; c < x.columns(); ++c)
        out.same({Place::Of::output, 0, 0, n, c}, before(n, c), after(n, c));
    return out.verdict();
  }
};

struct BlockPermutation {
  template <class T>
  Verdict operator()(const Trial<T>& trial) const {
    Comparison out("without positions, permuted tokens did not leave a block permuted");
    StudyBlock<T> block(trial);
    const Matrix x = block.tokens();
    const Indices order = shuffled(x.rows(), trial.recipe().seed);
    Matrix permuted(x.rows(), x.columns());
    for (Index n = 0; n < x.rows(); ++n)
      std::ranges::copy(x.row(order[static_cast<std::size_t>(n)]), permuted.row(n).begin());
    const OwnedProblem<T> problem = block.problem(x);
    const Expectation expected = trial.expectation(problem);
    const Matrix y = block.after_attention(x, trial.ask(problem).output);
    const Matrix straight = block.after_feed_forward(y), turned = block.run(permuted);
    for (Index n = 0; n < x.rows(); ++n) {
      const Index from = order[static_cast<std::size_t>(n)];
      const std::vector<double> allowed = block.reach(y.row(from), moved(expected, from));
      for (Index c = 0; c < x.columns(); ++c)
        out.within({Place::Of::output, 0, 0, n, c}, straight(from, c), turned(n, c),
                   allowed[static_cast<std::size_t>(c)]);
    }
    return out.verdict();
  }

 private:
  // Two correct answers differ by at most the sum of their bounds.
  static std::vector<double> moved(const Expectation& expected, Index token) {
    std::vector<double> most;
    for (Index h = 0; h < expected.shape().query_heads; ++h)
      for (const oracle::Expected& e : expected.row(0, h, token).output)
        most.push_back(e.bound.judged ? 2 * e.bound.total() : INFINITY);
    return most;
  }
};

void one_sequence(Recipe& r) {
  r.shape.batch = 1;
  r.shape.queries = r.shape.keys;
  r.alignment = Alignment::square;
  r.lengths = Lengths::full;
  r.values = Values::normal;  // replaced by the block's projections
  r.magnitude = 0;
}

void causal_block(Recipe& r) {
  one_sequence(r);
  r.causal = true;
  if (r.empty_row == EmptyRow::nan) r.empty_row = EmptyRow::zero;
}

void unordered_block(Recipe& r) {
  one_sequence(r);
  without_positions(r);
  r.allow = Allow::none;
  r.bias = Bias::none;
  if (r.shape.keys == 1) r.shape.keys = r.shape.queries = 2;
}

}  // namespace

std::vector<Property> block_properties() {
  return {
      {.id = "block-prefix",
       .law = "After a whole causal block a token's state does not change, bit for bit, with later "
              "tokens.",
       .why = "Projections, residuals, norms and feed-forward act on tokens alone, so a leak "
              "anywhere is attention's; and it is what generation rests on.",
       .catches = "causal-dropped, causal-alignment, causal-granularity",
       .needs = {Feature::causal},
       .domain = causal_block,
       .check = check_by<BlockPrefix>},
      {.id = "block-permutation",
       .law = "Without positions and mask, permuting the tokens permutes what leaves a block.",
       .why = "A block without positions treats its tokens as a set.",
       .catches = "position-offset, tile-tail, mask-wrong-axis",
       .needs = {},
       .domain = unordered_block,
       .check = check_by<BlockPermutation>},
  };
}

}  // namespace attest::properties

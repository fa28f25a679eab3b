#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "attention/problem.h"

namespace attest::oracle_test {

// Draws with own mappings, so that a seed means the same case under every standard library.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  Index between(Index low, Index high) {
    return low + static_cast<Index>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(Index one_in) { return between(1, one_in) == 1; }
  double unit() { return std::ldexp(static_cast<double>(engine_() >> 11), -53); }
  double normal() {  // sum of twelve uniforms: near enough, and never extreme
    double sum = -6;
    for (int n = 0; n < 12; ++n) sum += unit();
    return sum;
  }

 private:
  std::mt19937_64 engine_;
};

enum class Family { integers, normal, wide, tiny, equal_keys, massive, scaled };
constexpr int families = 7;

// The largest finite number of a type.
template <class T>
constexpr double largest_of = static_cast<double>(std::numeric_limits<T>::max());
template <>
inline constexpr double largest_of<Float16> = 65504;
template <>
inline constexpr double largest_of<BFloat16> = 0x1.fep127;

template <class T>
T stored(double x) {
  x = std::clamp(x, -largest_of<T>, largest_of<T>);
  if constexpr (requires { T::from_float(1.0f); })
    return T::from_float(static_cast<float>(x));
  else
    return static_cast<T>(x);
}

// One attention call that owns its elements, expanded from a seed. Every rule of a ProblemSpec is
// drawn, and combined with every other.
template <class T>
class RandomCase {
 public:
  using Acc = Accumulator<T>;

  struct Limits {
    Index heads = 2;  // kv heads, and query heads a kv head
    Index tokens = 6;
    Index width = 5;
    bool rules = true;  // draw visibility and score rules; else all visible, plain scores
  };

  RandomCase(std::uint64_t seed, Limits limits) : draw_(seed) {
    shape_ = {.batch = draw_.between(1, 2), .kv_heads = draw_.between(1, limits.heads)};
    shape_.query_heads = shape_.kv_heads * draw_.between(1, limits.heads);
    shape_.queries = draw_.between(1, limits.tokens);
    shape_.keys = draw_.chance(3) ? shape_.queries : draw_.between(1, limits.tokens);
    shape_.width = draw_.between(1, limits.width);
    shape_.value_width = draw_.between(1, limits.width);
    family_ = static_cast<Family>(draw_.between(0, families - 1));
    draw_magnitudes();
    fill();
    if (limits.rules) draw_rules();
  }
  RandomCase(const RandomCase&) = delete;
  RandomCase& operator=(const RandomCase&) = delete;

  const Shape& shape() const { return shape_; }
  ProblemSpec<T>& spec() { return spec_; }
  const ProblemSpec<T>& spec() const { return spec_; }

 private:
  // Powers of two that reach every corner where a kernel still has an answer: scores up to 2^40 and
  // down to nothing, values from subnormal to near the largest.
  void draw_magnitudes() {
    if (family_ != Family::scaled) return;
    q_exponent_ = static_cast<int>(draw_.between(-80, 30));
    k_exponent_ = static_cast<int>(draw_.between(-80, 40 - std::max(0, q_exponent_)));
    v_exponent_ = static_cast<int>(draw_.between(-150, 120)) * (std::is_same_v<T, double> ? 8 : 1);
  }

  double element(int exponent) {
    switch (family_) {
      case Family::scaled:
        return std::ldexp(draw_.normal(), exponent);
      case Family::integers:
        return static_cast<double>(draw_.between(-3, 3));
      case Family::wide:
        return draw_.normal() * 30;
      case Family::tiny:
        return draw_.normal() * 1e-3;
      case Family::massive:
        return draw_.chance(8) ? draw_.normal() * 100 : draw_.normal();
      default:
        return draw_.normal();
    }
  }

  std::vector<T> elements(Index count, int exponent) {
    std::vector<T> drawn(static_cast<std::size_t>(count));
    for (T& x : drawn) x = stored<T>(element(exponent));
    return drawn;
  }

  void fill() {
    const Shape& s = shape_;
    q_ = elements(s.batch * s.query_heads * s.queries * s.width, q_exponent_);
    k_ = elements(s.batch * s.kv_heads * s.keys * s.width, k_exponent_);
    v_ = elements(s.batch * s.kv_heads * s.keys * s.value_width, v_exponent_);
    if (family_ == Family::equal_keys)
      for (std::size_t n = 0; n < k_.size(); ++n) k_[n] = k_[n % static_cast<std::size_t>(s.width)];
    spec_.q = {q_, {s.batch, s.query_heads, s.queries, s.width}};
    spec_.k = {k_, {s.batch, s.kv_heads, s.keys, s.width}};
    spec_.v = {v_, {s.batch, s.kv_heads, s.keys, s.value_width}};
  }

  Extents broadcast() {
    const Extents full = {shape_.batch, shape_.query_heads, shape_.queries, shape_.keys};
    Extents drawn = full;
    for (Index& extent : drawn)
      if (draw_.chance(2)) extent = 1;
    return drawn;
  }

  void draw_rules() {
    VisibilityRule& rule = spec_.visibility;
    const Index alignment = draw_.between(shape_.queries == shape_.keys ? 0 : 1, 2);
    rule.alignment = static_cast<Alignment>(alignment);
    rule.causal = draw_.chance(2);
    if (draw_.chance(3)) rule.window.left = draw_.between(0, 4);
    if (draw_.chance(3)) rule.window.right = draw_.between(0, 4);
    if (draw_.chance(3)) {
      for (Index b = 0; b < shape_.batch; ++b) lengths_.push_back(draw_.between(0, shape_.keys));
      rule.key_lengths = lengths_;
    }
    if (draw_.chance(3)) {
      const Extents e = broadcast();
      allow_.resize(static_cast<std::size_t>(e[0] * e[1] * e[2] * e[3]));
      for (std::uint8_t& allowed : allow_) allowed = draw_.chance(4) ? 0 : 1;
      rule.allow = TensorView<const std::uint8_t>(allow_, e);
    }
    spec_.head_map = draw_.chance(2) ? HeadMap::blocked : HeadMap::interleaved;
    spec_.empty_row = EmptyRow::zero;
    draw_score_rule();
  }

  void draw_score_rule() {
    ScoreRule<Acc>& rule = spec_.score;
    if (draw_.chance(3)) rule.scale = draw_.normal();
    if (draw_.chance(3)) rule.softcap = 0.5 + 20 * draw_.unit();
    if (draw_.chance(3)) {
      const Extents e = broadcast();
      bias_.resize(static_cast<std::size_t>(e[0] * e[1] * e[2] * e[3]));
      for (Acc& bias : bias_)
        bias = draw_.chance(6) ? -std::numeric_limits<Acc>::infinity()
                               : static_cast<Acc>(2 * draw_.normal());
      rule.bias = TensorView<const Acc>(bias_, e);
    }
    for (Index h = 0; h < shape_.query_heads; ++h) {
      slopes_.push_back(static_cast<Acc>(draw_.unit()));
      sinks_.push_back(static_cast<Acc>(draw_.normal()));
    }
    if (draw_.chance(3)) rule.alibi_slopes = slopes_;
    if (draw_.chance(3)) spec_.sinks = sinks_;
  }

  Draw draw_;
  Shape shape_;
  Family family_ = Family::normal;
  int q_exponent_ = 0, k_exponent_ = 0, v_exponent_ = 0;
  std::vector<T> q_, k_, v_;
  std::vector<Acc> bias_, slopes_, sinks_;
  std::vector<Index> lengths_;
  std::vector<std::uint8_t> allow_;
  ProblemSpec<T> spec_;
};

// Calls visit(b, h, i) for every row of a shape.
template <class Visit>
void for_each_row(const Shape& shape, Visit visit) {
  for (Index b = 0; b < shape.batch; ++b)
    for (Index h = 0; h < shape.query_heads; ++h)
      for (Index i = 0; i < shape.queries; ++i) visit(b, h, i);
}

}  // namespace attest::oracle_test

#include "tests/properties/expand.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/visibility.h"

namespace attest::properties {
namespace {

enum class Part : std::uint64_t { q, k, v, bias, allow, lengths, scale, softcap, alibi, sinks };

// A number for each coordinate of each tensor, by mixing; no stream whose order matters. [Steele14]
class Source {
 public:
  Source(std::uint64_t seed, Part part)
      : state_(mix(seed ^ mix(static_cast<std::uint64_t>(part)))) {}

  std::uint64_t bits(Index b, Index h, Index n, Index c, std::uint64_t salt = 0) const {
    std::uint64_t z = state_;
    for (const Index i : {b, h, n, c}) z = mix(z ^ static_cast<std::uint64_t>(i));
    return mix(z ^ salt);
  }

  static Index between(std::uint64_t bits, Index low, Index high) {
    return low + static_cast<Index>(bits % static_cast<std::uint64_t>(high - low + 1));
  }
  static double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
  // Unit variance from four sums of 16 bits; at most 3.47 away from 0; exact arithmetic only.
  static double normal(std::uint64_t bits) {
    double sum = -2;
    for (int n = 0; n < 4; ++n) sum += static_cast<double>((bits >> (16 * n)) & 0xffff) * 0x1p-16;
    return sum * 1.7320508;
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

struct Format {
  double largest;
  double least_normal;
};
template <class T>
constexpr Format format_of = {static_cast<double>(std::numeric_limits<T>::max()),
                              static_cast<double>(std::numeric_limits<T>::min())};
template <>
inline constexpr Format format_of<Float16> = {65504, 0x1p-14};
template <>
inline constexpr Format format_of<BFloat16> = {0x1.fep127, 0x1p-126};

template <class T>
T stored(double x) {
  x = std::clamp(x, -format_of<T>.largest, format_of<T>.largest);
  return narrow<T>(static_cast<Accumulator<T>>(x));
}

double element(Values values, Part part, std::uint64_t bits) {
  const double normal = Source::normal(bits);
  switch (values) {
    case Values::integers:
      return static_cast<double>(Source::between(bits, -2, 2));
    case Values::tiny:
      return normal * 0x1p-20;
    case Values::huge:
      return part == Part::v ? normal : normal * 64;
    case Values::negative: {
      const auto size = static_cast<double>(Source::between(bits, 1, 3));
      return part == Part::q ? 8 * size : part == Part::k ? -8 * size : normal;
    }
    case Values::massive:
      return bits % 8 == 0 ? normal * 100 : normal;
    case Values::ties:
      return part == Part::v ? normal : static_cast<double>(Source::between(bits, -1, 1));
    default:
      return normal;
  }
}

// Values of the largest and smallest sizes: v alone, so that scores stay ordinary.
template <class T>
double extreme_value(Values values, double normal, Index keys) {
  if (values == Values::subnormal) return normal * format_of<T>.least_normal * 0x1p-4;
  const bool narrow_storage = sizeof(T) == 2;
  const double room = narrow_storage ? 0.5 : 0.03 / static_cast<double>(keys);
  return normal / 3.5 * format_of<T>.largest * room;
}

template <class T>
class Expansion {
 public:
  using Acc = Accumulator<T>;

  explicit Expansion(const Recipe& recipe) : recipe_(recipe), shape_(recipe.shape) {}

  OwnedProblem<T> problem() const {
    const Shape& s = shape_;
    OwnedProblem<T> p;
    p.q = tensor(Part::q, {s.batch, s.query_heads, s.queries, s.width});
    p.k = tensor(Part::k, {s.batch, s.kv_heads, s.keys, s.width});
    p.v = tensor(Part::v, {s.batch, s.kv_heads, s.keys, s.value_width});
    p.causal = recipe_.causal;
    p.alignment = recipe_.alignment;
    p.window = recipe_.window;
    p.head_map = recipe_.head_map;
    p.empty_row = recipe_.empty_row;
    p.key_lengths = lengths();
    if (recipe_.allow != Allow::none) p.allow = allow();
    if (recipe_.bias != Bias::none) p.bias = bias();
    score_rule(p);
    return p;
  }

 private:
  bool whole() const { return recipe_.values == Values::integers; }

  Tensor<T> tensor(Part part, const Extents& e) const {
    const Source source(recipe_.seed, part);
    Tensor<T> t(e);
    std::size_t place = 0;
    for (Index b = 0; b < e[0]; ++b)
      for (Index h = 0; h < e[1]; ++h)
        for (Index n = 0; n < e[2]; ++n)
          for (Index c = 0; c < e[3]; ++c)
            t.elements[place++] = stored<T>(number(source, part, b, h, n, c, e[3]));
    return t;
  }

  double number(const Source& source, Part part, Index b, Index h, Index n, Index c,
                Index width) const {
    const Values values = recipe_.values;
    const Index row = values == Values::equal_keys && part == Part::k ? 0 : n;
    const std::uint64_t bits = source.bits(b, h, row, c);
    double x = element(values, part, bits);
    if (values == Values::one_hot)
      x = Source::between(source.bits(b, h, n, 0, 1), 0, width - 1) == c ? 1 : 0;
    if (part == Part::v && (values == Values::large_values || values == Values::subnormal))
      x = extreme_value<T>(values, Source::normal(bits), shape_.keys);
    return part == Part::q ? std::ldexp(x, recipe_.magnitude) : x;
  }

  std::vector<Index> lengths() const {
    std::vector<Index> lengths;
    if (recipe_.lengths == Lengths::full) return lengths;
    const Source source(recipe_.seed, Part::lengths);
    const Index least = recipe_.lengths == Lengths::ragged ? 0 : 1;
    for (Index b = 0; b < shape_.batch; ++b)
      lengths.push_back(Source::between(source.bits(b, 0, 0, 0), least, shape_.keys));
    return lengths;
  }

  Extents extents_of(const Broadcast& axes) const {
    return {axes.batch ? 1 : shape_.batch, axes.heads ? 1 : shape_.query_heads,
            axes.queries ? 1 : shape_.queries, axes.keys ? 1 : shape_.keys};
  }

  template <class Entry, class Draw>
  Tensor<Entry> pairs(Part part, const Broadcast& axes, Draw draw) const {
    const Source source(recipe_.seed, part);
    const Extents e = extents_of(axes);
    Tensor<Entry> t(e);
    std::size_t place = 0;
    for (Index b = 0; b < e[0]; ++b)
      for (Index h = 0; h < e[1]; ++h)
        for (Index i = 0; i < e[2]; ++i) {
          const Index chosen = Source::between(source.bits(b, h, i, 0, 1), 0, shape_.keys - 1);
          for (Index j = 0; j < e[3]; ++j)
            t.elements[place++] = draw(source.bits(b, h, i, j), j, chosen);
        }
    return t;
  }

  Tensor<std::uint8_t> allow() const {
    return pairs<std::uint8_t>(Part::allow, recipe_.allow_broadcast,
                               [&](std::uint64_t bits, Index j, Index chosen) -> std::uint8_t {
                                 switch (recipe_.allow) {
                                   case Allow::dense:
                                     return bits % 8 != 0;
                                   case Allow::sparse:
                                     return bits % 8 == 0;
                                   case Allow::single:
                                     return recipe_.allow_broadcast.keys || j == chosen;
                                   default:
                                     return bits % 2;
                                 }
                               });
  }

  Tensor<Acc> bias() const {
    return pairs<Acc>(Part::bias, recipe_.bias_broadcast, [&](std::uint64_t bits, Index, Index) {
      if (recipe_.bias == Bias::holes && bits % 4 == 0)
        return -std::numeric_limits<Acc>::infinity();
      bits >>= 2;
      return static_cast<Acc>(whole() ? static_cast<double>(Source::between(bits, -2, 2))
                                      : 2 * Source::normal(bits << 2));
    });
  }

  void score_rule(OwnedProblem<T>& p) const {
    const auto bits = [&](Part part, Index h) {
      return Source(recipe_.seed, part).bits(0, h, 0, 0);
    };
    if (recipe_.given_scale) {
      constexpr std::array whole_scales = {1.0, 2.0, 0.5, -0.5};
      const std::uint64_t drawn = bits(Part::scale, 0);
      p.scale = whole() ? whole_scales[drawn % 4] : Source::normal(drawn);
    }
    if (recipe_.softcap) {
      const std::uint64_t drawn = bits(Part::softcap, 0);
      p.softcap = whole() ? static_cast<double>(Source::between(drawn, 1, 4))
                          : 0.5 + 20 * Source::unit(drawn);
    }
    for (Index h = 0; h < shape_.query_heads; ++h) {
      const std::uint64_t slope = bits(Part::alibi, h);
      if (recipe_.alibi)
        p.alibi_slopes.push_back(static_cast<Acc>(
            whole() ? std::ldexp(1.0, -static_cast<int>(slope % 4)) : Source::unit(slope)));
      const std::uint64_t sink = bits(Part::sinks, h);
      if (recipe_.sinks)
        p.sinks.push_back(static_cast<Acc>(whole()
                                               ? static_cast<double>(Source::between(sink, -2, 2))
                                               : 2 * Source::normal(sink)));
    }
  }

  const Recipe& recipe_;
  const Shape& shape_;
};

// Visibility does not depend on the element type, so any stands for all.
bool has_empty_row(const Recipe& recipe) {
  if (recipe.sinks) return false;
  const OwnedProblem<float> p = expand<float>(recipe);
  const ProblemSpec<float> spec = p.spec();
  const Visibility visible(recipe.shape, spec.visibility);
  const Shape& s = recipe.shape;
  const auto hidden_by_bias = [&](Index b, Index h, Index i, Index j) {
    if (!p.bias) return false;
    const Extents& e = p.bias->extents;
    return (*spec.score.bias)(e[0] == 1 ? 0 : b, e[1] == 1 ? 0 : h, e[2] == 1 ? 0 : i,
                              e[3] == 1 ? 0 : j) == -std::numeric_limits<float>::infinity();
  };
  for (Index b = 0; b < s.batch; ++b)
    for (Index h = 0; h < s.query_heads; ++h)
      for (Index i = 0; i < s.queries; ++i) {
        bool seen = false;
        for (Index j = 0; j < s.keys && !seen; ++j)
          seen = visible(b, h, i, j) && !hidden_by_bias(b, h, i, j);
        if (!seen) return true;
      }
  return false;
}

}  // namespace

template <class T>
OwnedProblem<T> expand(const Recipe& recipe) {
  return Expansion<T>(recipe).problem();
}

void settle(Recipe& r) {
  if (r.empty_row != EmptyRow::error || !r.hides()) return;
  const auto still = [&] { return has_empty_row(r); };
  if (r.bias == Bias::holes && still()) r.bias = Bias::normal;
  if (r.allow != Allow::none && still()) {
    r.allow = Allow::none;
    r.allow_broadcast = {};
  }
  if (r.lengths != Lengths::full && still()) r.lengths = Lengths::full;
  if (r.window.limited() && still()) r.window = {};
  if (r.causal && still()) r.causal = false;
}

template OwnedProblem<float> expand<float>(const Recipe&);
template OwnedProblem<double> expand<double>(const Recipe&);
template OwnedProblem<Float16> expand<Float16>(const Recipe&);
template OwnedProblem<BFloat16> expand<BFloat16>(const Recipe&);

}  // namespace attest::properties

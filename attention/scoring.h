#pragma once

#include <cmath>
#include <limits>

#include "attention/score_rule.h"
#include "attention/visibility.h"

namespace attest {

// A rule bound to its shape; each step is one function so that it can be shown and tested alone.
template <class Acc>
class Scoring {
 public:
  Scoring(const Shape& shape, const ScoreRule<Acc>& rule, const Visibility& visibility)
      : rule_(rule),
        visibility_(visibility),
        scale_(static_cast<Acc>(rule.scale ? *rule.scale
                                           : 1.0 / std::sqrt(static_cast<double>(shape.width)))) {}

  Acc scaled(Acc dot) const { return dot * scale_; }

  Acc capped(Acc score) const {
    if (!rule_.softcap) return score;
    const Acc cap = static_cast<Acc>(*rule_.softcap);
    return cap * std::tanh(score / cap);
  }

  Acc biased(Acc score, Index b, Index h, Index i, Index j) const {
    return rule_.bias ? score + bias(b, h, i, j) : score;
  }

  Acc sloped(Acc score, Index b, Index h, Index i, Index j) const {
    if (rule_.alibi_slopes.empty()) return score;
    const Index distance = std::abs(j - visibility_.diagonal(b, i));
    return score - rule_.alibi_slopes[static_cast<std::size_t>(h)] * static_cast<Acc>(distance);
  }

  // From q . k to the number that enters the softmax.
  Acc operator()(Acc dot, Index b, Index h, Index i, Index j) const {
    return sloped(biased(capped(scaled(dot)), b, h, i, j), b, h, i, j);
  }

  // Is the pair hidden by a bias of -infinity?
  bool hidden(Index b, Index h, Index i, Index j) const {
    return rule_.bias && bias(b, h, i, j) == -std::numeric_limits<Acc>::infinity();
  }

  Acc scale() const { return scale_; }

 private:
  Acc bias(Index b, Index h, Index i, Index j) const {
    const Extents& e = rule_.bias->extents();
    return (*rule_.bias)(e[0] == 1 ? 0 : b, e[1] == 1 ? 0 : h, e[2] == 1 ? 0 : i,
                         e[3] == 1 ? 0 : j);
  }

  const ScoreRule<Acc>& rule_;
  const Visibility& visibility_;
  Acc scale_;
};

}  // namespace attest

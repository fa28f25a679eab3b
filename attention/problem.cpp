#include "attention/problem.h"

#include <cmath>
#include <limits>
#include <string>

#include "attention/scoring.h"

namespace attest {
namespace {

template <class T>
Shape shape_of(const ProblemSpec<T>& spec) {
  const auto given = [](const TensorView<const T>& view, const char* name) {
    if (view.empty()) throw InputError(name, "no tensor", "a tensor of rank 4");
  };
  given(spec.q, "q");
  given(spec.k, "k");
  given(spec.v, "v");
  const Extents& q = spec.q.extents();
  const Extents& k = spec.k.extents();
  const Extents& v = spec.v.extents();
  const auto agree = [](const char* field, Index got, const char* with, Index expected) {
    if (got != expected)
      throw InputError(field, std::to_string(got), std::to_string(expected) + ", as in " + with);
  };
  agree("k batch", k[0], "q (no batch is broadcast)", q[0]);
  agree("v batch", v[0], "q (no batch is broadcast)", q[0]);
  agree("k width", k[3], "q", q[3]);
  agree("v kv_heads", v[1], "k", k[1]);
  agree("v keys", v[2], "k (each key has one value)", k[2]);
  const Shape shape{.batch = q[0],
                    .query_heads = q[1],
                    .kv_heads = k[1],
                    .queries = q[2],
                    .keys = k[2],
                    .width = q[3],
                    .value_width = v[3]};
  validate(shape);
  return shape;
}

// Calls visit(b, h, n, c, element) for every element in order.
template <class T, class Visit>
void for_each_element(const TensorView<const T>& view, Visit visit) {
  const Extents& e = view.extents();
  for (Index b = 0; b < e[0]; ++b)
    for (Index h = 0; h < e[1]; ++h)
      for (Index n = 0; n < e[2]; ++n)
        for (Index c = 0; c < e[3]; ++c) visit(b, h, n, c, view(b, h, n, c));
}

template <class T>
void check_finite(const char* name, const TensorView<const T>& view) {
  for_each_element(view, [&](Index b, Index h, Index n, Index c, T element) {
    if (!std::isfinite(widen(element)))
      throw InputError(name + to_string(Extents{b, h, n, c}), std::to_string(widen(element)),
                       "a finite number");
  });
}

void check_option(const char* field, double value, bool accepted, const char* what) {
  if (!accepted) throw InputError(field, std::to_string(value), what);
}

template <class Acc>
void check_per_head(const char* field, const Shape& shape, std::span<const Acc> values) {
  if (values.empty()) return;
  if (std::ssize(values) != shape.query_heads)
    throw InputError(field, std::to_string(values.size()) + " values",
                     "one per query head, " + std::to_string(shape.query_heads));
  for (std::size_t h = 0; h < values.size(); ++h)
    if (!std::isfinite(values[h]))
      throw InputError(std::string(field) + "[" + std::to_string(h) + "]",
                       std::to_string(values[h]), "a finite number");
}

template <class Acc>
void check_bias(const Shape& shape, const TensorView<const Acc>& bias) {
  const Extents full = {shape.batch, shape.query_heads, shape.queries, shape.keys};
  for (std::size_t axis = 0; axis < 4; ++axis)
    if (bias.extents()[axis] != full[axis] && bias.extents()[axis] != 1)
      throw InputError("bias", "shape " + to_string(bias.extents()),
                       "(batch, query_heads, queries, keys) = " + to_string(full) +
                           ", with 1 for an axis that is broadcast");
  for_each_element(bias, [](Index b, Index h, Index i, Index j, Acc value) {
    if (std::isnan(value) || value == std::numeric_limits<Acc>::infinity())
      throw InputError("bias" + to_string(Extents{b, h, i, j}), std::to_string(value),
                       "a finite number, or -infinity to hide the pair");
  });
}

template <class Acc>
void check_score_rule(const Shape& shape, const ScoreRule<Acc>& rule, Alignment alignment) {
  if (rule.scale)
    check_option("scale", *rule.scale, std::isfinite(static_cast<Acc>(*rule.scale)),
                 "a finite number");
  if (rule.softcap)
    check_option(
        "softcap", *rule.softcap,
        std::isfinite(static_cast<Acc>(*rule.softcap)) && static_cast<Acc>(*rule.softcap) > 0,
        "a finite number above 0");
  if (rule.bias) check_bias(shape, *rule.bias);
  check_per_head("alibi_slopes", shape, rule.alibi_slopes);
  if (!rule.alibi_slopes.empty()) require_diagonal(shape, alignment, "alibi_slopes");
}

template <class T>
void check_no_empty_row(const Shape& s, const ProblemSpec<T>& spec, const Visibility& visibility) {
  const Scoring scoring(s, spec.score, visibility);
  for (Index b = 0; b < s.batch; ++b)
    for (Index h = 0; h < s.query_heads; ++h)
      for (Index i = 0; i < s.queries; ++i) {
        Index j = 0;
        while (j < s.keys && !(visibility(b, h, i, j) && !scoring.hidden(b, h, i, j))) ++j;
        if (j == s.keys)
          throw InputError("visibility",
                           "no visible key for query " + std::to_string(i) + " of batch " +
                               std::to_string(b) + ", head " + std::to_string(h),
                           "a visible key in every row, or empty_row = zero or nan");
      }
}

}  // namespace

template <class T>
Problem<T>::Problem(const ProblemSpec<T>& spec, Contents contents)
    : spec_(spec), shape_(shape_of(spec)), visibility_(shape_, spec.visibility) {
  check_score_rule(shape_, spec.score, spec.visibility.alignment);
  check_per_head("sinks", shape_, spec.sinks);
  if (contents == Contents::finite) {
    check_finite("q", spec.q);
    check_finite("k", spec.k);
    check_finite("v", spec.v);
  }
  if (spec.empty_row == EmptyRow::error && spec.sinks.empty())
    check_no_empty_row(shape_, spec_, visibility_);
}

template class Problem<float>;
template class Problem<double>;
template class Problem<Float16>;
template class Problem<BFloat16>;

}  // namespace attest

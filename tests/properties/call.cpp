#include "tests/properties/call.h"

#include <cstring>
#include <exception>
#include <limits>

namespace attest::properties {
namespace {

constexpr Index guard = 8;  // elements on both sides
constexpr Index gap = 3;    // elements after each row of a padded tensor

struct Place4 {
  Strides strides;
  Index elements;  // guards included
  Index offset;
};

Place4 place_of(const Extents& e, Layout layout) {
  const Index b = e[0], h = e[1], n = e[2], w = e[3];
  Place4 p{row_major(e), b * h * n * w, 0};
  switch (layout) {
    case Layout::row_major:
      break;
    case Layout::tokens_first:
      p.strides = {n * h * w, w, h * w, 1};
      break;
    case Layout::padded:
      p.strides = {h * n * (w + gap), n * (w + gap), w + gap, 1};
      p.elements = b * h * n * (w + gap);
      break;
    case Layout::transposed:
      p.strides = {h * w * n, w * n, 1, n};
      break;
    case Layout::reversed:
      p.strides = {h * n * w, n * w, -w, 1};
      p.offset = (n - 1) * w;
      break;
  }
  p.offset += guard;
  p.elements += 2 * guard;
  return p;
}

// A tensor laid out for a call.
template <class T>
class Laid {
 public:
  Laid(const Extents& extents, Layout layout, T fill)
      : extents_(extents),
        place_(place_of(extents, layout)),
        storage_(static_cast<std::size_t>(place_.elements), fill) {}

  Laid(const Tensor<T>& tensor, Layout layout, T fill) : Laid(tensor.extents, layout, fill) {
    std::size_t next = 0;
    each([&](T& x) { x = tensor.elements[next++]; });
    before_ = storage_;
  }

  TensorView<T> view() { return {std::span<T>(storage_), extents_, place_.strides, place_.offset}; }

  Tensor<T> row_major() {
    Tensor<T> tensor(extents_);
    std::size_t next = 0;
    each([&](T& x) { tensor.elements[next++] = x; });
    return tensor;
  }

  bool changed() const { return differ(storage_, before_); }

  // Is anything written beside the elements? `fill` is what the storage held.
  bool written_outside(T fill) {
    std::vector<T> expected(storage_.size(), fill);
    const TensorView<T> mine = view();
    const TensorView<T> other(std::span<T>(expected), extents_, place_.strides, place_.offset);
    for (Index b = 0; b < extents_[0]; ++b)
      for (Index h = 0; h < extents_[1]; ++h)
        for (Index n = 0; n < extents_[2]; ++n)
          for (Index c = 0; c < extents_[3]; ++c) other(b, h, n, c) = mine(b, h, n, c);
    return differ(storage_, expected);
  }

 private:
  template <class Visit>
  void each(Visit visit) {
    const TensorView<T> v = view();
    for (Index b = 0; b < extents_[0]; ++b)
      for (Index h = 0; h < extents_[1]; ++h)
        for (Index n = 0; n < extents_[2]; ++n)
          for (Index c = 0; c < extents_[3]; ++c) visit(v(b, h, n, c));
  }

  static bool differ(const std::vector<T>& a, const std::vector<T>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) != 0;
  }

  Extents extents_;
  Place4 place_;
  std::vector<T> storage_, before_;
};

template <class T>
T nan_of() {
  return narrow<T>(std::numeric_limits<Accumulator<T>>::quiet_NaN());
}

template <class T>
class Call {
 public:
  using Acc = Accumulator<T>;

  Call(const OwnedProblem<T>& p, const Manner& manner)
      : manner_(manner),
        q_(p.q, manner.layout, nan_of<T>()),
        k_(p.k, manner.layout, nan_of<T>()),
        v_(p.v, manner.layout, nan_of<T>()) {
    spec_ = p.spec();
    spec_.q = q_.view();
    spec_.k = k_.view();
    spec_.v = v_.view();
    if (p.allow) {
      allow_.emplace(*p.allow, manner.layout, std::uint8_t{1});
      spec_.visibility.allow = allow_->view();
    }
    if (p.bias) {
      bias_.emplace(*p.bias, manner.layout, nan_of<Acc>());
      spec_.score.bias = bias_->view();
    }
  }

  Answer<T> ask(Candidate& candidate) {
    const Problem<T> problem(spec_, manner_.contents);
    const Shape& s = problem.shape();
    const Features features = candidate.declaration().features;
    Answer<T> a;
    a.has_lse = manner_.lse && features.contains(Feature::lse);
    a.has_weights = manner_.weights && features.contains(Feature::weights);
    const T fill = manner_.prefill_nan ? nan_of<T>() : narrow<T>(Acc{1.5});
    const Acc acc_fill = manner_.prefill_nan ? nan_of<Acc>() : Acc{1.5};
    Laid<T> output({s.batch, s.query_heads, s.queries, s.value_width}, manner_.layout, fill);
    Laid<Acc> lse({s.batch, s.query_heads, s.queries, 1}, manner_.layout, acc_fill);
    Laid<Acc> weights({s.batch, s.query_heads, s.queries, a.has_weights ? s.keys : 1},
                      manner_.layout, acc_fill);
    AttentionResult<T> result{.output = output.view()};
    if (a.has_lse) result.lse = lse.view();
    if (a.has_weights) result.weights = weights.view();
    try {
      a.status = candidate.forward(problem, result, manner_.tiles);
    } catch (const std::exception& error) {
      a.status = {Status::Kind::failed, std::string("an exception: ") + error.what()};
    }
    a.output = output.row_major();
    a.lse = lse.row_major();
    a.weights = weights.row_major();
    a.inputs_changed = q_.changed() || k_.changed() || v_.changed() ||
                       (allow_ && allow_->changed()) || (bias_ && bias_->changed());
    a.outside_written = output.written_outside(fill) || lse.written_outside(acc_fill) ||
                        weights.written_outside(acc_fill);
    return a;
  }

 private:
  Manner manner_;
  Laid<T> q_, k_, v_;
  std::optional<Laid<std::uint8_t>> allow_;
  std::optional<Laid<Acc>> bias_;
  ProblemSpec<T> spec_;
};

}  // namespace

template <class T>
Answer<T> call(Candidate& candidate, const OwnedProblem<T>& problem, const Manner& manner) {
  return Call<T>(problem, manner).ask(candidate);
}

template Answer<float> call(Candidate&, const OwnedProblem<float>&, const Manner&);
template Answer<double> call(Candidate&, const OwnedProblem<double>&, const Manner&);
template Answer<Float16> call(Candidate&, const OwnedProblem<Float16>&, const Manner&);
template Answer<BFloat16> call(Candidate&, const OwnedProblem<BFloat16>&, const Manner&);

}  // namespace attest::properties

#pragma once

#include <utility>
#include <vector>

#include "oracle/judge.h"
#include "tests/properties/call.h"
#include "tests/properties/expand.h"
#include "tests/properties/verdict.h"

namespace attest::properties {

// Ends a trial early: the implementation does not take the case, broke on it, or there is no truth
// to compare with.
struct Ended {
  Verdict verdict;
};

// What a correct answer to a whole problem is. Rows in order of (batch, head, query).
class Expectation {
 public:
  Expectation(const Shape& shape, std::vector<oracle::ExpectedRow> rows)
      : shape_(shape), rows_(std::move(rows)) {}

  const Shape& shape() const { return shape_; }
  const oracle::ExpectedRow& row(Index b, Index h, Index i) const {
    return rows_[static_cast<std::size_t>((b * shape_.query_heads + h) * shape_.queries + i)];
  }
  const oracle::Expected& output(Index b, Index h, Index i, Index c) const {
    return row(b, h, i).output[static_cast<std::size_t>(c)];
  }
  // The weight of key j; absent where it is hidden.
  const oracle::Expected* weight(Index b, Index h, Index i, Index j) const;

 private:
  Shape shape_;
  std::vector<oracle::ExpectedRow> rows_;
};

// One case in the hands of a property: the problem a recipe expands to, and the implementation.
template <class T>
class Trial {
 public:
  using Acc = Accumulator<T>;

  Trial(Candidate& candidate, const Recipe& recipe)
      : candidate_(candidate), recipe_(recipe), problem_(expand<T>(recipe)) {}

  const Recipe& recipe() const { return recipe_; }
  const Shape& shape() const { return recipe_.shape; }
  const OwnedProblem<T>& problem() const { return problem_; }
  Features features() const { return candidate_.declaration().features; }
  const Declaration& declaration() const { return candidate_.declaration(); }

  // In the recipe's layout and tiles.
  Manner manner() const { return {.layout = recipe_.layout, .tiles = recipe_.tiles}; }

  // Throws Ended unless the call was done.
  Answer<T> ask(const OwnedProblem<T>& problem, const Manner& manner) const {
    Answer<T> answer = call(candidate_, problem, manner);
    if (answer.status.kind == Status::Kind::unsupported)
      throw Ended{{.kind = Verdict::Kind::unsupported, .reason = answer.status.reason}};
    if (answer.status.kind == Status::Kind::failed)
      throw Ended{
          {.kind = Verdict::Kind::fail,
           .finding = Finding{
               .what = "the call failed", .expected = "a result", .got = answer.status.reason}}};
    return answer;
  }
  Answer<T> ask(const OwnedProblem<T>& problem) const { return ask(problem, manner()); }
  Answer<T> ask() const { return ask(problem_); }

  // Throws Ended (unjudged) where the oracle has no true result.
  Expectation expectation(const OwnedProblem<T>& problem) const {
    return expectation(problem, recipe_.tiles);
  }
  Expectation expectation(const OwnedProblem<T>& problem, Tiles tiles) const;
  Expectation expectation() const { return expectation(problem_); }

 private:
  Candidate& candidate_;
  const Recipe& recipe_;
  OwnedProblem<T> problem_;
};

extern template class Trial<float>;
extern template class Trial<double>;
extern template class Trial<Float16>;
extern template class Trial<BFloat16>;

// The shape a problem's tensors have.
template <class T>
Shape shape_of(const OwnedProblem<T>& p) {
  return {.batch = p.q.extents[0],
          .query_heads = p.q.extents[1],
          .kv_heads = p.k.extents[1],
          .queries = p.q.extents[2],
          .keys = p.k.extents[2],
          .width = p.q.extents[3],
          .value_width = p.v.extents[3]};
}

template <class T>
T& at(Tensor<T>& t, Index b, Index h, Index n, Index c) {
  const Extents& e = t.extents;
  return t.elements[static_cast<std::size_t>(((b * e[1] + h) * e[2] + n) * e[3] + c)];
}
template <class T>
const T& at(const Tensor<T>& t, Index b, Index h, Index n, Index c) {
  return at(const_cast<Tensor<T>&>(t), b, h, n, c);
}

template <class T>
double number_at(const Tensor<T>& t, Index b, Index h, Index n, Index c) {
  return static_cast<double>(widen(at(t, b, h, n, c)));
}

// Calls visit(b, h, i) for every query.
template <class Visit>
void for_each_query(const Shape& s, Visit visit) {
  for (Index b = 0; b < s.batch; ++b)
    for (Index h = 0; h < s.query_heads; ++h)
      for (Index i = 0; i < s.queries; ++i) visit(b, h, i);
}

// Output (and LSE, where given) against what is expected, number by number.
template <class T>
void compare_output(Comparison& out, const Answer<T>& answer, const Expectation& expected) {
  for_each_query(expected.shape(), [&](Index b, Index h, Index i) {
    for (Index c = 0; c < expected.shape().value_width; ++c) {
      const oracle::Expected& truth = expected.output(b, h, i, c);
      const double got = number_at(answer.output, b, h, i, c);
      out.ratio({Place::Of::output, b, h, i, c}, truth.ratio(got), truth.nearest, got);
    }
  });
}

template <class T>
void compare_lse(Comparison& out, const Answer<T>& answer, const Expectation& expected) {
  for_each_query(expected.shape(), [&](Index b, Index h, Index i) {
    const oracle::Expected& truth = expected.row(b, h, i).lse;
    const double got = number_at(answer.lse, b, h, i, 0);
    out.ratio({Place::Of::lse, b, h, i, 0}, truth.ratio(got), truth.nearest, got);
  });
}

// Two answers to problems of the same truth: each may lie its bound away from it.
template <class T>
void compare_answers(Comparison& out, const Answer<T>& reference, const Answer<T>& answer,
                     const Expectation& expected) {
  const auto compare = [&](const Place& place, const oracle::Expected& truth, double a, double b) {
    if (!truth.bound.judged) return out.unjudged();
    out.within(place, a, b, 2 * truth.bound.total());
  };
  for_each_query(expected.shape(), [&](Index b, Index h, Index i) {
    for (Index c = 0; c < expected.shape().value_width; ++c)
      compare({Place::Of::output, b, h, i, c}, expected.output(b, h, i, c),
              number_at(reference.output, b, h, i, c), number_at(answer.output, b, h, i, c));
    if (reference.has_lse && answer.has_lse)
      compare({Place::Of::lse, b, h, i, 0}, expected.row(b, h, i).lse,
              number_at(reference.lse, b, h, i, 0), number_at(answer.lse, b, h, i, 0));
  });
}

// The same elements, bit for bit.
template <class T>
void compare_bits(Comparison& out, Place::Of of, const Tensor<T>& expected, const Tensor<T>& got) {
  const Extents& e = expected.extents;
  for (Index b = 0; b < e[0]; ++b)
    for (Index h = 0; h < e[1]; ++h)
      for (Index n = 0; n < e[2]; ++n)
        for (Index c = 0; c < e[3]; ++c)
          out.same({of, b, h, n, c}, number_at(expected, b, h, n, c), number_at(got, b, h, n, c));
}

}  // namespace attest::properties

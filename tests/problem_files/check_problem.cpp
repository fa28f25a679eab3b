#include "tests/problem_files/check_problem.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "oracle/exact_attention.h"
#include "oracle/judge.h"
#include "tests/properties/call.h"
#include "tests/properties/trial.h"

namespace attest::problem_files {
namespace {

using oracle::Expected;
using properties::Answer;
using properties::for_each_query;
using properties::Place;

void add(Agreement& agreement, const Place& place, const Expected& truth, double got,
         std::optional<double> ratio) {
  ++agreement.numbers;
  if (!ratio) {
    ++agreement.unjudged;
    return;
  }
  if (*ratio < agreement.worst || (*ratio == 0 && agreement.place)) return;
  agreement.worst = *ratio;
  agreement.place = place;
  agreement.truth = truth.nearest;
  agreement.got = got;
}

// By the file's tolerance, or by the bound where it states none.
std::optional<double> ratio_in(const ExpectedResult& stated, const Expected& truth, double got) {
  if (stated.absolute == 0 && stated.relative == 0) return truth.ratio(got);
  if (std::isnan(truth.nearest) || std::isinf(truth.nearest))
    return truth.nearest == got || (std::isnan(truth.nearest) && std::isnan(got))
               ? 0
               : std::numeric_limits<double>::infinity();
  const double ratio = truth.distance(got) / (stated.absolute + stated.relative * std::abs(got));
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

void require_shape(const char* what, const Tensor<double>& t, const Extents& wanted) {
  if (t.extents != wanted) throw InputError(what, to_string(t.extents), to_string(wanted));
}

// Numbers by their place, from wherever they come.
using NumberAt = std::function<double(Index b, Index h, Index i, Index c)>;

template <class T>
class Truth {
 public:
  Truth(const OwnedProblem<T>& problem, const oracle::Arithmetic& arithmetic)
      : shape_(properties::shape_of(problem)), judge_(problem.spec(), arithmetic) {
    for_each_query(shape_,
                   [&](Index b, Index h, Index i) { rows_.push_back(judge_.row(b, h, i)); });
  }

  const Shape& shape() const { return shape_; }

  template <class Ratio>
  Agreement compare(const std::string& what, Place::Of of, const NumberAt& got, Ratio ratio) const {
    Agreement agreement{.what = what};
    std::size_t next = 0;
    for_each_query(shape_, [&](Index b, Index h, Index i) {
      const oracle::ExpectedRow& row = rows_[next++];
      const auto visit = [&](Index c, const Expected& truth) {
        const double x = got(b, h, i, c);
        add(agreement, {of, b, h, i, c}, truth, x, ratio(truth, x));
      };
      if (of == Place::Of::lse) visit(0, row.lse);
      if (of == Place::Of::output)
        for (Index c = 0; c < shape_.value_width; ++c)
          visit(c, row.output[static_cast<std::size_t>(c)]);
      if (of == Place::Of::weights)
        for (Index j = 0; j < shape_.keys; ++j) visit(j, weight(row, j));
    });
    return agreement;
  }

 private:
  static Expected weight(const oracle::ExpectedRow& row, Index j) {
    const auto found = std::lower_bound(row.keys.begin(), row.keys.end(), j);
    if (found == row.keys.end() || *found != j) {  // hidden: exactly 0, or what an empty row gives
      Expected hidden;
      if (row.keys.empty() && std::isnan(row.output.front().nearest))
        hidden.nearest = std::numeric_limits<double>::quiet_NaN();
      return hidden;
    }
    return row.weights[static_cast<std::size_t>(found - row.keys.begin())];
  }

  Shape shape_;
  oracle::Judge<T> judge_;
  std::vector<oracle::ExpectedRow> rows_;
};

template <class T>
NumberAt reading(const Tensor<T>& t) {
  return [&t](Index b, Index h, Index i, Index c) { return properties::number_at(t, b, h, i, c); };
}

// Scores as some operators give them out: of a problem from which the mask is taken.
template <class T>
Agreement check_scores(const OwnedProblem<T>& problem, const ExpectedResult& stated) {
  const ExpectedScores& expected = *stated.scores;
  OwnedProblem<T> all = problem;
  all.allow.reset();
  all.causal = false;
  all.window = {};
  all.key_lengths.clear();
  all.sinks.clear();
  if (!expected.masked) all.bias.reset();
  if (!expected.capped) all.softcap.reset();
  const oracle::ExactAttention<T> exact(all.spec()), hidden(problem.spec());
  Agreement agreement{.what = "expected scores"};
  for_each_query(properties::shape_of(problem), [&](Index b, Index h, Index i) {
    const oracle::ExactRow row = exact.row(b, h, i);
    const std::vector<Index> visible = hidden.row(b, h, i).keys;
    for (Index j = 0; j < expected.scores.extents[3]; ++j) {
      const auto at = std::lower_bound(row.keys.begin(), row.keys.end(), j);
      const bool seen = !expected.masked || std::binary_search(visible.begin(), visible.end(), j);
      Expected truth;
      truth.nearest = -std::numeric_limits<double>::infinity();
      if (seen && at != row.keys.end() && *at == j)
        truth.nearest =
            static_cast<double>(row.scores[static_cast<std::size_t>(at - row.keys.begin())]);
      const double got = properties::number_at(expected.scores, b, h, i, j);
      add(agreement, {Place::Of::weights, b, h, i, j}, truth, got, ratio_in(stated, truth, got));
    }
  });
  return agreement;
}

}  // namespace

std::vector<Agreement> check_expected(const ProblemFile& file) {
  return std::visit(
      [&]<class T>(const OwnedProblem<T>& p) {
        const Problem<T> valid(p.spec(), Contents::unchecked);  // hidden slots may hold anything
        const Truth<T> truth(p, oracle::explicit_arithmetic<T>());
        const Shape& s = truth.shape();
        const ExpectedResult& e = file.expected;
        const auto ratio = [&](const Expected& x, double got) { return ratio_in(e, x, got); };
        std::vector<Agreement> agreements;
        if (e.output) {
          require_shape("expected.output", *e.output,
                        {s.batch, s.query_heads, s.queries, s.value_width});
          agreements.push_back(
              truth.compare("expected output", Place::Of::output, reading(*e.output), ratio));
        }
        if (e.lse) {
          require_shape("expected.lse", *e.lse, {s.batch, s.query_heads, s.queries, 1});
          agreements.push_back(
              truth.compare("expected lse", Place::Of::lse, reading(*e.lse), ratio));
        }
        if (e.weights) {
          require_shape("expected.weights", *e.weights,
                        {s.batch, s.query_heads, s.queries, s.keys});
          agreements.push_back(
              truth.compare("expected weights", Place::Of::weights, reading(*e.weights), ratio));
        }
        if (e.scores) agreements.push_back(check_scores(p, e));
        for (const std::string& what : e.contradictions)
          agreements.push_back({.what = what,
                                .worst = std::numeric_limits<double>::infinity(),
                                .note = "not what the inputs make it"});
        return agreements;
      },
      file.problem);
}

std::vector<Agreement> check_candidate(properties::Candidate& candidate, const ProblemFile& file) {
  return std::visit(
      [&]<class T>(const OwnedProblem<T>& p) {
        const Problem<T> valid(p.spec(), Contents::unchecked);  // hidden slots may hold anything
        const properties::Declaration& d = candidate.declaration();
        const properties::Manner manner{.tiles = {64, 64}};
        const Truth<T> truth(p, properties::arithmetic_of<T>(d, valid.shape().keys, manner.tiles));
        const Answer<T> answer = properties::call(candidate, p, manner);
        if (!answer.status.done()) {
          const bool failed = answer.status.kind == properties::Status::Kind::failed;
          return std::vector<Agreement>{
              {.what = d.name,
               .worst = failed ? std::numeric_limits<double>::infinity() : 0,
               .note = answer.status.reason}};
        }
        const auto ratio = [](const Expected& x, double got) { return x.ratio(got); };
        std::vector<Agreement> agreements{
            truth.compare(d.name + " output", Place::Of::output, reading(answer.output), ratio)};
        if (answer.has_lse)
          agreements.push_back(
              truth.compare(d.name + " lse", Place::Of::lse, reading(answer.lse), ratio));
        if (answer.has_weights)
          agreements.push_back(truth.compare(d.name + " weights", Place::Of::weights,
                                             reading(answer.weights), ratio));
        return agreements;
      },
      file.problem);
}

}  // namespace attest::problem_files

#include "tests/properties/trial.h"

#include <algorithm>

namespace attest::properties {

const oracle::Expected* Expectation::weight(Index b, Index h, Index i, Index j) const {
  const oracle::ExpectedRow& r = row(b, h, i);
  const auto found = std::lower_bound(r.keys.begin(), r.keys.end(), j);
  if (found == r.keys.end() || *found != j) return nullptr;
  return &r.weights[static_cast<std::size_t>(found - r.keys.begin())];
}

template <class T>
Expectation Trial<T>::expectation(const OwnedProblem<T>& problem, Tiles tiles) const {
  const Shape shape = shape_of(problem);
  const oracle::Judge<T> judge(problem.spec(), arithmetic_of<T>(declaration(), shape.keys, tiles));
  std::vector<oracle::ExpectedRow> rows;
  try {
    for_each_query(shape, [&](Index b, Index h, Index i) { rows.push_back(judge.row(b, h, i)); });
  } catch (const InputError&) {  // a score beyond the oracle: exact properties carry such a case
    throw Ended{{.kind = Verdict::Kind::unjudged, .unjudged = 1}};
  }
  return {shape, std::move(rows)};
}

template class Trial<float>;
template class Trial<double>;
template class Trial<Float16>;
template class Trial<BFloat16>;

}  // namespace attest::properties

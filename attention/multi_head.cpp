#include "attention/multi_head.h"

#include <string>

#include "attention/error.h"
#include "attention/explicit_attention.h"
#include "attention/streaming_attention.h"

namespace attest {
namespace {

// (1, heads, tokens, width of a head) over the columns of a projection: head h takes the h-th
// group.
template <class T, class M>
TensorView<T> by_head(M& projected, Index heads, const char* field) {
  if (heads < 1) throw InputError("heads", std::to_string(heads), "a whole number of 1 or more");
  if (projected.columns() % heads != 0)
    throw InputError(field, std::to_string(projected.columns()) + " features",
                     "a width that " + std::to_string(heads) + " heads divide");
  const Index width = projected.columns() / heads;
  return TensorView<T>(projected.elements(), {1, heads, projected.rows(), width},
                       {projected.rows() * projected.columns(), width, projected.columns(), 1}, 0,
                       field);
}

}  // namespace

MultiHeadResult apply(const MultiHead& attention, const Matrix& x, const Matrix& memory,
                      const AttentionMode& mode) {
  const Matrix q = apply(attention.query, x);
  const Matrix k = apply(attention.key, memory);
  const Matrix v = apply(attention.value, memory);
  const Problem<double> problem(
      {.q = by_head<const double>(q, attention.heads, "query projection"),
       .k = by_head<const double>(k, attention.kv_heads, "key projection"),
       .v = by_head<const double>(v, attention.kv_heads, "value projection"),
       .visibility = mode.visibility});
  const Shape& s = problem.shape();
  Matrix joined(s.queries, s.query_heads * s.value_width);
  const auto output = by_head<double>(joined, s.query_heads, "output");
  MultiHeadResult result;
  if (mode.streaming) {
    streaming_attention<double>(problem, {.output = output}, *mode.streaming);
  } else {
    Matrix weights(s.query_heads * s.queries, s.keys);
    explicit_attention<double>(
        problem, {.output = output,
                  .weights = {weights.elements(), Extents{1, s.query_heads, s.queries, s.keys}}});
    for (Index h = 0; h < s.query_heads; ++h) {
      Matrix& map = result.maps.emplace_back(s.queries, s.keys);
      for (Index i = 0; i < s.queries; ++i)
        for (Index j = 0; j < s.keys; ++j) map(i, j) = weights(h * s.queries + i, j);
    }
  }
  result.output = apply(attention.output, joined);
  return result;
}

}  // namespace attest

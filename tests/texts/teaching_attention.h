#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "attention/error.h"

namespace attest::test {

using Rows = std::vector<std::vector<double>>;

inline double sum(const std::vector<double>& row) {
  return std::accumulate(row.begin(), row.end(), 0.0);
}

inline void refuse_unless(bool accepted, const char* field) {
  if (!accepted) throw InputError(field, "another", "what the lesson takes");
}

// A rectangle of finite numbers, none above 1e6 in size: the lesson's limits, not the library's.
inline void check_matrix(const Rows& rows) {
  refuse_unless(!rows.empty() && !rows[0].empty(), "matrix");
  for (const auto& row : rows) {
    refuse_unless(row.size() == rows[0].size(), "row");
    for (const double x : row) refuse_unless(std::abs(x) <= 1e6, "number");
  }
}

inline Rows product(const Rows& a, const Rows& b) {
  check_matrix(a);
  check_matrix(b);
  refuse_unless(a[0].size() == b.size(), "product");
  Rows result(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t n = 0; n < b.size(); ++n)
      for (std::size_t c = 0; c < b[0].size(); ++c) result[i][c] += a[i][n] * b[n][c];
  return result;
}

inline std::vector<double> softmax_of(std::vector<double> scores) {
  const double peak = *std::ranges::max_element(scores);
  refuse_unless(std::isfinite(peak), "row without a visible key");
  for (double& x : scores) x = std::exp(x - peak);
  const double total = sum(scores);
  for (double& x : scores) x /= total;
  return scores;
}

inline Rows transposed(const Rows& rows) {
  Rows turned(rows[0].size(), std::vector<double>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[0].size(); ++j) turned[j][i] = rows[i][j];
  return turned;
}

// Attention as a learner writes it, with the faults that the texts experiment with. Nothing of it
// is shared with the kernels.
struct TeachingAttention {
  bool causal = false;
  std::vector<std::vector<bool>> allow{};
  bool scale_removed = false;
  bool causal_reversed = false;
  bool allow_ignored = false;
  bool over_queries = false;  // softmax along the wrong axis

  struct Result {
    Rows output;
    Rows weights;
  };

  Result operator()(const Rows& q, const Rows& k, const Rows& v) const {
    check(q, k, v);
    Rows scores = product(q, transposed(k));
    const double scale = scale_removed ? 1 : std::sqrt(static_cast<double>(q[0].size()));
    for (std::size_t i = 0; i < q.size(); ++i)
      for (std::size_t j = 0; j < k.size(); ++j)
        scores[i][j] =
            visible(i, j) ? scores[i][j] / scale : -std::numeric_limits<double>::infinity();
    if (over_queries) scores = transposed(scores);
    for (auto& row : scores) row = softmax_of(row);
    if (over_queries) scores = transposed(scores);
    return {product(scores, v), scores};
  }

 private:
  void check(const Rows& q, const Rows& k, const Rows& v) const {
    for (const Rows* rows : {&q, &k, &v}) check_matrix(*rows);
    refuse_unless(q[0].size() == k[0].size(), "key width");
    refuse_unless(k.size() == v.size(), "values");
    refuse_unless(!causal || q.size() == k.size(), "causal lengths");
    if (allow.empty()) return;
    refuse_unless(allow.size() == q.size(), "allow rows");
    for (const auto& row : allow) refuse_unless(row.size() == k.size(), "allow row");
  }

  bool visible(std::size_t i, std::size_t j) const {
    const bool future = causal_reversed ? j < i : j > i;
    return !(causal && future) && (allow_ignored || allow.empty() || allow[i][j]);
  }
};

// The lesson's two-head block around any attention: post-normalised, identity output projection.
struct TeachingBlock {
  TeachingAttention attention;
  bool across_positions = false;  // normalises along the sequence instead of the features

  struct Result {
    Rows output;
    std::vector<Rows> maps;
  };

  Result operator()(const Rows& x, bool causal = true) const {
    check_matrix(x);
    refuse_unless(x[0].size() == 4, "features");
    TeachingAttention attend = attention;
    attend.causal = causal;
    Result result;
    Rows hidden = x;
    for (const std::size_t first : {0u, 2u}) {
      Rows part;
      for (const auto& row : x) part.push_back({row[first], row[first + 1]});
      const auto [mixed, weights] = attend(part, part, part);
      result.maps.push_back(weights);
      for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t c = 0; c < 2; ++c) hidden[i][first + c] += mixed[i][c];
    }
    hidden = normalised(hidden);
    const Rows expand = {{1, -1, 0, 0}, {0, 1, -1, 0}, {0, 0, 1, -1}, {-1, 0, 0, 1}};
    Rows transformed = product(hidden, expand);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t c = 0; c < 4; ++c)
        transformed[i][c] = hidden[i][c] + std::max(0.0, transformed[i][c]) / 2;
    result.output = normalised(transformed);
    return result;
  }

 private:
  Rows normalised(Rows rows) const {
    if (across_positions) rows = transposed(rows);
    for (auto& row : rows) {
      const auto count = static_cast<double>(row.size());
      const double mean = sum(row) / count;
      double variance = 0;
      for (const double x : row) variance += (x - mean) * (x - mean) / count;
      for (double& x : row) x = (x - mean) / std::sqrt(variance + 1e-5);
    }
    return across_positions ? transposed(rows) : rows;
  }
};

}  // namespace attest::test

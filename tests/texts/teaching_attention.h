#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace attest::test {

using Rows = std::vector<std::vector<double>>;

inline double sum(const std::vector<double>& row) {
  return std::accumulate(row.begin(), row.end(), 0.0);
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
    Rows parts(q.size(), std::vector<double>(k.size()));
    for (std::size_t i = 0; i < q.size(); ++i)
      for (std::size_t j = 0; j < k.size(); ++j) {
        const double dot = std::inner_product(q[i].begin(), q[i].end(), k[j].begin(), 0.0);
        const double scale = scale_removed ? 1 : std::sqrt(static_cast<double>(q[i].size()));
        parts[i][j] = visible(i, j) ? std::exp(dot / scale) : 0;
      }
    Rows weights = parts;
    for (std::size_t i = 0; i < q.size(); ++i)
      for (std::size_t j = 0; j < k.size(); ++j) {
        double total = 0;
        if (over_queries)
          for (const auto& row : parts) total += row[j];
        else
          total = sum(parts[i]);
        weights[i][j] = parts[i][j] / total;
      }
    Rows output(q.size(), std::vector<double>(v[0].size()));
    for (std::size_t i = 0; i < q.size(); ++i)
      for (std::size_t j = 0; j < k.size(); ++j)
        for (std::size_t c = 0; c < v[0].size(); ++c) output[i][c] += weights[i][j] * v[j][c];
    return {output, weights};
  }

 private:
  bool visible(std::size_t i, std::size_t j) const {
    const bool future = causal_reversed ? j < i : j > i;
    return !(causal && future) && (allow_ignored || allow.empty() || allow[i][j]);
  }
};

}  // namespace attest::test

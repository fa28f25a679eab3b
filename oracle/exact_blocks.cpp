#include "oracle/exact_blocks.h"

#include "attention/error.h"
#include "oracle/exponential.h"

namespace attest::oracle {
namespace {

RealRows columns(const RealRows& rows, std::size_t first, std::size_t count) {
  RealRows part;
  for (const auto& row : rows) {
    const auto begin = row.begin() + static_cast<std::ptrdiff_t>(first);
    part.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  return part;
}

Real dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  ATTEST_CHECK(a.size() == b.size());
  Real total = 0;
  for (std::size_t n = 0; n < a.size(); ++n) total += a[n] * b[n];
  return total;
}

Real mean(const std::vector<Real>& row) {
  Real total = 0;
  for (const Real& x : row) total += x;
  return total / row.size();
}

}  // namespace

RealRows exactly(const Rows& rows) {
  RealRows exact;
  for (const auto& row : rows) exact.emplace_back(row.begin(), row.end());
  return exact;
}

RealRows linear(const RealRows& rows, const Rows& weight, const std::vector<double>& bias) {
  RealRows result;
  for (const auto& row : rows) {
    ATTEST_CHECK(row.size() == weight.size());
    std::vector<Real> mapped(weight.front().size(), Real(0));
    for (std::size_t out = 0; out < mapped.size(); ++out) {
      if (!bias.empty()) mapped[out] = bias[out];
      for (std::size_t in = 0; in < row.size(); ++in) mapped[out] += row[in] * weight[in][out];
    }
    result.push_back(std::move(mapped));
  }
  return result;
}

RealRows layer_norm(const RealRows& rows, double epsilon, const std::vector<double>& gain,
                    const std::vector<double>& bias) {
  RealRows result = rows;
  for (auto& row : result) {
    const Real centre = mean(row);
    for (Real& x : row) x -= centre;
    const Real deviation = sqrt(Real(dot(row, row) / row.size() + Real(epsilon)));
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] /= deviation;
      if (!gain.empty()) row[c] *= gain[c];
      if (!bias.empty()) row[c] += bias[c];
    }
  }
  return result;
}

RealRows relu(RealRows rows) {
  for (auto& row : rows)
    for (Real& x : row)
      if (x < 0) x = 0;
  return rows;
}

RealRows sum(RealRows a, const RealRows& b) {
  ATTEST_CHECK(a.size() == b.size());
  for (std::size_t n = 0; n < a.size(); ++n) {
    ATTEST_CHECK(a[n].size() == b[n].size());
    for (std::size_t c = 0; c < a[n].size(); ++c) a[n][c] += b[n][c];
  }
  return a;
}

ExactHead attend(const RealRows& q, const RealRows& k, const RealRows& v, bool causal) {
  ATTEST_CHECK(k.size() == v.size() && (!causal || q.size() == k.size()));
  ExactHead head;
  const Real root = sqrt(Real(q.front().size()));
  for (std::size_t i = 0; i < q.size(); ++i) {
    std::vector<Real> weights(k.size(), Real(0));
    Real total = 0;
    const std::size_t visible = causal ? i + 1 : k.size();
    for (std::size_t j = 0; j < visible; ++j)
      total += weights[j] = to_real(exponential(Real(dot(q[i], k[j]) / root)));
    std::vector<Real> output(v.front().size(), Real(0));
    for (std::size_t j = 0; j < visible; ++j) {
      weights[j] /= total;
      for (std::size_t c = 0; c < output.size(); ++c) output[c] += weights[j] * v[j][c];
    }
    head.output.push_back(std::move(output));
    head.weights.push_back(std::move(weights));
  }
  return head;
}

ExactHeads multi_head(const RealRows& queries, const RealRows& memory, const HeadsWeights& weights,
                      bool causal) {
  const RealRows q = linear(queries, weights.q, weights.q_bias);
  const RealRows k = linear(memory, weights.k, weights.k_bias);
  const RealRows v = linear(memory, weights.v, weights.v_bias);
  const auto heads = static_cast<std::size_t>(weights.heads);
  const std::size_t width = q.front().size() / heads;
  const std::size_t value_width = v.front().size() / heads;
  ExactHeads result;
  RealRows joined(queries.size());
  for (std::size_t n = 0; n < heads; ++n) {
    const ExactHead head = attend(columns(q, n * width, width), columns(k, n * width, width),
                                  columns(v, n * value_width, value_width), causal);
    for (std::size_t i = 0; i < joined.size(); ++i)
      joined[i].insert(joined[i].end(), head.output[i].begin(), head.output[i].end());
    result.weights.push_back(head.weights);
  }
  result.output = linear(joined, weights.out, weights.out_bias);
  return result;
}

RealRows feed_forward(const RealRows& rows, const FeedForwardWeights& weights) {
  return linear(relu(linear(rows, weights.expand, weights.expand_bias)), weights.project,
                weights.project_bias);
}

ExactHeads post_norm_block(const RealRows& x, const BlockWeights& w, bool causal) {
  ExactHeads result = multi_head(x, x, w.attention, causal);
  const RealRows hidden =
      layer_norm(sum(x, result.output), w.first.epsilon, w.first.gain, w.first.bias);
  result.output = layer_norm(sum(hidden, feed_forward(hidden, w.feed_forward)), w.second.epsilon,
                             w.second.gain, w.second.bias);
  return result;
}

ExactHeads pre_norm_block(const RealRows& x, const BlockWeights& w, bool causal) {
  const RealRows normal = layer_norm(x, w.first.epsilon, w.first.gain, w.first.bias);
  ExactHeads result = multi_head(normal, normal, w.attention, causal);
  const RealRows hidden = sum(x, result.output);
  const RealRows again = layer_norm(hidden, w.second.epsilon, w.second.gain, w.second.bias);
  result.output = sum(hidden, feed_forward(again, w.feed_forward));
  return result;
}

}  // namespace attest::oracle

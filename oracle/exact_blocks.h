#pragma once

#include <vector>

#include "oracle/real.h"

namespace attest::oracle {

// Rows of tokens, each of one width. Machine numbers enter at their exact binary value.
using RealRows = std::vector<std::vector<Real>>;
using Rows = std::vector<std::vector<double>>;
RealRows exactly(const Rows& rows);

// rows . weight (+ bias): weight has a row for each input feature. Sums are rounded to Real.
RealRows linear(const RealRows& rows, const Rows& weight, const std::vector<double>& bias = {});

// Each row's features less their mean, over sqrt(population variance + epsilon); then times gain,
// plus bias, where these are given.                                          [Ba16]
RealRows layer_norm(const RealRows& rows, double epsilon, const std::vector<double>& gain = {},
                    const std::vector<double>& bias = {});

RealRows relu(RealRows rows);
RealRows sum(RealRows a, const RealRows& b);

// One head: scale 1/sqrt(width), unshifted exponentials; causal hides keys after the query's index.
struct ExactHead {
  RealRows output;
  RealRows weights;
};
ExactHead attend(const RealRows& q, const RealRows& k, const RealRows& v, bool causal);

// Weights of attention with several heads over one width; head n owns columns n * width / heads on
// of q, k and v. A bias may be empty.
struct HeadsWeights {
  int heads = 1;
  Rows q, k, v, out;
  std::vector<double> q_bias, k_bias, v_bias, out_bias;
};

struct ExactHeads {
  RealRows output;
  std::vector<RealRows> weights;  // one map a head
};
ExactHeads multi_head(const RealRows& queries, const RealRows& memory, const HeadsWeights& weights,
                      bool causal);

struct FeedForwardWeights {
  Rows expand, project;
  std::vector<double> expand_bias, project_bias;
};
RealRows feed_forward(const RealRows& rows, const FeedForwardWeights& weights);

struct NormWeights {
  double epsilon = 1e-5;
  std::vector<double> gain, bias;
};

struct BlockWeights {
  HeadsWeights attention;
  FeedForwardWeights feed_forward;
  NormWeights first, second;
};

// y = norm(x + attention(x)), norm(y + feed_forward(y)).                      [Vaswani17]
ExactHeads post_norm_block(const RealRows& x, const BlockWeights& weights, bool causal);

// y = x + attention(norm(x)), y + feed_forward(norm(y)).                         [Xiong20]
ExactHeads pre_norm_block(const RealRows& x, const BlockWeights& weights, bool causal);

}  // namespace attest::oracle

#pragma once

#include <cstdint>
#include <span>

#include "attention/visibility_rule.h"
#include "estimator/ledger.h"

namespace attest::estimator {

// One attention call somebody plans to run.
struct AttentionPlan {
  std::uint64_t batch = 1;
  std::uint64_t query_heads = 1;
  std::uint64_t kv_heads = 1;
  std::uint64_t queries = 1;
  std::uint64_t keys = 1;
  std::uint64_t width = 1;             // of q and k, per head
  std::uint64_t value_width = 1;       // of v and output, per head
  const DType* dtype = nullptr;        // q, k, v, output
  const DType* score_dtype = nullptr;  // scores and probabilities
};

// Throws InputError for an extent of 0 or query_heads that are no multiple of kv_heads.
void validate(const AttentionPlan& plan);

// Q, K, V, output, and the two arrays that explicit attention holds between them: scores and
// probabilities, each batch * query_heads * queries * keys. A mask changes neither.    [Vaswani17]
Ledger explicit_ledger(const AttentionPlan& plan);

// Q, K, V, output, and what a streaming kernel keeps instead of scores: one float32 log-sum-exp per
// query (what a backward pass needs).                                                     [Dao22]
Ledger streaming_ledger(const AttentionPlan& plan);

// Pairs of one head that a causal mask leaves visible. Throws InputError for square alignment and
// queries != keys.
Elements causal_pairs(std::uint64_t queries, std::uint64_t keys, Alignment alignment);

// What padding a batch of sequences to one length costs in score entries of one head.
struct Padding {
  Elements stored;  // sequences * padded_length^2
  Elements useful;  // sum of length^2: pairs of two real tokens
};
Padding padding(std::span<const std::uint64_t> lengths, std::uint64_t padded_length);

}  // namespace attest::estimator

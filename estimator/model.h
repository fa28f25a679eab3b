#pragma once

#include <cstdint>

#include "estimator/ledger.h"
#include "estimator/model_config.h"

namespace attest::estimator {

// Every parameter tensor of the text model, equal ones of all layers in one line. The elements add
// up to the exact parameter count. Matrices are stored in `dtype`; vectors (norms, biases) too
// unless it is a block format, in which they stay f32. [HF-config]
Ledger weight_ledger(const ModelConfig& config, const DType& dtype);

// Parameters of the text model.
Elements parameters(const ModelConfig& config);

// Ideal bytes of the keys and values that decoding keeps: layers with full attention hold `seq`
// tokens, sliding ones at most their window. K and V are lines of their own. Empty for an encoder.
Ledger cache_ledger(const ModelConfig& config, std::uint64_t batch, std::uint64_t seq,
                    const DType& dtype);

// What attention of one layer holds between q, k, v and its output while the whole sequence is
// processed at once; the next layer reuses it.
Ledger explicit_workspace(const ModelConfig& config, std::uint64_t batch, std::uint64_t seq,
                          const DType& dtype);
Ledger streaming_workspace(const ModelConfig& config, std::uint64_t batch, std::uint64_t seq);

}  // namespace attest::estimator

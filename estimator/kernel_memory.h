#pragma once

#include "attention/shape.h"
#include "attention/tiles.h"
#include "estimator/ledger.h"

namespace attest::estimator {

// Everything that this project's own kernels take from their memory resource, all of it alive
// together: the total is the peak, byte for byte. `accumulator` is f64 for double problems and f32
// for all others.
Ledger explicit_kernel_memory(const Shape& shape, const DType& accumulator);
Ledger streaming_kernel_memory(const Shape& shape, const Tiles& tiles, const DType& accumulator);

}  // namespace attest::estimator

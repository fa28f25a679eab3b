#pragma once

#include "attention/shape.h"

namespace attest {

// Which key/value head serves a query head when several share one (GQA, MQA).          [GQA]
enum class HeadMap {
  blocked,      // query heads 0..g-1 share kv head 0, the next g share 1; g = query_heads/kv_heads
  interleaved,  // query head h uses kv head h mod kv_heads
};

constexpr Index kv_head(HeadMap map, const Shape& shape, Index query_head) {
  return map == HeadMap::blocked ? query_head / (shape.query_heads / shape.kv_heads)
                                 : query_head % shape.kv_heads;
}

}  // namespace attest

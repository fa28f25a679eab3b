#pragma once

#include "attention/head_map.h"
#include "attention/shape.h"

namespace attest {

// The key/value head that serves a query head.
constexpr Index kv_head(HeadMap map, const Shape& shape, Index query_head) {
  return map == HeadMap::blocked ? query_head / (shape.query_heads / shape.kv_heads)
                                 : query_head % shape.kv_heads;
}

}  // namespace attest

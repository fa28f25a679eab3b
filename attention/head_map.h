#pragma once

namespace attest {

// Which key/value head serves a query head when several share one (GQA, MQA).          [GQA]
enum class HeadMap {
  blocked,      // query heads 0..g-1 share kv head 0, the next g share 1; g = query_heads/kv_heads
  interleaved,  // query head h uses kv head h mod kv_heads
};

}  // namespace attest

#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace attest {

using Index = std::int64_t;

// The extents of one attention call. Tensors are (batch, heads, tokens, width):
//   q (batch, query_heads, queries, width)       k (batch, kv_heads, keys, width)
//   v (batch, kv_heads, keys, value_width)       output (batch, query_heads, queries, value_width)
// Fields are named at every use: Shape{.batch = 1, .query_heads = 8, ...}.
struct Shape {
  Index batch = 1;
  Index query_heads = 1;
  Index kv_heads = 1;
  Index queries = 1;
  Index keys = 1;
  Index width = 1;
  Index value_width = 1;

  auto operator<=>(const Shape&) const = default;
};

// Throws InputError for an extent below 1, query_heads that are no multiple of kv_heads, or a
// score array of more than 2^62 elements.
void validate(const Shape& shape);

// "B1 Hq8 Hkv8 Nq2048 Nk2048 d64 dv64"
std::string to_string(const Shape& shape);

}  // namespace attest

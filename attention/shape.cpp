#include "attention/shape.h"

#include <initializer_list>
#include <utility>

#include "attention/error.h"

namespace attest {
namespace {

constexpr Index max_elements = Index{1} << 62;

void check_product(const char* what, std::initializer_list<Index> extents) {
  Index product = 1;
  for (Index extent : extents)
    if (__builtin_mul_overflow(product, extent, &product) || product > max_elements)
      throw InputError(what, "more than 2^62 elements", "at most 2^62 elements");
}

}  // namespace

void validate(const Shape& s) {
  const std::initializer_list<std::pair<const char*, Index>> extents = {
      {"batch", s.batch},
      {"query_heads", s.query_heads},
      {"kv_heads", s.kv_heads},
      {"queries", s.queries},
      {"keys", s.keys},
      {"width", s.width},
      {"value_width", s.value_width}};
  for (const auto& [name, extent] : extents)
    if (extent < 1) throw InputError(name, std::to_string(extent), "a whole number of 1 or more");
  if (s.query_heads % s.kv_heads != 0)
    throw InputError("query_heads", std::to_string(s.query_heads),
                     "a multiple of kv_heads = " + std::to_string(s.kv_heads));
  check_product("scores", {s.batch, s.query_heads, s.queries, s.keys});
  check_product("q", {s.batch, s.query_heads, s.queries, s.width});
  check_product("output", {s.batch, s.query_heads, s.queries, s.value_width});
  check_product("k", {s.batch, s.kv_heads, s.keys, s.width});
  check_product("v", {s.batch, s.kv_heads, s.keys, s.value_width});
}

std::string to_string(const Shape& s) {
  return "B" + std::to_string(s.batch) + " Hq" + std::to_string(s.query_heads) + " Hkv" +
         std::to_string(s.kv_heads) + " Nq" + std::to_string(s.queries) + " Nk" +
         std::to_string(s.keys) + " d" + std::to_string(s.width) + " dv" +
         std::to_string(s.value_width);
}

}  // namespace attest

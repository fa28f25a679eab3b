#include "oracle/visible_keys.h"

#include <cmath>
#include <numeric>

namespace attest::oracle {
namespace {

// An element of a tensor whose axes of extent 1 stand for every index.
template <class T>
T repeated(const TensorView<const T>& tensor, Index b, Index h, Index i, Index j) {
  const Extents& e = tensor.extents();
  return tensor(b % e[0], h % e[1], i % e[2], j % e[3]);
}

Index keys_of_sequence(const VisibilityRule& rule, Index b, Index keys) {
  return rule.key_lengths.empty() ? keys : rule.key_lengths[static_cast<std::size_t>(b)];
}

}  // namespace

template <class T>
Shape shape_of(const ProblemSpec<T>& spec) {
  return {.batch = spec.q.extents()[0],
          .query_heads = spec.q.extents()[1],
          .kv_heads = spec.k.extents()[1],
          .queries = spec.q.extents()[2],
          .keys = spec.k.extents()[2],
          .width = spec.q.extents()[3],
          .value_width = spec.v.extents()[3]};
}

template <class T>
Index facing_key(const ProblemSpec<T>& spec, Index b, Index i) {
  if (spec.visibility.alignment != Alignment::bottom_right) return i;
  const Index last_query = spec.q.extents()[2] - 1;
  const Index last_key = keys_of_sequence(spec.visibility, b, spec.k.extents()[2]) - 1;
  return last_key - (last_query - i);
}

template <class T>
std::vector<Index> visible_keys(const ProblemSpec<T>& spec, Index b, Index h, Index i) {
  const VisibilityRule& rule = spec.visibility;
  const Index facing = facing_key(spec, b, i);
  std::vector<Index> keys(static_cast<std::size_t>(keys_of_sequence(rule, b, spec.k.extents()[2])));
  std::iota(keys.begin(), keys.end(), Index{0});
  if (rule.causal) std::erase_if(keys, [&](Index j) { return j > facing; });
  if (rule.window.left)
    std::erase_if(keys, [&](Index j) { return j < facing && facing - j > *rule.window.left; });
  if (rule.window.right)
    std::erase_if(keys, [&](Index j) { return j > facing && j - facing > *rule.window.right; });
  if (rule.allow) std::erase_if(keys, [&](Index j) { return !repeated(*rule.allow, b, h, i, j); });
  if (spec.score.bias)
    std::erase_if(keys,
                  [&](Index j) { return std::isinf(repeated(*spec.score.bias, b, h, i, j)); });
  return keys;
}

std::vector<Index> kv_heads_of(HeadMap map, Index query_heads, Index kv_heads) {
  std::vector<Index> served_by;
  const Index sharing = query_heads / kv_heads;
  if (map == HeadMap::blocked)
    for (Index kv = 0; kv < kv_heads; ++kv)
      served_by.insert(served_by.end(), std::size_t(sharing), kv);
  else
    for (Index round = 0; round < sharing; ++round)
      for (Index kv = 0; kv < kv_heads; ++kv) served_by.push_back(kv);
  return served_by;
}

#define ATTEST_INSTANTIATE(T)                                     \
  template Shape shape_of(const ProblemSpec<T>&);                 \
  template Index facing_key(const ProblemSpec<T>&, Index, Index); \
  template std::vector<Index> visible_keys(const ProblemSpec<T>&, Index, Index, Index);
ATTEST_INSTANTIATE(float)
ATTEST_INSTANTIATE(double)
ATTEST_INSTANTIATE(Float16)
ATTEST_INSTANTIATE(BFloat16)
#undef ATTEST_INSTANTIATE

}  // namespace attest::oracle

#include "attention/visibility.h"

#include <algorithm>
#include <string>

namespace attest {
namespace {

void check_window_end(const char* field, const std::optional<Index>& end) {
  if (end && *end < 0)
    throw InputError(field, std::to_string(*end), "a count of 0 or more, or no limit");
}

void check_lengths(const Shape& shape, std::span<const Index> lengths) {
  if (lengths.empty()) return;
  if (std::ssize(lengths) != shape.batch)
    throw InputError("key_lengths", std::to_string(lengths.size()) + " lengths",
                     "one per batch entry, " + std::to_string(shape.batch));
  for (std::size_t b = 0; b < lengths.size(); ++b)
    if (lengths[b] < 0 || lengths[b] > shape.keys)
      throw InputError("key_lengths[" + std::to_string(b) + "]", std::to_string(lengths[b]),
                       "0 to keys = " + std::to_string(shape.keys));
}

void check_allow(const Shape& shape, const TensorView<const std::uint8_t>& allow) {
  const Extents full = {shape.batch, shape.query_heads, shape.queries, shape.keys};
  const Extents& e = allow.extents();
  for (std::size_t axis = 0; axis < 4; ++axis)
    if (e[axis] != full[axis] && e[axis] != 1)
      throw InputError("allow", "shape " + to_string(e),
                       "(batch, query_heads, queries, keys) = " + to_string(full) +
                           ", with 1 for an axis that is broadcast");
  for (Index b = 0; b < e[0]; ++b)
    for (Index h = 0; h < e[1]; ++h)
      for (Index i = 0; i < e[2]; ++i)
        for (Index j = 0; j < e[3]; ++j)
          if (allow(b, h, i, j) > 1)
            throw InputError("allow" + to_string(Extents{b, h, i, j}),
                             std::to_string(allow(b, h, i, j)),
                             "a boolean: 1 (visible) or 0 (hidden)");
}

}  // namespace

void require_diagonal(const Shape& shape, Alignment alignment, const char* field) {
  if (alignment == Alignment::square && shape.queries != shape.keys)
    throw InputError(field,
                     std::to_string(shape.queries) + " queries and " + std::to_string(shape.keys) +
                         " keys under square alignment",
                     "equal counts, or a declared alignment: top_left or bottom_right");
}

Visibility::Visibility(const Shape& shape, const VisibilityRule& rule)
    : shape_(shape), rule_(rule) {
  if (rule.causal) require_diagonal(shape, rule.alignment, "causal");
  if (rule.window.limited()) require_diagonal(shape, rule.alignment, "window");
  check_window_end("window.left", rule.window.left);
  check_window_end("window.right", rule.window.right);
  check_lengths(shape, rule.key_lengths);
  if (rule.allow) check_allow(shape, *rule.allow);
}

void allow_from_sdpa_mask(std::span<const bool> takes_part, std::span<std::uint8_t> allow) {
  ATTEST_CHECK(takes_part.size() == allow.size());
  std::ranges::transform(takes_part, allow.begin(),
                         [](bool part) { return static_cast<std::uint8_t>(part ? 1 : 0); });
}

void allow_from_multihead_mask(std::span<const bool> excluded, std::span<std::uint8_t> allow) {
  ATTEST_CHECK(excluded.size() == allow.size());
  std::ranges::transform(excluded, allow.begin(),
                         [](bool out) { return static_cast<std::uint8_t>(out ? 0 : 1); });
}

}  // namespace attest

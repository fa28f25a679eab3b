#pragma once

#include <array>
#include <span>
#include <string>
#include <type_traits>

#include "attention/error.h"
#include "attention/shape.h"

namespace attest {

using Extents = std::array<Index, 4>;
using Strides = std::array<Index, 4>;  // in elements; zero and negative strides are allowed

constexpr Strides row_major(const Extents& e) { return {e[1] * e[2] * e[3], e[2] * e[3], e[3], 1}; }

inline std::string to_string(const Extents& e) {
  return "(" + std::to_string(e[0]) + ", " + std::to_string(e[1]) + ", " + std::to_string(e[2]) +
         ", " + std::to_string(e[3]) + ")";
}

// One row of a (batch, heads, tokens, width) tensor.
struct Token {
  Index batch;
  Index head;
  Index position;
};

// A non-owning rank-4 view, (batch, heads, tokens, width) unless a field says otherwise.
// Every element the extents can reach lies inside the span; the constructors check that and throw
// InputError naming `name`.
template <class T>
class TensorView {
 public:
  TensorView() = default;

  // Row-major over exactly the whole span.
  TensorView(std::span<T> storage, const Extents& extents, const char* name = "tensor")
      : TensorView(storage, extents, row_major(extents), 0, name) {
    const Index elements = extents[0] * extents[1] * extents[2] * extents[3];
    if (std::ssize(storage) != elements)
      throw InputError(name, std::to_string(storage.size()) + " elements",
                       std::to_string(elements) + " elements for " + attest::to_string(extents));
  }

  // `offset` is the place of element (0, 0, 0, 0) in the span.
  TensorView(std::span<T> storage, const Extents& extents, const Strides& strides, Index offset,
             const char* name = "tensor")
      : extents_(extents), strides_(strides) {
    Index lowest = offset;
    Index highest = offset;
    for (std::size_t axis = 0; axis < 4; ++axis) {
      if (extents[axis] < 1)
        throw InputError(name, attest::to_string(extents), "extents of 1 or more");
      Index reach = 0;
      Index& end = strides[axis] < 0 ? lowest : highest;
      if (__builtin_mul_overflow(extents[axis] - 1, strides[axis], &reach) ||
          __builtin_add_overflow(end, reach, &end))
        throw InputError(name, "strides beyond 2^63", "elements inside the storage");
    }
    if (lowest < 0 || highest >= std::ssize(storage))
      throw InputError(
          name, "elements " + std::to_string(lowest) + " to " + std::to_string(highest),
          "elements inside the storage, 0 to " + std::to_string(std::ssize(storage) - 1));
    origin_ = storage.data() + offset;
  }

  // A view of mutable elements is a view of const ones.
  template <class U>
  requires(std::is_same_v<T, const U> && !std::is_const_v<U>) TensorView(const TensorView<U>& other)
      : origin_(other.origin()), extents_(other.extents()), strides_(other.strides()) {}

  T& operator()(Index b, Index h, Index n, Index c) const {
    return origin_[b * strides_[0] + h * strides_[1] + n * strides_[2] + c * strides_[3]];
  }

  bool empty() const { return origin_ == nullptr; }
  T* origin() const { return origin_; }
  const Extents& extents() const { return extents_; }
  const Strides& strides() const { return strides_; }

 private:
  T* origin_ = nullptr;
  Extents extents_{};
  Strides strides_{};
};

}  // namespace attest

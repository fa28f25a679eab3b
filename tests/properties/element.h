#pragma once

#include <array>
#include <string_view>

#include "attention/half.h"

namespace attest::properties {

// The type of q, k, v and the output.
enum class Element { f32, f64, f16, bf16 };

constexpr std::array element_names = {std::string_view("f32"), std::string_view("f64"),
                                      std::string_view("f16"), std::string_view("bf16")};

constexpr std::string_view name_of(Element element) {
  return element_names[static_cast<std::size_t>(element)];
}

// Calls visit.operator()<T>() with the type of `element`.
template <class Visit>
decltype(auto) with_type(Element element, Visit&& visit) {
  switch (element) {
    case Element::f64:
      return visit.template operator()<double>();
    case Element::f16:
      return visit.template operator()<Float16>();
    case Element::bf16:
      return visit.template operator()<BFloat16>();
    default:
      return visit.template operator()<float>();
  }
}

template <class T>
constexpr Element element_of = Element::f32;
template <>
inline constexpr Element element_of<double> = Element::f64;
template <>
inline constexpr Element element_of<Float16> = Element::f16;
template <>
inline constexpr Element element_of<BFloat16> = Element::bf16;

}  // namespace attest::properties

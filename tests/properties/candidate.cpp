#include "tests/properties/candidate.h"

#include <algorithm>

namespace attest::properties {
namespace {

double roundoff_of(Element element) {
  switch (element) {
    case Element::f64:
      return 0x1p-53;
    case Element::f16:
      return 0x1p-11;
    case Element::bf16:
      return 0x1p-8;
    default:
      return 0x1p-24;
  }
}

}  // namespace

template <class T>
oracle::Arithmetic arithmetic_of(const Declaration& declaration, Index keys, Tiles tiles) {
  oracle::Arithmetic a = oracle::explicit_arithmetic<T>();
  if (declaration.key_tile) {
    const bool tunable = declaration.features.contains(Feature::tiles);
    const Index tile = std::max<Index>(1, tunable ? tiles.keys : *declaration.key_tile);
    a = oracle::streaming_arithmetic<T>(keys, tile);
  }
  if (declaration.weight_element) {
    const double stored = roundoff_of(*declaration.weight_element);
    if (stored > a.roundoff) a.weight_roundoff = stored;
  }
  return a;
}

template oracle::Arithmetic arithmetic_of<float>(const Declaration&, Index, Tiles);
template oracle::Arithmetic arithmetic_of<double>(const Declaration&, Index, Tiles);
template oracle::Arithmetic arithmetic_of<Float16>(const Declaration&, Index, Tiles);
template oracle::Arithmetic arithmetic_of<BFloat16>(const Declaration&, Index, Tiles);

}  // namespace attest::properties

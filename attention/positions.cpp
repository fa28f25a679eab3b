#include "attention/positions.h"

#include <cmath>
#include <string>

#include "attention/error.h"

namespace attest {

Matrix sinusoidal_positions(Index length, Index width) {
  if (length < 1) throw InputError("length", std::to_string(length), "a whole number of 1 or more");
  if (width < 2 || width % 2 != 0)
    throw InputError("width", std::to_string(width), "an even number of 2 or more");
  Matrix positions(length, width);
  for (Index position = 0; position < length; ++position)
    for (Index c = 0; c < width; c += 2) {
      const double exponent = static_cast<double>(c) / static_cast<double>(width);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      positions(position, c) = std::sin(angle);
      positions(position, c + 1) = std::cos(angle);
    }
  return positions;
}

}  // namespace attest

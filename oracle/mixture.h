#pragma once

#include <span>
#include <vector>

#include "oracle/dyadic.h"
#include "oracle/exponential.h"

namespace attest::oracle {

// One key's share in a row: its exponential and its value row.
struct Share {
  Exponential part;
  const Dyadic* value;  // `width` finite elements
};

// sum_n part_n value_n[c] for every column c < width, then sum_n part_n: each less than
// 1e-75 of sum_n part_n |value_n[c]| away from the true sum of the parts given.
std::vector<Real> mixture(std::span<const Share> shares, std::size_t width);

}  // namespace attest::oracle

#pragma once

#include "attention/shape.h"

namespace attest {

// How many queries and keys a streaming kernel holds at a time; any count of 1 or more. Tiles
// longer than the problem are cut to it.
struct Tiles {
  Index queries = 64;
  Index keys = 64;
};

}  // namespace attest

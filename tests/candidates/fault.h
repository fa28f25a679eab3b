#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tests/candidates/worker_wire.h"

namespace attest::candidates {

// A buffer as the worker sees it.
struct Place {
  const char* name;
  bool writable;
  std::uint64_t begin, end;     // addresses
  std::uint64_t element_bytes;  // 0: counted in bytes
};

// Where an address outside a place is: "past the end of k by 1 element".
std::string beyond(const Place& place, std::uint64_t address);

// What a fault was, in a line: "read past the end of k by 1 element (SIGSEGV)".
std::string describe(const wire::Fault& fault, std::span<const Place> places);

// "SIGSEGV", or "signal 42" for one without a common name.
std::string signal_name(int signal);

// What differs from the usual floating-point environment: "rounding mode upward"; empty where
// nothing does.
std::string describe(const wire::FloatingPoint& state);

}  // namespace attest::candidates

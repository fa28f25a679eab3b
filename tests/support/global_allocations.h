#pragma once

#include <cstddef>

namespace attest::test {

// Calls of the global operator new, in any of its forms, so far, in a program that links
// global_allocations.cpp.
std::size_t global_allocations();

}  // namespace attest::test

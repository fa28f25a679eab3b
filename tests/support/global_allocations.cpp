#include "tests/support/global_allocations.h"

#include <cstdlib>
#include <new>

namespace {
std::size_t count = 0;
}

std::size_t attest::test::global_allocations() { return count; }

void* operator new(std::size_t bytes) {
  ++count;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

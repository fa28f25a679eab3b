#include "tests/support/global_allocations.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

std::atomic<std::size_t> count = 0;

// Null where there is no memory. std::aligned_alloc wants a multiple of the alignment.
void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  ++count;
  bytes = std::max(bytes, std::size_t{1});
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(bytes);
  const std::size_t units = bytes / alignment + (bytes % alignment == 0 ? 0 : 1);
  const bool representable = units <= std::numeric_limits<std::size_t>::max() / alignment;
  return representable ? std::aligned_alloc(alignment, units * alignment) : nullptr;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* memory = allocate(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

constexpr std::size_t plain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
constexpr std::size_t number(std::align_val_t a) { return static_cast<std::size_t>(a); }

}  // namespace

std::size_t attest::test::global_allocations() { return count; }

// Every replaceable form, so that none is counted by grace of how a library calls another.
using Size = std::size_t;
using Align = std::align_val_t;
using Nothrow = const std::nothrow_t&;
void* operator new(Size n) { return allocate_or_throw(n, plain); }
void* operator new[](Size n) { return allocate_or_throw(n, plain); }
void* operator new(Size n, Align a) { return allocate_or_throw(n, number(a)); }
void* operator new[](Size n, Align a) { return allocate_or_throw(n, number(a)); }
void* operator new(Size n, Nothrow) noexcept { return allocate(n, plain); }
void* operator new[](Size n, Nothrow) noexcept { return allocate(n, plain); }
void* operator new(Size n, Align a, Nothrow) noexcept { return allocate(n, number(a)); }
void* operator new[](Size n, Align a, Nothrow) noexcept { return allocate(n, number(a)); }

void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, Size) noexcept { std::free(p); }
void operator delete[](void* p, Size) noexcept { std::free(p); }
void operator delete(void* p, Align) noexcept { std::free(p); }
void operator delete[](void* p, Align) noexcept { std::free(p); }
void operator delete(void* p, Size, Align) noexcept { std::free(p); }
void operator delete[](void* p, Size, Align) noexcept { std::free(p); }
void operator delete(void* p, Nothrow) noexcept { std::free(p); }
void operator delete[](void* p, Nothrow) noexcept { std::free(p); }
void operator delete(void* p, Align, Nothrow) noexcept { std::free(p); }
void operator delete[](void* p, Align, Nothrow) noexcept { std::free(p); }

// Kernels take memory from the resource they are given and from nowhere else.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory_resource>
#include <new>
#include <vector>

#include "tests/support/global_allocations.h"
#include "tests/support/run_kernels.h"

namespace attest {
namespace {

template <class T>
class Allocation : public testing::Test {};
using ElementTypes = testing::Types<float, double, Float16, BFloat16>;
TYPED_TEST_SUITE(Allocation, ElementTypes);

// Runs `kernel` with every way to memory closed but the buffer it is given.
template <class Kernel>
void expect_nothing_from_elsewhere(Kernel kernel) {
  alignas(std::max_align_t) static std::byte buffer[1 << 16];
  std::pmr::monotonic_buffer_resource memory(buffer, sizeof buffer,
                                             std::pmr::null_memory_resource());
  std::pmr::memory_resource* previous =
      std::pmr::set_default_resource(std::pmr::null_memory_resource());
  const std::size_t before = test::global_allocations();
  kernel(&memory);
  EXPECT_EQ(test::global_allocations(), before);
  std::pmr::set_default_resource(previous);
}

TYPED_TEST(Allocation, OfKernelsIsFromTheirResourceOnly) {
  using T = TypeParam;
  auto owned = test::uniform_problem<T>({.batch = 2,
                                         .query_heads = 4,
                                         .kv_heads = 2,
                                         .queries = 7,
                                         .keys = 7,
                                         .width = 5,
                                         .value_width = 3},
                                        1);
  owned.causal = true;
  owned.softcap = 3;
  owned.alibi_slopes = {1, 0.5, 0.25, 0.125};
  owned.sinks = {0, 0, 0, 0};
  const Problem<T> problem(owned.spec());
  auto result = test::nan_result<T>(problem.shape());
  expect_nothing_from_elsewhere([&](std::pmr::memory_resource* memory) {
    explicit_attention<T>(problem, {result.output.view(), result.weights.view(), result.lse.view()},
                          memory);
  });
  expect_nothing_from_elsewhere([&](std::pmr::memory_resource* memory) {
    streaming_attention<T>(problem, {result.output.view(), {}, result.lse.view()}, {2, 3}, memory);
  });
}

// The function is called by its name: the compiler may leave out a new-expression.
TEST(AllocationCounter, SeesEveryFormOfNew) {
  constexpr std::align_val_t line{64};
  const auto adds_one = [&](auto allocate, auto release) {
    const std::size_t before = test::global_allocations();
    void* memory = allocate();
    EXPECT_EQ(test::global_allocations(), before + 1);
    EXPECT_NE(memory, nullptr);
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    release(memory);
    return address;
  };
  const auto free = [](void* p) { ::operator delete(p); };
  const auto free_array = [](void* p) { ::operator delete[](p); };
  const auto free_line = [&](void* p) { ::operator delete(p, line); };
  const auto free_line_array = [&](void* p) { ::operator delete[](p, line); };
  for (const std::size_t n : {0u, 1u, 64u, 65u}) {
    adds_one([&] { return ::operator new(n); }, free);
    adds_one([&] { return ::operator new[](n); }, free_array);
    adds_one([&] { return ::operator new(n, std::nothrow); }, free);
    adds_one([&] { return ::operator new[](n, std::nothrow); }, free_array);
    EXPECT_EQ(adds_one([&] { return ::operator new(n, line); }, free_line) % 64, 0u);
    EXPECT_EQ(adds_one([&] { return ::operator new[](n, line); }, free_line_array) % 64, 0u);
    adds_one([&] { return ::operator new(n, line, std::nothrow); }, free_line);
    adds_one([&] { return ::operator new[](n, line, std::nothrow); }, free_line_array);
  }
}

TEST(AllocationCounter, SeesAVector) {
  const std::size_t before = test::global_allocations();
  const std::vector<int> some(100);
  EXPECT_GT(test::global_allocations(), before);
}

}  // namespace
}  // namespace attest

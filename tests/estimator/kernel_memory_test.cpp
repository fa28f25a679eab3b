#include "estimator/kernel_memory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/counting_resource.h"
#include "tests/support/run_kernels.h"

namespace attest::estimator {
namespace {

using test::CountingResource;

template <class T>
class KernelMemory : public testing::Test {};
using ElementTypes = testing::Types<float, double, Float16, BFloat16>;
TYPED_TEST_SUITE(KernelMemory, ElementTypes);

template <class T>
const DType& accumulator_dtype() {
  return find_dtype(std::is_same_v<T, double> ? "f64" : "f32");
}

Shape any_shape() {
  const auto extent = [](Index most) { return *rc::gen::inRange<Index>(1, most + 1); };
  const Index kv_heads = extent(3);
  return {.batch = extent(3),
          .query_heads = kv_heads * extent(3),
          .kv_heads = kv_heads,
          .queries = extent(20),
          .keys = extent(40),
          .width = extent(9),
          .value_width = extent(9)};
}

TYPED_TEST(KernelMemory, OfTheExplicitKernelIsWhatItAsksFor) {
  rc::check([] {
    const Shape shape = any_shape();
    const auto owned = test::uniform_problem<TypeParam>(shape, 1);
    auto result = test::nan_result<TypeParam>(shape);
    const bool all = *rc::gen::arbitrary<bool>();  // results asked for are the caller's memory
    CountingResource memory;
    explicit_attention<TypeParam>(
        Problem<TypeParam>(owned.spec()),
        {result.output.view(), all ? result.weights.view() : TensorView<Accumulator<TypeParam>>{},
         all ? result.lse.view() : TensorView<Accumulator<TypeParam>>{}},
        &memory);
    RC_ASSERT(memory.peak() ==
              explicit_kernel_memory(shape, accumulator_dtype<TypeParam>()).total().count());
    RC_ASSERT(memory.live() == 0u);
  });
}

TYPED_TEST(KernelMemory, OfTheStreamingKernelIsWhatItAsksForAtAnyTileSize) {
  rc::check([] {
    const Shape shape = any_shape();
    const Tiles tiles{*rc::gen::inRange<Index>(1, 30), *rc::gen::inRange<Index>(1, 60)};
    const auto owned = test::uniform_problem<TypeParam>(shape, 1);
    auto result = test::nan_result<TypeParam>(shape);
    CountingResource memory;
    streaming_attention<TypeParam>(Problem<TypeParam>(owned.spec()),
                                   {result.output.view(), {}, result.lse.view()}, tiles, &memory);
    RC_ASSERT(
        memory.peak() ==
        streaming_kernel_memory(shape, tiles, accumulator_dtype<TypeParam>()).total().count());
    RC_ASSERT(memory.live() == 0u);
  });
}

TEST(StreamingKernelMemory, DoesNotGrowWithTheSequencesPastItsTiles) {
  const DType& f32 = find_dtype("f32");
  const auto bytes = [&](Index n) {
    return streaming_kernel_memory({.queries = n, .keys = n, .width = 64, .value_width = 64}, {},
                                   f32)
        .total();
  };
  EXPECT_EQ(bytes(2048), bytes(64));
  EXPECT_EQ(bytes(Index{1} << 40), bytes(64));
  EXPECT_LT(bytes(63), bytes(64));
  EXPECT_EQ(bytes(64).count(), 4u * (64 * 128 + 64 * 130 + 64));
}

TEST(ExplicitKernelMemory, GrowsWithTheProductOfTheSequences) {
  const DType& f32 = find_dtype("f32");
  const auto scores = [&](Index n) {
    return explicit_kernel_memory({.query_heads = 8, .queries = n, .keys = n}, f32)
        .total(Role::score)
        .count();
  };
  EXPECT_EQ(scores(4096), 4 * scores(2048));
  EXPECT_EQ(scores(2048), 4u * 33554432u);
}

}  // namespace
}  // namespace attest::estimator

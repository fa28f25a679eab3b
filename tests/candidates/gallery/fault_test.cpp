#include "tests/candidates/fault.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <csignal>
#include <vector>

namespace attest::candidates {
namespace {

using wire::Access;
using wire::Fault;

constexpr std::uint64_t at = 0x7f0000000000;

std::string segfault(std::uint64_t address, Access access) {
  const std::vector<Place> places = {
      {.name = "k", .writable = false, .begin = at, .end = at + 40, .element_bytes = 4},
      {.name = "the output",
       .writable = true,
       .begin = at + wire::guard,
       .end = at + wire::guard + 16,
       .element_bytes = 2}};
  return describe(Fault{.signal = SIGSEGV, .access = access, .address = address}, places);
}

TEST(Fault, NamesTheNearestBuffer) {
  EXPECT_EQ(segfault(at + 40, Access::read), "read past the end of k by 1 element (SIGSEGV)");
  EXPECT_EQ(segfault(at + 44, Access::read), "read past the end of k by 2 elements (SIGSEGV)");
  EXPECT_EQ(segfault(at - 4, Access::read), "read before the start of k by 1 element (SIGSEGV)");
  EXPECT_EQ(segfault(at + wire::guard - 2, Access::write),
            "write before the start of the output by 1 element (SIGSEGV)");
  EXPECT_EQ(segfault(at + 8, Access::write), "write to k, an input (SIGSEGV)");
}

TEST(Fault, NamesNoBufferFarFromAll) {
  EXPECT_EQ(segfault(at + (std::uint64_t{1} << 32), Access::read),
            "read of address 0x7f0100000000 (SIGSEGV)");
  EXPECT_EQ(segfault(16, Access::write), "write through a null pointer (SIGSEGV)");
}

TEST(Fault, NamesOtherSignals) {
  EXPECT_EQ(describe(Fault{.signal = SIGFPE}, {}), "trapped in arithmetic (SIGFPE)");
  EXPECT_EQ(describe(Fault{.signal = SIGILL}, {}),
            "executed an instruction that this machine lacks (SIGILL)");
  EXPECT_EQ(describe(Fault{.signal = SIGSEGV, .nowhere = 1}, {}),
            "used an address that cannot exist (SIGSEGV)");
  EXPECT_EQ(describe(Fault{.signal = SIGSEGV, .stack = 1}, {}), "ran out of stack (SIGSEGV)");
}

TEST(FloatingPoint, SaysOnlyWhatDiffers) {
  using wire::FloatingPoint;
  EXPECT_EQ(describe(FloatingPoint{.rounding = FE_TONEAREST}), "");
  EXPECT_EQ(describe(FloatingPoint{.rounding = FE_TOWARDZERO}), "rounding mode toward zero");
  EXPECT_EQ(describe(FloatingPoint{.rounding = FE_DOWNWARD, .flushes_results = 1}),
            "rounding mode downward and flush-to-zero on");
}

}  // namespace
}  // namespace attest::candidates

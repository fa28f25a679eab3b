// Each misbehaving kernel is named for what it does, and the process that asked lives on.
#include <gtest/gtest.h>

#include "tests/candidates/gallery/gallery.h"
#include "tests/candidates/shared_object.h"
#include "tests/properties/run.h"

namespace attest::candidates {
namespace {

using properties::Status;

// How a call of small_problem() failed.
std::string failure(const std::string& name) {
  const auto candidate = in_worker(gallery(name), quickly());
  const Status status = ask(*candidate).status;
  EXPECT_EQ(status.kind, Status::Kind::failed);
  const Status again = ask(*candidate).status;
  EXPECT_EQ(again.reason, status.reason) << "in a fresh worker";
  return status.reason;
}

TEST(Gallery, Segfault) {
  EXPECT_EQ(failure("segfault"), "crashed: write through a null pointer (SIGSEGV)");
}

TEST(Gallery, InfiniteLoop) {
  const auto candidate = in_worker(gallery("infinite_loop"), quickly(0.5));
  EXPECT_EQ(ask(*candidate).status.reason,
            "did not return within 0.5 s, nor in a second attempt of 1 s");
  EXPECT_EQ(ask(*candidate).status.reason, "did not return within 0.0125 s");
}

TEST(Gallery, ReadsPastTheEnd) {
  EXPECT_EQ(failure("reads_past_the_end"),
            "crashed: read past the end of k by 1 element (SIGSEGV)");
}

TEST(Gallery, ReadsBeforeTheStart) {
  // Seen where buffers lie at the start of their memory: in some calls.
  const auto candidate = in_worker(gallery("reads_before_the_start"), quickly());
  int seen = 0;
  for (int n = 0; n < 32; ++n) {
    const auto answer = ask(*candidate, small_problem(static_cast<float>(n)));
    if (answer.status.done()) continue;
    ++seen;
    EXPECT_EQ(answer.status.reason, "crashed: read before the start of v by 1 element (SIGSEGV)");
  }
  EXPECT_GT(seen, 2);
  EXPECT_LT(seen, 20);
}

TEST(Gallery, WritesPastTheEnd) {
  const auto candidate = in_worker(gallery("writes_past_the_end"), quickly());
  int faults = 0, margins = 0;
  for (int n = 0; n < 32; ++n) {
    const Status status = ask(*candidate, small_problem(static_cast<float>(n))).status;
    EXPECT_EQ(status.kind, Status::Kind::failed);
    faults += status.reason == "crashed: write past the end of the output by 1 element (SIGSEGV)";
    margins += status.reason == "wrote past the end of the output by 1 element";
  }
  EXPECT_EQ(faults + margins, 32);
  EXPECT_GT(faults, 0);
  EXPECT_GT(margins, 0);
}

TEST(Gallery, ModifiesAnInput) {
  EXPECT_EQ(failure("scales_q_in_place"), "crashed: write to q, an input (SIGSEGV)");
}

TEST(Gallery, ChangesTheRoundingMode) {
  EXPECT_EQ(failure("rounds_upward"), "left the rounding mode upward");
}

TEST(Gallery, FlushesSubnormals) {
  EXPECT_EQ(failure("flushes_subnormals"),
            "loading it turned flush-to-zero on (linked with -ffast-math?)");
}

TEST(Gallery, Allocates100GiB) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer needs more address space than a memory limit leaves";
#endif
  EXPECT_EQ(failure("allocates_100_gib"),
            "crashed: write through a null pointer (SIGSEGV); memory ran out (limit 16 GiB)");
  EXPECT_EQ(failure("wants_100_gib"),
            "asked for a workspace of 100 GiB; memory ran out (limit 16 GiB)");
}

TEST(Gallery, OverrunsItsWorkspace) {
  EXPECT_EQ(failure("overruns_workspace"),
            "crashed: write past the end of the workspace by 1 byte (SIGSEGV)");
}

TEST(Gallery, EndsTheProcess) {
  EXPECT_EQ(failure("exits"), "ended the process with exit status 3");
  EXPECT_EQ(failure("aborts"), "crashed: aborted (SIGABRT)");
  EXPECT_EQ(failure("recurses_forever"), "crashed: ran out of stack (SIGSEGV)");
}

TEST(Gallery, ThrowsAndErrs) {
  EXPECT_EQ(failure("throws"), "threw no kernel for this shape");
  EXPECT_EQ(failure("errs"), "returned error 42");
}

TEST(Gallery, DecliningIsNoFailure) {
  const auto candidate = in_worker(gallery("declines"), quickly());
  EXPECT_EQ(ask(*candidate).status.kind, Status::Kind::unsupported);
}

TEST(Gallery, UnwrittenRowsKeepTheNanTheyHeld) {
  const auto candidate = in_worker(gallery("unwritten_row"), quickly());
  const auto answer = ask(*candidate);
  ASSERT_TRUE(answer.status.done()) << answer.status.reason;
  EXPECT_TRUE(std::isnan(answer.output.elements[0]));
  EXPECT_FALSE(std::isnan(answer.output.elements[4]));
}

// The finding of one property, over a few cases.
std::string finding(const std::string& name, const char* property) {
  const properties::RunPlan plan{.properties = {&properties::property_named(property)},
                                 .cases = 20};
  const properties::RunReport report =
      properties::run([&] { return in_worker(gallery(name), quickly()); }, plan);
  const auto& failure = report.properties[0].failure;
  if (!failure) return "none";
  EXPECT_TRUE(failure->repeats);
  return failure->verdict.finding->what + ": " + failure->verdict.finding->got;
}

TEST(Gallery, PropertiesNameWhatIsNoCrash) {
  EXPECT_EQ(finding("unwritten_row", "every-element-written"),
            "a result depends on what its storage held before the call: 1.5");
  EXPECT_EQ(finding("returns_nan", "output-within-bound"),
            "the output is farther from the truth than a correct kernel's can be: nan");
  EXPECT_EQ(finding("scales_q_in_place", "inputs-unmodified"),
            "the call failed: crashed: write to q, an input (SIGSEGV)");
}

TEST(Gallery, CrashesOnLoadAreLoadErrors) {
  try {
    in_worker(gallery("crashes_on_load"), quickly());
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_EQ(error.what(), gallery("crashes_on_load") +
                                ": loading it crashed: write through a null pointer (SIGSEGV)");
  }
}

}  // namespace
}  // namespace attest::candidates

#include "tests/candidates/worker.h"

#include <gtest/gtest.h>

#include "tests/candidates/built_in.h"
#include "tests/candidates/gallery/gallery.h"
#include "tests/candidates/shared_object.h"
#include "tests/properties/run.h"

namespace attest::candidates {
namespace {

using properties::Layout;
using properties::Manner;

TEST(Worker, GivesTheBitsThatTheSameKernelGivesInThisProcess) {
  const auto here = in_process(gallery("my_kernel"));
  const auto there = in_worker(gallery("my_kernel"), quickly());
  for (const Layout layout : {Layout::row_major, Layout::tokens_first, Layout::padded,
                              Layout::transposed, Layout::reversed})
    for (int n = 0; n < 8; ++n) {
      const Manner manner{.layout = layout};
      const auto problem = small_problem(static_cast<float>(n));
      const auto a = properties::call(*here, problem, manner);
      const auto b = properties::call(*there, problem, manner);
      ASSERT_TRUE(b.status.done()) << b.status.reason;
      EXPECT_EQ(a.output.elements, b.output.elements);
      EXPECT_EQ(a.lse.elements, b.lse.elements);
      EXPECT_FALSE(b.outside_written);
    }
}

TEST(Worker, TakesProblemsThatOutgrowItsMemory) {
  const auto there = in_worker(gallery("my_kernel"), quickly());
  for (const Index keys : {3, 70000, 3, 200000}) {
    OwnedProblem<float> p = small_problem();
    p.k = p.v = Tensor<float>({1, 2, keys, 4}, 0.5f);
    const auto answer = ask(*there, p);
    ASSERT_TRUE(answer.status.done()) << answer.status.reason;
    EXPECT_NEAR(answer.output.elements[0], 0.5f, 1e-3);
  }
}

TEST(Worker, RefusesWhatCannotBeLoaded) {
  EXPECT_THROW(in_worker("./nowhere.so", quickly()), LoadError);
  EXPECT_THROW(in_worker(gallery("newer_version"), quickly()), LoadError);
}

TEST(Worker, PassesEveryPropertyWithTheExampleKernels) {
  for (const char* name : {"my_kernel", "my_kernel_cpp"}) {
    properties::RunPlan plan{.properties = {}, .cases = 10, .jobs = 2};
    for (const properties::Property& property : properties::all_properties())
      plan.properties.push_back(&property);
    const properties::RunReport report =
        properties::run([&] { return in_worker(gallery(name), quickly()); }, plan);
    for (const properties::PropertyReport& p : report.properties)
      if (p.failure)
        ADD_FAILURE() << p.property->id << ": " << p.failure->address << ": "
                      << (p.failure->verdict.finding ? p.failure->verdict.finding->what + ": " +
                                                           p.failure->verdict.finding->got
                                                     : p.failure->verdict.reason);
    EXPECT_GE(report.cases(), 100);
  }
}

}  // namespace
}  // namespace attest::candidates

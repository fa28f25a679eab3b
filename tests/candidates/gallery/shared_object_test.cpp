#include "tests/candidates/shared_object.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "attention/error.h"
#include "tests/candidates/built_in.h"
#include "tests/candidates/gallery/gallery.h"
#include "tests/candidates/make.h"

namespace attest::candidates {
namespace {

using properties::Feature;

std::string why(const std::string& path) {
  try {
    in_process(path);
  } catch (const LoadError& error) {
    return std::string(error.what()).substr(path.size() + 2);
  }
  return "";
}

TEST(SharedObject, SaysWhyItCannotBeLoaded) {
  EXPECT_EQ(why("./nowhere.so"), "no such file");
  EXPECT_EQ(why(gallery("no_forward")),
            "no function attest_candidate_forward (see attest_candidate.h)");
  EXPECT_EQ(why(gallery("newer_version")),
            "version 2 of the candidate interface; this attest speaks 1 to 1");
  EXPECT_EQ(why(gallery("no_types")), "it takes no element type (attest_info.dtypes is 0)");
}

TEST(SharedObject, SaysThatATextFileIsNone) {
  const std::string path = std::filesystem::temp_directory_path() / "attest_no_elf.so";
  std::ofstream(path) << "#!/bin/sh\necho this is no shared object, whatever its name may say\n";
  EXPECT_EQ(why(path), "not a loadable shared object (invalid ELF header)");
  std::ofstream{path};
  EXPECT_EQ(why(path), "not a loadable shared object (file too short)");
  std::filesystem::remove(path);
}

TEST(SharedObject, DeclaresWhatItsInfoSays) {
  const auto kernel = in_process(gallery("my_kernel"));
  EXPECT_EQ(kernel->declaration().name, "my_kernel");
  EXPECT_EQ(kernel->declaration().elements, std::vector{properties::Element::f32});
  EXPECT_TRUE(kernel->declaration().features.contains({Feature::lse, Feature::causal}));
  EXPECT_FALSE(kernel->declaration().features.contains(Feature::weights));
}

TEST(SharedObject, GivesWhatTheExplicitKernelGives) {
  for (const char* name : {"my_kernel", "my_kernel_cpp"}) {
    const auto kernel = in_process(gallery(name));
    const auto expected = ask(*explicit_kernel());
    const auto got = ask(*kernel);
    ASSERT_TRUE(got.status.done()) << got.status.reason;
    for (std::size_t n = 0; n < got.output.elements.size(); ++n)
      EXPECT_NEAR(got.output.elements[n], expected.output.elements[n], 1e-5);
    EXPECT_NEAR(got.lse.elements[0], expected.lse.elements[0], 1e-5);
  }
}

TEST(MakeCandidate, KnowsBuiltInsAndPaths) {
  const MakeOptions options{.worker = quickly()};
  EXPECT_EQ(make("explicit", options)->declaration().name, "explicit");
  EXPECT_EQ(make(gallery("my_kernel"), options)->declaration().name, "my_kernel");
  EXPECT_EQ(make(gallery("my_kernel"), {.in_this_process = true})->declaration().name, "my_kernel");
  EXPECT_THROW(make("implicit", options), InputError);
  EXPECT_THROW(make("missing.so", options), LoadError);
}

}  // namespace
}  // namespace attest::candidates

#include "tests/problem_files/problem_file.h"

#include <gtest/gtest.h>
// RapidCheck's GoogleTest glue needs gtest first.
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/candidates/built_in.h"
#include "tests/problem_files/check_problem.h"
#include "tests/properties/draw.h"
#include "tests/properties/expand.h"
#include "tests/support/input_error.h"

namespace attest::problem_files {
namespace {

using namespace properties;

RC_GTEST_PROP(ProblemFile, ReadsBackExactly, (std::uint64_t seed)) {
  const std::vector<Element> all = {Element::f32, Element::f64, Element::f16, Element::bf16};
  const Recipe recipe = recipes(all, Features::all(), nullptr)(rc::Random(seed), 0).value();
  with_type(recipe.element, [&]<class T>() {
    const OwnedProblem<T> p = expand<T>(recipe);
    const std::string content = write_problem(p);
    const ProblemFile file = read_problem(content, "f");
    const auto& again = std::get<OwnedProblem<T>>(file.problem);
    RC_ASSERT(again.q.elements == p.q.elements && again.q.extents == p.q.extents);
    RC_ASSERT(again.k.elements == p.k.elements && again.v.elements == p.v.elements);
    RC_ASSERT(again.causal == p.causal && again.alignment == p.alignment);
    RC_ASSERT(again.window.left == p.window.left && again.window.right == p.window.right);
    RC_ASSERT(again.key_lengths == p.key_lengths && again.scale == p.scale);
    RC_ASSERT(again.softcap == p.softcap && again.alibi_slopes == p.alibi_slopes);
    RC_ASSERT(again.sinks == p.sinks && again.head_map == p.head_map);
    RC_ASSERT(again.empty_row == p.empty_row);
    RC_ASSERT(again.allow.has_value() == p.allow.has_value());
    if (p.allow) RC_ASSERT(again.allow->elements == p.allow->elements);
    if (p.bias) RC_ASSERT(again.bias->elements == p.bias->elements);
    RC_ASSERT(write_problem(again) == content);
  });
}

std::string with(const std::string& key, const std::string& value) {
  OwnedProblem<float> p;
  const std::string content = write_problem(p);
  SafeTensors file = read_safetensors(content, "f");
  file.metadata[key] = value;
  return write_safetensors(file);
}

TEST(ProblemFile, NamesTheEntryAtFault) {
  const auto field = [](const std::string& content) {
    return test::field_of([&] { read_problem(content, "f"); });
  };
  EXPECT_EQ(field(with("causal", "yes")), "f: causal");
  EXPECT_EQ(field(with("alignment", "top")), "f: alignment");
  EXPECT_EQ(field(with("window_left", "1.5")), "f: window_left");
  EXPECT_EQ(field(with("scale", "")), "f: scale");
  EXPECT_EQ(field(with("casual", "true")), "f: metadata");
  EXPECT_EQ(field(with("op", "Softmax")), "f: op");
  EXPECT_EQ(field(write_safetensors({})), "f: q");
}

TEST(ProblemFile, IsJudgedByTheBoundWhereItStatesNoTolerance) {
  OwnedProblem<float> p;
  p.q = {{1, 0}};
  p.k = {{1, 0}, {0, 1}};
  p.v = {{1}, {3}};
  ExpectedResult right{.output = Tensor<double>({1, 1, 1, 1})};
  right.output->elements = {1.6604769408702850};  // 1 + 2 / (1 + e^(1/sqrt 2))
  EXPECT_TRUE(check_expected(read_problem(write_problem(p, right), "f")).at(0).agrees());
  right.output->elements = {1.66048};
  EXPECT_FALSE(check_expected(read_problem(write_problem(p, right), "f")).at(0).agrees());
  right.absolute = 1e-4;
  EXPECT_TRUE(check_expected(read_problem(write_problem(p, right), "f")).at(0).agrees());
}

TEST(ProblemFile, ACandidateIsJudgedOnIt) {
  OwnedProblem<float> p;
  p.q = {{1, 0}};
  p.k = {{1, 0}, {0, 1}};
  p.v = {{1}, {3}};
  const ProblemFile file = read_problem(write_problem(p), "f");
  const auto kernel = candidates::explicit_kernel();
  for (const Agreement& a : check_candidate(*kernel, file)) EXPECT_TRUE(a.agrees()) << a.what;
  const auto zeros = candidates::null_candidate("zeros");
  EXPECT_FALSE(check_candidate(*zeros, file).at(0).agrees());
}

TEST(ProblemFile, HiddenSlotsMayHoldAnythingAndEmptyRowsNan) {
  OwnedProblem<float> p;
  p.q = {{1}, {1}};
  p.k = {{1}, {std::numeric_limits<float>::quiet_NaN()}};
  p.v = {{1}, {std::numeric_limits<float>::infinity()}};
  p.allow = Tensor<std::uint8_t>{{1, 0}, {0, 0}};
  p.empty_row = EmptyRow::nan;
  const ProblemFile file = read_problem(write_problem(p), "f");
  for (const char* name : {"explicit", "streaming"})
    for (const Agreement& a : check_candidate(*candidates::built_in(name), file))
      EXPECT_TRUE(a.agrees()) << a.what << ' ' << a.worst;
}

TEST(ProblemFile, AWrongShapeOfAnExpectedResultIsNamed) {
  OwnedProblem<float> p;
  ExpectedResult e{.lse = Tensor<double>({1, 1, 2, 1})};
  const ProblemFile file = read_problem(write_problem(p, e), "f");
  EXPECT_EQ(test::field_of([&] { check_expected(file); }), "expected.lse");
}

}  // namespace
}  // namespace attest::problem_files

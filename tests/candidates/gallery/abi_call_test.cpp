#include "tests/candidates/abi_call.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "attention/owned_problem.h"
#include "tests/candidates/gallery/gallery.h"

namespace attest::candidates {
namespace {

using properties::Element;

TEST(AbiCall, CarriesEveryOption) {
  OwnedProblem<double> p;
  p.q = Tensor<double>({1, 2, 3, 4}, 0.5);
  p.k = Tensor<double>({1, 2, 5, 4}, 0.5);
  p.v = Tensor<double>({1, 2, 5, 24}, 0.5);
  p.causal = true;
  p.alignment = Alignment::bottom_right;
  p.window = {.left = 7, .right = {}};
  p.key_lengths = {4};
  p.allow = Tensor<std::uint8_t>({1, 1, 1, 5}, std::uint8_t{1});
  p.allow->elements[1] = 0;
  p.scale = 0.125;
  p.softcap = 30;
  p.bias = Tensor<double>({1, 1, 1, 1}, -2.5);
  p.alibi_slopes = {0.5, 0.25};
  p.sinks = {1.5, 2};
  p.head_map = HeadMap::interleaved;
  p.empty_row = EmptyRow::zero;
  const Problem<double> problem(p.spec());
  Tensor<double> output({1, 2, 3, 24}), lse({1, 2, 3, 1});
  const auto probe = in_worker(gallery("probe"), quickly());
  const auto status =
      probe->forward(problem, {.output = output.view(), .weights = {}, .lse = lse.view()},
                     {.queries = 8, .keys = 9});
  ASSERT_TRUE(status.done()) << status.reason;
  const std::vector<double> expected = {1,  2, 7,    -1,  0.125, 1, 30, 1, 1, 8, 9, ATTEST_FLOAT,
                                        64, 4, 0.25, 1.5, -2.5,  0, 1,  0, 0, 1, 1};
  EXPECT_EQ(std::vector<double>(output.elements.begin(), output.elements.begin() + 23), expected);
  EXPECT_NEAR(lse.elements[0], 3 * std::log(2), 1e-15);
}

TEST(AbiDeclaration, ReadsTypesAndConventions) {
  const auto d = in_worker(gallery("probe"), quickly())->declaration();
  EXPECT_EQ(d.elements, std::vector{Element::f64});
  EXPECT_EQ(d.features, properties::Features::all());
  EXPECT_EQ(d.key_tile, 16);
  EXPECT_EQ(d.weight_element, Element::bf16);
}

std::string refusal(void (*spoil)(attest_info&)) {
  attest_info info{};
  info.dtypes = ATTEST_TAKES_F32;
  spoil(info);
  try {
    declaration_of(info);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(AbiDeclaration, RefusesWhatTheHeaderRulesOut) {
  EXPECT_EQ(refusal([](attest_info&) {}), "none");
  EXPECT_EQ(refusal([](attest_info& i) { i.dtypes = 0; }),
            "it takes no element type (attest_info.dtypes is 0)");
  EXPECT_EQ(refusal([](attest_info& i) { i.dtypes = 33; }), "attest_info.dtypes has unknown bits");
  EXPECT_EQ(refusal([](attest_info& i) { i.features = 1u << 22; }),
            "attest_info.features has unknown bits");
  EXPECT_EQ(refusal([](attest_info& i) { i.key_tile = -1; }), "attest_info.key_tile is negative");
  EXPECT_EQ(refusal([](attest_info& i) {
              i.weights = {ATTEST_INT, 8};
            }),
            "attest_info.weights is none of f32, f64, f16, bf16");
  EXPECT_EQ(refusal([](attest_info& i) { i.lse_base = 10; }), "attest_info.lse_base is unknown");
  EXPECT_EQ(refusal([](attest_info& i) { i.mask = 2; }), "attest_info.mask is unknown");
  EXPECT_EQ(refusal([](attest_info& i) { i.alignment = 48; }),
            "attest_info.alignment is no power of two up to 4096");
  EXPECT_EQ(refusal([](attest_info& i) { i.name = "two\nlines"; }), "its name has a line break");
}

}  // namespace
}  // namespace attest::candidates

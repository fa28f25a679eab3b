#include "tests/properties/recipe.h"

#include <gtest/gtest.h>
// RapidCheck's GoogleTest glue needs gtest first.
#include <rapidcheck/gtest.h>

#include "attention/problem.h"
#include "tests/properties/draw.h"
#include "tests/properties/expand.h"
#include "tests/properties/property.h"
#include "tests/support/input_error.h"

namespace attest::properties {
namespace {

const std::vector<Element> every_element = {Element::f32, Element::f64, Element::f16,
                                            Element::bf16};

Recipe drawn(std::uint64_t seed, Features features = Features::all(), Fit domain = nullptr) {
  return recipes(every_element, features, domain)(rc::Random(seed), 0).value();
}

Features some_features(std::uint64_t bits) {
  Features features;
  for (int n = 0; n < feature_count; ++n)
    if (bits >> n & 1) features = features.with({static_cast<Feature>(n)});
  return features;
}

RC_GTEST_PROP(Recipe, ReadsBackFromItsLine, (std::uint64_t seed)) {
  const std::string line = to_line(drawn(seed));
  RC_ASSERT(to_line(parse_recipe(line)) == line);
}

RC_GTEST_PROP(Recipe, AsksNothingThatAnImplementationLacks,
              (std::uint64_t seed, std::uint64_t bits)) {
  const Features features = some_features(bits);
  for (const Property& property : all_properties()) {
    if (!features.contains(property.needs)) continue;
    const Recipe recipe = drawn(seed, features, property.domain);
    RC_ASSERT(features.contains(needed_by(recipe)));
  }
}

// Whatever is drawn, and whatever it is simplified to, is a problem that can be asked.
RC_GTEST_PROP(Recipe, IsAlwaysAProblem, (std::uint64_t seed, std::uint64_t bits)) {
  const Features features = some_features(bits);
  rc::Shrinkable<Recipe> shrinkable =
      recipes(every_element, features, nullptr)(rc::Random(seed), 0);
  for (int step = 0; step < 5; ++step) {
    const Recipe recipe = shrinkable.value();
    with_type(recipe.element, [&]<class T>() {
      const OwnedProblem<T> p = expand<T>(recipe);
      static_cast<void>(Problem<T>(p.spec()));
    });
    auto next = shrinkable.shrinks().next();
    if (!next) break;
    shrinkable = *next;
  }
}

RC_GTEST_PROP(Recipe, FitsAreIdempotent, (std::uint64_t seed)) {
  for (const Property& property : all_properties()) {
    Recipe recipe = drawn(seed, Features::all(), property.domain);
    const std::string line = to_line(recipe);
    bring(recipe, every_element, Features::all(), property.domain);
    RC_ASSERT(to_line(recipe) == line);
  }
}

// Simplifying ends: each way down is finite.
RC_GTEST_PROP(Recipe, SimplifyingEnds, (std::uint64_t seed)) {
  rc::Shrinkable<Recipe> shrinkable =
      recipes(every_element, Features::all(), nullptr)(rc::Random(seed), 0);
  int steps = 0;
  for (;;) {
    auto next = shrinkable.shrinks().next();
    if (!next) break;
    shrinkable = *next;
    RC_ASSERT(++steps < 200);
  }
  RC_ASSERT(shrinkable.value().shape == Shape{});
}

TEST(Recipe, ASmallerShapeKeepsTheElementsThatRemain) {
  Recipe large = parse_recipe("f32 B=2 Hq=2 Hkv=2 Nq=5 Nk=7 d=3 dv=4 values=normal seed=11");
  Recipe small = large;
  small.shape = {.batch = 1,
                 .query_heads = 1,
                 .kv_heads = 1,
                 .queries = 2,
                 .keys = 3,
                 .width = 2,
                 .value_width = 2};
  const OwnedProblem<float> a = expand<float>(large), b = expand<float>(small);
  EXPECT_EQ(b.q.view()(0, 0, 1, 1), a.q.view()(0, 0, 1, 1));
  EXPECT_EQ(b.k.view()(0, 0, 2, 0), a.k.view()(0, 0, 2, 0));
  EXPECT_EQ(b.v.view()(0, 0, 2, 1), a.v.view()(0, 0, 2, 1));
}

TEST(Recipe, NamesTheWordAtFault) {
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(parse_recipe("")); }), "recipe");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(parse_recipe("f33 B=1")); }), "element");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(parse_recipe("f32 B=0")); }), "B");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(parse_recipe("f32 Nq=1x")); }), "Nq");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(parse_recipe("f32 values=integer")); }),
            "values");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(parse_recipe("f32 window=3")); }),
            "window");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(parse_recipe("f32 allow=half/x")); }),
            "allow");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(parse_recipe("f32 casual")); }),
            "recipe");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(parse_recipe("f32 Hq=3 Hkv=2")); }),
            "query_heads");
  EXPECT_EQ(attest::test::field_of([] { static_cast<void>(parse_recipe("f32 seed=-1")); }), "seed");
}

}  // namespace
}  // namespace attest::properties

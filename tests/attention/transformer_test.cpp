#include "attention/transformer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/input_error.h"

namespace attest {
namespace {

using Rows = std::vector<std::string>;

Rows picture(const InformationFlow& flow) {
  Rows rows;
  for (Index i = 0; i < flow.outputs; ++i) {
    rows.emplace_back();
    for (Index j = 0; j < flow.source_inputs + flow.target_inputs; ++j) {
      if (j == flow.source_inputs && j > 0) rows.back() += '|';
      rows.back() += flow(i, j) ? '#' : '.';
    }
  }
  return rows;
}

Transformer sample(Family family, NormPlacement placement = NormPlacement::post) {
  return assemble({.family = family, .placement = placement, .seed = 11});
}

TEST(EncoderOnly, EveryPositionReadsEveryPosition) {
  const Transformer t = sample(Family::encoder_only);
  EXPECT_EQ(picture(declared_flow(t, 3, 0)), (Rows{"###", "###", "###"}));
  EXPECT_EQ(measured_flow(t, 3, 0, 1), declared_flow(t, 3, 0));
}

TEST(DecoderOnly, APositionReadsItselfAndWhatCameBefore) {
  const Transformer t = sample(Family::decoder_only);
  EXPECT_EQ(picture(declared_flow(t, 0, 4)), (Rows{"#...", "##..", "###.", "####"}));
  EXPECT_EQ(measured_flow(t, 0, 4, 1), declared_flow(t, 0, 4));
}

TEST(EncoderDecoder, ATargetPositionReadsTheWholeSourceAndItsOwnPast) {
  const Transformer t = sample(Family::encoder_decoder);
  EXPECT_EQ(picture(declared_flow(t, 3, 3)), (Rows{"###|#..", "###|##.", "###|###"}));
  EXPECT_EQ(measured_flow(t, 3, 3, 1), declared_flow(t, 3, 3));
}

TEST(EveryFamily, FlowsThePreNormalisedWayToo) {
  for (const Family family :
       {Family::encoder_decoder, Family::encoder_only, Family::decoder_only}) {
    const Transformer t = sample(family, NormPlacement::pre);
    const Index source = family == Family::decoder_only ? 0 : 4;
    const Index target = family == Family::encoder_only ? 0 : 3;
    EXPECT_EQ(measured_flow(t, source, target, 2), declared_flow(t, source, target));
  }
}

TEST(MeasuredFlow, SeesATargetStackLeftUnmasked) {
  const Transformer right = sample(Family::encoder_decoder);
  Transformer leaking = right;
  leaking.decoder[1].causal = false;
  EXPECT_EQ(picture(measured_flow(leaking, 2, 3, 1)), (Rows{"##|###", "##|###", "##|###"}));
  EXPECT_NE(measured_flow(leaking, 2, 3, 1), declared_flow(right, 2, 3));
}

TEST(MeasuredFlow, SeesATriangleInTheEncoder) {
  Transformer restricted = sample(Family::encoder_only);
  for (Block& block : restricted.encoder) block.causal = true;
  EXPECT_EQ(picture(measured_flow(restricted, 3, 0, 1)), (Rows{"#..", "##.", "###"}));
}

TEST(Transformer, AttentionMapsHaveTheShapesOfTheirSequences) {
  const Transformer t = sample(Family::encoder_decoder);
  const Matrix source(12, 8, 0.5);
  const Matrix target(3, 8, 0.25);
  EXPECT_EQ(shape_text(apply(t.encoder[0], source).self_maps[0]), "(12, 12)");
  const BlockResult decoded = apply(t.decoder[0], target, &source);
  EXPECT_EQ(shape_text(decoded.self_maps[0]), "(3, 3)");
  EXPECT_EQ(shape_text(decoded.cross_maps[0]), "(3, 12)");
}

TEST(Transformer, TakesExactlyTheSequencesOfItsFamily) {
  const Matrix x(2, 8, 0.5);
  EXPECT_EQ(test::message_of([&] {
              apply(sample(Family::encoder_only), {x, x});
            }),
            "target: got 2 positions; accepted: none: this family does not take it");
  EXPECT_EQ(test::message_of([&] {
              apply(sample(Family::encoder_decoder), {x, {}});
            }),
            "target: got 0 positions; accepted: one position or more");
  EXPECT_EQ(test::message_of([&] {
              apply(sample(Family::decoder_only), {x, x});
            }),
            "source: got 2 positions; accepted: none: this family does not take it");
}

TEST(Assemble, RefusesNumbersOutsideTheirRange) {
  EXPECT_EQ(test::message_of([] { assemble({.layers = 0}); }),
            "layers: got 0; accepted: a whole number of 1 or more");
  EXPECT_EQ(test::message_of([] { assemble({.layers = -3}); }),
            "layers: got -3; accepted: a whole number of 1 or more");
  EXPECT_EQ(test::message_of([] { assemble({.width = 0}); }),
            "width: got 0; accepted: a whole number of 1 or more");
  EXPECT_EQ(test::message_of([] { assemble({.heads = 0}); }),
            "heads: got 0; accepted: a whole number of 1 or more");
  EXPECT_EQ(test::message_of([] { assemble({.width = 8, .heads = 3}); }),
            "heads: got 3; accepted: a divisor of the width 8");
}

// Whatever takes a transformer, with the sequences of its family.
std::vector<std::string> refusals(const Transformer& t, Index source, Index target) {
  Sequences sequences;
  if (source > 0) sequences.source = Matrix(source, 8, 0.5);
  if (target > 0) sequences.target = Matrix(target, 8, 0.5);
  return {test::message_of([&] { apply(t, sequences); }),
          test::message_of([&] { declared_flow(t, source, target); }),
          test::message_of([&] { measured_flow(t, source, target, 1); })};
}

TEST(Transformer, HasTheStacksOfItsFamily) {
  EXPECT_EQ(refusals({.family = Family::decoder_only, .encoder = {}, .decoder = {}}, 0, 2),
            Rows(3, "decoder: got 0 blocks; accepted: one block or more"));
  EXPECT_EQ(refusals({.family = Family::encoder_only, .encoder = {}, .decoder = {}}, 2, 0),
            Rows(3, "encoder: got 0 blocks; accepted: one block or more"));
  Transformer half = sample(Family::encoder_decoder);
  half.decoder.clear();
  EXPECT_EQ(refusals(half, 2, 2), Rows(3, "decoder: got 0 blocks; accepted: one block or more"));
  Transformer both = sample(Family::encoder_decoder);
  both.family = Family::decoder_only;
  EXPECT_EQ(refusals(both, 0, 2),
            Rows(3, "encoder: got 2 blocks; accepted: none: this family does not have it"));
}

TEST(Transformer, CrossesOnlyBesideAnEncoder) {
  Transformer decoder = sample(Family::decoder_only);
  decoder.decoder[1] = sample(Family::encoder_decoder).decoder[1];
  EXPECT_EQ(refusals(decoder, 0, 2), Rows(3,
                                          "decoder block 1: got cross-attention; accepted: "
                                          "none: there is no other sequence to read"));
}

TEST(InformationFlow, TakesExactlyTheSequencesOfItsFamily) {
  const std::string taken_not = " positions; accepted: none: this family does not take it";
  EXPECT_EQ(refusals(sample(Family::decoder_only), 2, 3), Rows(3, "source: got 2" + taken_not));
  EXPECT_EQ(refusals(sample(Family::encoder_only), 2, 3), Rows(3, "target: got 3" + taken_not));
  EXPECT_EQ(refusals(sample(Family::encoder_decoder), 0, 3),
            Rows(3, "source: got 0 positions; accepted: one position or more"));
  EXPECT_EQ(test::message_of([] { declared_flow(sample(Family::decoder_only), 0, -1); }),
            "target: got -1 positions; accepted: one position or more");
  EXPECT_EQ(test::message_of([] { measured_flow(sample(Family::decoder_only), -1, 1, 1); }),
            "source: got -1" + taken_not);
}

// A passage of four positions and a question of two after it. In a causal stack no passage position
// reads the question; in an encoder all do; given apart, the target reads the passage by
// cross-attention and the passage never reads the target.
TEST(EveryFamily, ReadsAQuestionAfterAPassageInItsOwnWay) {
  EXPECT_EQ(picture(declared_flow(sample(Family::decoder_only), 0, 6)),
            (Rows{"#.....", "##....", "###...", "####..", "#####.", "######"}));
  EXPECT_EQ(picture(declared_flow(sample(Family::encoder_only), 6, 0)), Rows(6, "######"));
  EXPECT_EQ(picture(declared_flow(sample(Family::encoder_decoder), 4, 2)),
            (Rows{"####|#.", "####|##"}));
}

}  // namespace
}  // namespace attest

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attest::properties {

// What an implementation may or may not take. Plain dense attention over (B, H, N, width) with the
// default scale needs none of these.
enum class Feature {
  lse,                // gives the logarithm of the softmax's denominator
  weights,            // gives the weights
  tiles,              // takes tile sizes
  batch,              // more than one sequence a call
  gqa,                // fewer key/value heads than query heads
  interleaved_heads,  // HeadMap::interleaved
  value_width,        // value width other than the query/key width
  cross,              // queries other in number than keys
  strides,            // views that are not row-major
  scale,              // a scale that is given
  causal,
  top_left,      // Alignment::top_left
  bottom_right,  // Alignment::bottom_right
  window,
  key_lengths,
  allow_mask,
  bias,
  softcap,
  alibi,
  sinks,
  empty_zero,  // EmptyRow::zero
  empty_nan,   // EmptyRow::nan
};
constexpr int feature_count = static_cast<int>(Feature::empty_nan) + 1;

const char* name_of(Feature feature);

class Features {
 public:
  constexpr Features() = default;
  constexpr Features(std::initializer_list<Feature> features) {
    for (const Feature f : features) bits_ |= bit(f);
  }
  static constexpr Features all() {
    Features every;
    every.bits_ = (1u << feature_count) - 1;
    return every;
  }

  constexpr bool contains(Feature f) const { return (bits_ & bit(f)) != 0; }
  constexpr bool contains(Features others) const { return (others.bits_ & ~bits_) == 0; }
  constexpr Features with(Features others) const { return from(bits_ | others.bits_); }
  constexpr Features without(Features others) const { return from(bits_ & ~others.bits_); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const Features&) const = default;

  std::vector<Feature> list() const;

 private:
  static constexpr std::uint32_t bit(Feature f) { return 1u << static_cast<unsigned>(f); }
  static constexpr Features from(std::uint32_t bits) {
    Features f;
    f.bits_ = bits;
    return f;
  }
  std::uint32_t bits_ = 0;
};

// "causal, window"; "none" for an empty set.
std::string to_string(Features features);

}  // namespace attest::properties

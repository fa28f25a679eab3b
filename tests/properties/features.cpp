#include "tests/properties/features.h"

#include <array>

namespace attest::properties {

const char* name_of(Feature feature) {
  constexpr std::array<const char*, feature_count> names = {
      "lse",          "weights", "tiles",           "batch",         "gqa",    "interleaved heads",
      "value width",  "cross",   "strides",         "scale",         "causal", "top-left",
      "bottom-right", "window",  "key lengths",     "allow mask",    "bias",   "softcap",
      "alibi",        "sinks",   "empty rows zero", "empty rows nan"};
  return names[static_cast<std::size_t>(feature)];
}

std::vector<Feature> Features::list() const {
  std::vector<Feature> features;
  for (int n = 0; n < feature_count; ++n)
    if (contains(static_cast<Feature>(n))) features.push_back(static_cast<Feature>(n));
  return features;
}

std::string to_string(Features features) {
  std::string text;
  for (const Feature feature : features.list())
    text += (text.empty() ? "" : ", ") + std::string(name_of(feature));
  return text.empty() ? "none" : text;
}

}  // namespace attest::properties

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attest {

// For a word that is none of `known`: "; did you mean f16 or bf16?" with up to three of the nearest
// (edit distance with transpositions at most 1 for words up to 4 letters, 2 up to 8, 3 beyond,
// letter case ignored), nearest first; empty where nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

// "a, b, c"
std::string listed(std::span<const std::string_view> words);

}  // namespace attest

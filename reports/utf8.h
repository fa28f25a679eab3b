#pragma once

#include <string_view>

namespace attest::reports {

// The bytes of one code point at the front of a text, or one byte that begins none (overlong forms,
// surrogates and cut sequences included).
struct CodePoint {
  std::string_view bytes;  // empty at the end of the text
  char32_t value = 0;
  bool valid = false;

  // C0, DEL and C1: what a terminal obeys instead of showing.
  bool is_control() const { return valid && (value < 0x20 || (value >= 0x7f && value < 0xa0)); }
};

CodePoint first_code_point(std::string_view text);

}  // namespace attest::reports

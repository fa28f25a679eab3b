#pragma once

#include <string>
#include <string_view>

namespace attest::reports {

// The text with every control character, and every byte that is not UTF-8, spelt out: a line break
// as \n, an escape as \x1b. What it gives stands on one line and moves no cursor; all text that a
// person may have had a hand in passes here before a terminal sees it. Controls in `kept` stay.
std::string printable(std::string_view text, std::string_view kept = {});

}  // namespace attest::reports

#include "reports/printable.h"

#include <gtest/gtest.h>

#include "reports/utf8.h"

namespace attest::reports {
namespace {

TEST(Printable, LeavesTextAlone) {
  EXPECT_EQ(printable("plain \\ µs 語 \U0001f600"), "plain \\ µs 語 \U0001f600");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, SpellsOutEveryControlCharacter) {
  EXPECT_EQ(printable("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(printable("\x1b[31mred\x07\x7f"), "\\x1b[31mred\\x07\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\u009b31m"), "\\u009b31m");  // CSI in one character
  for (char32_t c = 0; c < 0xa0; ++c) {
    const std::string text =
        c < 0x80 ? std::string(1, static_cast<char>(c)) : std::string{'\xc2', static_cast<char>(c)};
    const bool control = c < 0x20 || c >= 0x7f;
    EXPECT_EQ(printable(text) == text, !control) << static_cast<unsigned>(c);
  }
}

TEST(Printable, SpellsOutBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");  // CSI to a terminal of one-byte characters
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");  // cut
  EXPECT_EQ(printable("\xe2\x82"
                      "a"),
            "\\xe2\\x82a");
}

TEST(Printable, KeepsWhatItIsToldTo) {
  EXPECT_EQ(printable("a\r\nb\x1b\xc2\x85", "\r\n"), "a\r\nb\\x1b\\u0085");
}

TEST(CodePoint, IsReadFromTheFront) {
  EXPECT_EQ(first_code_point("a语").value, U'a');
  EXPECT_EQ(first_code_point("语a").value, U'语');
  EXPECT_EQ(first_code_point("\U0010ffff").value, U'\U0010ffff');
  EXPECT_EQ(first_code_point("语a").bytes.size(), 3u);
  EXPECT_TRUE(first_code_point("").bytes.empty());
}

}  // namespace
}  // namespace attest::reports

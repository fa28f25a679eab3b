#include "reports/utf8.h"

#include <array>
#include <cstddef>

namespace attest::reports {
namespace {

struct Form {
  unsigned mask, lead;  // of the first byte
  char32_t lowest;      // what a shorter form cannot hold
};
constexpr std::array forms = {Form{0x80, 0x00, 0}, Form{0xe0, 0xc0, 0x80}, Form{0xf0, 0xe0, 0x800},
                              Form{0xf8, 0xf0, 0x10000}};

}  // namespace

CodePoint first_code_point(std::string_view text) {
  if (text.empty()) return {};
  const CodePoint broken{.bytes = text.substr(0, 1)};
  const auto byte = [&](std::size_t n) -> unsigned { return static_cast<unsigned char>(text[n]); };
  for (std::size_t more = 0; more < forms.size(); ++more) {
    const Form& form = forms[more];
    if ((byte(0) & form.mask) != form.lead) continue;
    if (text.size() <= more) return broken;
    char32_t value = byte(0) & ~form.mask;
    for (std::size_t n = 1; n <= more; ++n) {
      if ((byte(n) & 0xc0) != 0x80) return broken;
      value = value << 6 | (byte(n) & 0x3f);
    }
    const bool surrogate = value >= 0xd800 && value < 0xe000;
    if (value < form.lowest || value > 0x10ffff || surrogate) return broken;
    return {.bytes = text.substr(0, more + 1), .value = value, .valid = true};
  }
  return broken;
}

}  // namespace attest::reports

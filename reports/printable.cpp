#include "reports/printable.h"

#include <fmt/format.h>

#include "reports/utf8.h"

namespace attest::reports {
namespace {

std::string spelt(const CodePoint& point) {
  if (!point.valid) return fmt::format("\\x{:02x}", static_cast<unsigned char>(point.bytes[0]));
  switch (point.value) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      const auto value = static_cast<unsigned>(point.value);
      return value < 0x80 ? fmt::format("\\x{:02x}", value) : fmt::format("\\u{:04x}", value);
  }
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const bool shown = point.valid && !point.is_control();
    if (shown || kept.find(point.bytes) != std::string_view::npos)
      out += point.bytes;
    else
      out += spelt(point);
    text.remove_prefix(point.bytes.size());
  }
  return out;
}

}  // namespace attest::reports

#include "reports/json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "reports/utf8.h"

namespace attest::reports {
namespace {

void require(bool promise, const char* what) {
  if (promise) return;
  std::fprintf(stderr, "attest: broken promise: JsonWriter: %s\n", what);
  std::abort();
}

bool is_integer(std::string_view digits) {
  if (digits.starts_with('-')) digits.remove_prefix(1);
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos &&
         (digits.size() == 1 || digits[0] != '0');
}

constexpr char32_t replacement = 0xfffd;  // stands for a byte that is not UTF-8

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    text.remove_prefix(point.bytes.size());
    switch (point.valid ? point.value : replacement) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (point.is_control() || !point.valid)
          out += fmt::format("\\u{:04x}",
                             static_cast<unsigned>(point.valid ? point.value : replacement));
        else
          out += point.bytes;
    }
  }
  return out + '"';
}

}  // namespace

void JsonWriter::before_value() {
  if (levels_.empty()) {
    require(text_.empty(), "a second document");
    return;
  }
  Level& level = levels_.back();
  if (level.object) {
    require(level.awaits_value, "a value without a key in an object");
    level.awaits_value = false;
    return;
  }
  text_ += level.has_members ? ",\n" : "\n";
  text_.append(2 * levels_.size(), ' ');
  level.has_members = true;
}

JsonWriter& JsonWriter::begin(bool object) {
  before_value();
  text_ += object ? '{' : '[';
  levels_.push_back({.object = object});
  return *this;
}

JsonWriter& JsonWriter::end(bool object) {
  require(!levels_.empty() && levels_.back().object == object, "an end without its begin");
  require(!levels_.back().awaits_value, "a key without a value");
  const bool had_members = levels_.back().has_members;
  levels_.pop_back();
  if (had_members) {
    text_ += '\n';
    text_.append(2 * levels_.size(), ' ');
  }
  text_ += object ? '}' : ']';
  return *this;
}

JsonWriter& JsonWriter::begin_object() { return begin(true); }
JsonWriter& JsonWriter::end_object() { return end(true); }
JsonWriter& JsonWriter::begin_array() { return begin(false); }
JsonWriter& JsonWriter::end_array() { return end(false); }

JsonWriter& JsonWriter::key(std::string_view name) {
  require(!levels_.empty() && levels_.back().object && !levels_.back().awaits_value,
          "a key outside an object, or after another key");
  Level& level = levels_.back();
  text_ += level.has_members ? ",\n" : "\n";
  text_.append(2 * levels_.size(), ' ');
  text_ += quoted(name) + ": ";
  level.has_members = level.awaits_value = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) { return raw(quoted(text)); }

JsonWriter& JsonWriter::integer(std::string_view digits) {
  require(is_integer(digits), "an integer that is not decimal digits");
  return raw(std::string(digits));
}

JsonWriter& JsonWriter::real(double number) {
  return raw(std::isfinite(number) ? fmt::format("{}", number) : "null");
}

JsonWriter& JsonWriter::boolean(bool truth) { return raw(truth ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(const std::string& token) {
  before_value();
  text_ += token;
  return *this;
}

std::string JsonWriter::str() const {
  require(levels_.empty() && !text_.empty(), "a document that is not complete");
  return text_ + '\n';
}

}  // namespace attest::reports

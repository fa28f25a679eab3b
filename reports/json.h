#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attest::reports {

// Writes one JSON document, indented by two spaces, in the order of the calls. Integers are given
// as decimal digits, so that they stay exact at any size. Calls that would not be JSON (a value
// without a key inside an object, an unbalanced end) are broken promises and abort.   [RFC8259]
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);  // escaped; a byte that is not UTF-8 becomes U+FFFD
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& integer(std::string_view digits);
  JsonWriter& real(double number);  // shortest text that reads back equal; null where not finite
  JsonWriter& boolean(bool truth);
  JsonWriter& null();

  // The document, with a final line break. Every begin must have been ended.
  std::string str() const;

 private:
  struct Level {
    bool object = false;
    bool has_members = false;
    bool awaits_value = false;
  };
  JsonWriter& begin(bool object);
  JsonWriter& end(bool object);
  JsonWriter& raw(const std::string& token);
  void before_value();

  std::string text_;
  std::vector<Level> levels_;
};

}  // namespace attest::reports

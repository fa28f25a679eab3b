#include "estimator/json_input.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include "attention/error.h"

namespace attest::estimator {
namespace {

using nlohmann::ordered_json;

constexpr int deepest_nesting = 64;
constexpr std::uintmax_t largest_file = std::uintmax_t{64} << 20;
constexpr std::size_t longest_reason = 160;

// The part of the parser's message that says where and what, cut to one readable line.
std::string reason(const std::string& message) {
  const std::size_t start = message.find("parse error");
  std::string line = start == std::string::npos ? message : message.substr(start);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return line.size() <= longest_reason ? line : line.substr(0, longest_reason) + "...";
}

// Refuses repeated keys and deep nesting while the parser walks through the text.
class Strictness {
 public:
  explicit Strictness(std::string name) : name_(std::move(name)) {}

  bool operator()(int depth, ordered_json::parse_event_t event, ordered_json& parsed) {
    using Event = ordered_json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= deepest_nesting)
        throw InputError(name_, "nesting deeper than " + std::to_string(deepest_nesting),
                         "JSON nested at most " + std::to_string(deepest_nesting) + " deep");
      keys_.emplace_back();
    } else if (event == Event::object_end || event == Event::array_end) {
      keys_.pop_back();
    } else if (event == Event::key) {
      const auto key = parsed.get<std::string>();
      if (!keys_.back().insert(key).second)
        throw InputError(name_, "the key \"" + key + "\" twice in one object", "each key once");
    }
    return true;
  }

 private:
  std::string name_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

ordered_json parse_json(std::string_view text, const std::string& name) {
  try {
    return ordered_json::parse(text, Strictness(name));
  } catch (const ordered_json::exception& error) {
    throw InputError(name, reason(error.what()), "one JSON document");
  }
}

std::string read_file(const std::string& path, const std::string& field) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(field, path + " (" + why + ")", "a file that can be read");
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse("a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  std::string content;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
    content.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (content.size() > largest_file) refuse("larger than 64 MiB");
  }
  if (file.bad()) refuse(std::strerror(errno));
  return content;
}

}  // namespace attest::estimator

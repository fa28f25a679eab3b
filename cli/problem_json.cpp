#include "cli/problem_json.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "attention/spelling.h"
#include "estimator/json_input.h"

namespace attest::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 15> known_keys = {
    "q",     "k",       "v",    "causal", "alignment", "window",    "key_lengths", "allow",
    "scale", "softcap", "bias", "sinks",  "head_map",  "empty_row", "alibi_slopes"};

[[noreturn]] void refuse(const std::string& field, const Json& got, const std::string& accepted) {
  std::string text = got.dump();
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  throw InputError(field, text, accepted);
}

double number(const std::string& field, const Json& value) {
  if (!value.is_number()) refuse(field, value, "a number");
  return value.get<double>();
}

double bias_element(const std::string& field, const Json& value) {
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (!value.is_number()) refuse(field, value, "a number, or \"-inf\" to hide the pair");
  return value.get<double>();
}

std::uint8_t allow_element(const std::string& field, const Json& value) {
  if (!value.is_boolean()) refuse(field, value, "true (visible) or false (hidden)");
  return value.get<bool>() ? 1 : 0;
}

Index whole_number(const std::string& field, const Json& value) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<Index>::max()}))
    refuse(field, value, "a whole number");
  return value.get<Index>();
}

bool boolean(const std::string& field, const Json& value) {
  if (!value.is_boolean()) refuse(field, value, "true or false");
  return value.get<bool>();
}

template <class Enum, std::size_t N>
Enum choice(const std::string& field, const Json& value,
            const std::array<std::pair<std::string_view, Enum>, N>& choices) {
  std::array<std::string_view, N> names;
  for (std::size_t n = 0; n < N; ++n) {
    if (value == choices[n].first) return choices[n].second;
    names[n] = choices[n].first;
  }
  const std::string word = value.is_string() ? value.get<std::string>() : "";
  refuse(field, value, listed(names) + did_you_mean(word, names));
}

// Levels of arrays around the first element.
std::size_t depth_of(const Json& value) {
  std::size_t depth = 0;
  for (const Json* level = &value; level->is_array() && !level->empty(); level = &level->front())
    ++depth;
  return depth;
}

// Fills one tensor from nested arrays, checking that every level has the extent of its first entry.
template <class T, class Read>
class TensorReader {
 public:
  TensorReader(std::string field, std::size_t rank, Read read)
      : field_(std::move(field)), rank_(rank), read_(read) {}

  Tensor<T> operator()(const Json& value) {
    if (depth_of(value) != rank_)
      throw InputError(field_, "arrays nested " + std::to_string(depth_of(value)) + " deep",
                       rank_ == 2 ? "rows of elements, [[...], ...], as in q"
                                  : "[[[[...]]]] (batch, heads, tokens, width), as in q");
    const Json* level = &value;
    for (std::size_t axis = 4 - rank_; axis < 4; ++axis, level = &level->front())
      tensor_.extents[axis] = static_cast<Index>(level->size());
    tensor_.elements.clear();
    read_level(value, 4 - rank_, field_);
    return std::move(tensor_);
  }

 private:
  void read_level(const Json& value, std::size_t axis, const std::string& place) {
    if (axis == 4) {
      tensor_.elements.push_back(read_(place, value));
      return;
    }
    const auto extent = static_cast<std::size_t>(tensor_.extents[axis]);
    if (!value.is_array()) refuse(place, value, "an array of " + std::to_string(extent));
    if (value.size() != extent)
      throw InputError(place, std::to_string(value.size()) + " elements",
                       std::to_string(extent) + ", as in the first (no row may be ragged)");
    for (std::size_t n = 0; n < extent; ++n)
      read_level(value[n], axis + 1, place + "[" + std::to_string(n) + "]");
  }

  std::string field_;
  std::size_t rank_;
  Read read_;
  Tensor<T> tensor_;
};

template <class T, class Read>
Tensor<T> read_tensor(const std::string& field, const Json& value, std::size_t rank, Read read) {
  return TensorReader<T, Read>(field, rank, read)(value);
}

template <class T, class Read>
std::vector<T> read_list(const std::string& field, const Json& value, Read read) {
  if (!value.is_array() || value.empty()) refuse(field, value, "a list of one element or more");
  std::vector<T> list;
  for (std::size_t n = 0; n < value.size(); ++n)
    list.push_back(read(field + "[" + std::to_string(n) + "]", value[n]));
  return list;
}

Window read_window(const Json& value) {
  const char* accepted = R"({"left": n, "right": n}, either left out for no limit)";
  if (!value.is_object()) refuse("window", value, accepted);
  Window window;
  for (const auto& [key, end] : value.items()) {
    if (key != "left" && key != "right") throw InputError("window", "key " + key, accepted);
    (key == "left" ? window.left : window.right) = whole_number("window." + key, end);
  }
  return window;
}

void read_options(const Json& json, std::size_t rank, OwnedProblem<double>& p) {
  const auto given = [&](const char* key, auto read) {
    if (const auto it = json.find(key); it != json.end()) read(key, *it);
  };
  using Choice = std::string_view;
  given("causal", [&](const char* key, const Json& v) { p.causal = boolean(key, v); });
  given("alignment", [&](const char* key, const Json& v) {
    p.alignment =
        choice<Alignment>(key, v,
                          std::array{std::pair{Choice("square"), Alignment::square},
                                     std::pair{Choice("top_left"), Alignment::top_left},
                                     std::pair{Choice("bottom_right"), Alignment::bottom_right}});
  });
  given("window", [&](const char*, const Json& v) { p.window = read_window(v); });
  given("key_lengths", [&](const char* key, const Json& v) {
    p.key_lengths = read_list<Index>(key, v, whole_number);
  });
  given("allow", [&](const char* key, const Json& v) {
    p.allow = read_tensor<std::uint8_t>(key, v, rank, allow_element);
  });
  given("scale", [&](const char* key, const Json& v) { p.scale = number(key, v); });
  given("softcap", [&](const char* key, const Json& v) { p.softcap = number(key, v); });
  given("bias", [&](const char* key, const Json& v) {
    p.bias = read_tensor<double>(key, v, rank, bias_element);
  });
  given("alibi_slopes", [&](const char* key, const Json& v) {
    p.alibi_slopes = read_list<double>(key, v, number);
  });
  given("sinks",
        [&](const char* key, const Json& v) { p.sinks = read_list<double>(key, v, number); });
  given("head_map", [&](const char* key, const Json& v) {
    p.head_map =
        choice<HeadMap>(key, v,
                        std::array{std::pair{Choice("blocked"), HeadMap::blocked},
                                   std::pair{Choice("interleaved"), HeadMap::interleaved}});
  });
  given("empty_row", [&](const char* key, const Json& v) {
    p.empty_row = choice<EmptyRow>(key, v,
                                   std::array{std::pair{Choice("error"), EmptyRow::error},
                                              std::pair{Choice("zero"), EmptyRow::zero},
                                              std::pair{Choice("nan"), EmptyRow::nan}});
  });
}

}  // namespace

OwnedProblem<double> problem_from_json(std::string_view text, const std::string& name) {
  const Json json = estimator::parse_json(text, name);
  if (!json.is_object()) refuse(name, json, "an object with q, k and v");
  for (const auto& item : json.items())
    if (std::ranges::find(known_keys, item.key()) == known_keys.end())
      throw InputError(name, "the key \"" + item.key() + "\"",
                       listed(known_keys) + did_you_mean(item.key(), known_keys));
  for (const char* key : {"q", "k", "v"})
    if (!json.contains(key)) throw InputError(name, std::string("no ") + key, "q, k and v");

  const std::size_t rank = depth_of(json["q"]);
  if (rank != 2 && rank != 4)
    throw InputError("q", "arrays nested " + std::to_string(rank) + " deep",
                     "rows [[...], ...] (tokens, width), or [[[[...]]]] (batch, heads, tokens, "
                     "width)");
  OwnedProblem<double> p;
  p.q = read_tensor<double>("q", json["q"], rank, number);
  p.k = read_tensor<double>("k", json["k"], rank, number);
  p.v = read_tensor<double>("v", json["v"], rank, number);
  read_options(json, rank, p);
  return p;
}

}  // namespace attest::cli

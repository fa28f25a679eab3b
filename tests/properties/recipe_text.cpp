// A recipe as one line, and back.
#include <fmt/format.h>

#include <charconv>
#include <span>
#include <utility>

#include "attention/error.h"
#include "attention/spelling.h"
#include "tests/properties/recipe.h"

namespace attest::properties {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 11> values_names = {
    "integers",   "normal", "tiny",    "huge",         "negative", "massive",
    "equal-keys", "ties",   "one-hot", "large-values", "subnormal"};
constexpr std::array<std::string_view, 3> lengths_names = {"full", "drawn", "ragged"};
constexpr std::array<std::string_view, 5> allow_names = {"none", "half", "dense", "sparse",
                                                         "single"};
constexpr std::array<std::string_view, 3> bias_names = {"none", "normal", "holes"};
constexpr std::array<std::string_view, 5> layout_names = {"row-major", "tokens-first", "padded",
                                                          "transposed", "reversed"};
constexpr std::array<std::string_view, 3> alignment_names = {"square", "top-left", "bottom-right"};
constexpr std::array<std::string_view, 2> head_map_names = {"blocked", "interleaved"};
constexpr std::array<std::string_view, 3> empty_names = {"error", "zero", "nan"};

template <class Enum>
std::string_view name_in(Names names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

template <class Enum>
Enum value_in(Names names, const std::string& field, std::string_view word) {
  for (std::size_t n = 0; n < names.size(); ++n)
    if (names[n] == word) return static_cast<Enum>(n);
  throw InputError(field, "\"" + std::string(word) + "\"",
                   listed(names) + did_you_mean(word, names));
}

template <class Number>
Number number_in(const std::string& field, std::string_view word, Number least, Number most) {
  Number n{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
  if (error != std::errc() || end != word.data() + word.size() || n < least || n > most)
    throw InputError(field, "\"" + std::string(word) + "\"",
                     fmt::format("a whole number of {} to {}", least, most));
  return n;
}

// "half/bq": broadcast over batch and queries.
std::string broadcast_text(const Broadcast& b) {
  std::string text;
  if (b.batch) text += 'b';
  if (b.heads) text += 'h';
  if (b.queries) text += 'q';
  if (b.keys) text += 'k';
  return text.empty() ? text : "/" + text;
}

Broadcast broadcast_in(const std::string& field, std::string_view letters) {
  Broadcast b;
  for (const char letter : letters) {
    bool& axis = letter == 'b'   ? b.batch
                 : letter == 'h' ? b.heads
                 : letter == 'q' ? b.queries
                                 : b.keys;
    if (std::string_view("bhqk").find(letter) == std::string_view::npos)
      throw InputError(field, "broadcast \"" + std::string(letters) + "\"",
                       "letters of b, h, q and k");
    axis = true;
  }
  return b;
}

std::string window_text(const Window& w) {
  const auto end = [](const std::optional<Index>& n) {
    return n ? std::to_string(*n) : std::string();
  };
  return end(w.left) + "," + end(w.right);
}

constexpr Index most_tokens = 1 << 20;

Window window_in(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos)
    throw InputError("window", "\"" + std::string(text) + "\"", "LEFT,RIGHT, either left empty");
  const auto end = [](const std::string& field, std::string_view word) -> std::optional<Index> {
    if (word.empty()) return std::nullopt;
    return number_in<Index>(field, word, 0, most_tokens);
  };
  return {end("window left", text.substr(0, comma)), end("window right", text.substr(comma + 1))};
}

std::pair<std::string_view, std::string_view> cut(std::string_view text, char at) {
  const std::size_t place = text.find(at);
  if (place == std::string_view::npos) return {text, {}};
  return {text.substr(0, place), text.substr(place + 1)};
}

bool read_switch(Recipe& r, std::string_view word) {
  if (word == "causal") return r.causal = true;
  if (word == "softcap") return r.softcap = true;
  if (word == "alibi") return r.alibi = true;
  if (word == "sinks") return r.sinks = true;
  if (word == "scale") return r.given_scale = true;
  return false;
}

bool read_extent(Recipe& r, std::string_view key, std::string_view word) {
  struct Extent {
    std::string_view key;
    Index Shape::*field;
  };
  constexpr std::array<Extent, 7> extents = {
      Extent{"B", &Shape::batch},        Extent{"Hq", &Shape::query_heads},
      Extent{"Hkv", &Shape::kv_heads},   Extent{"Nq", &Shape::queries},
      Extent{"Nk", &Shape::keys},        Extent{"d", &Shape::width},
      Extent{"dv", &Shape::value_width},
  };
  for (const Extent& extent : extents)
    if (extent.key == key) {
      r.shape.*extent.field = number_in<Index>(std::string(key), word, 1, most_tokens);
      return true;
    }
  return false;
}

bool read_option(Recipe& r, const std::string& key, std::string_view word) {
  const auto [kind, letters] = cut(word, '/');
  if (key == "values")
    r.values = value_in<Values>(values_names, key, word);
  else if (key == "magnitude")
    r.magnitude = number_in<int>(key, word, -2000, 2000);
  else if (key == "bias") {
    r.bias = value_in<Bias>(bias_names, key, kind);
    r.bias_broadcast = broadcast_in(key, letters);
  } else if (key == "align")
    r.alignment = value_in<Alignment>(alignment_names, key, word);
  else if (key == "window")
    r.window = window_in(word);
  else if (key == "lengths")
    r.lengths = value_in<Lengths>(lengths_names, key, word);
  else if (key == "allow") {
    r.allow = value_in<Allow>(allow_names, key, kind);
    r.allow_broadcast = broadcast_in(key, letters);
  } else if (key == "heads")
    r.head_map = value_in<HeadMap>(head_map_names, key, word);
  else if (key == "empty")
    r.empty_row = value_in<EmptyRow>(empty_names, key, word);
  else if (key == "layout")
    r.layout = value_in<Layout>(layout_names, key, word);
  else if (key == "seed")
    r.seed = number_in<std::uint64_t>(key, word, 0, UINT64_MAX);
  else if (key == "tiles") {
    const auto [queries, keys] = cut(word, 'x');
    r.tiles = {number_in<Index>(key, queries, 1, most_tokens),
               number_in<Index>(key, keys, 1, most_tokens)};
  } else
    return false;
  return true;
}

}  // namespace

std::string to_line(const Recipe& r) {
  const Recipe plain;
  std::string line(name_of(r.element));
  const Shape& s = r.shape;
  line += fmt::format(" B={} Hq={} Hkv={} Nq={} Nk={} d={} dv={}", s.batch, s.query_heads,
                      s.kv_heads, s.queries, s.keys, s.width, s.value_width);
  line += fmt::format(" values={}", name_in(values_names, r.values));
  if (r.magnitude != 0) line += fmt::format(" magnitude={}", r.magnitude);
  if (r.given_scale) line += " scale";
  if (r.softcap) line += " softcap";
  if (r.alibi) line += " alibi";
  if (r.sinks) line += " sinks";
  if (r.bias != Bias::none)
    line +=
        fmt::format(" bias={}{}", name_in(bias_names, r.bias), broadcast_text(r.bias_broadcast));
  if (r.causal) line += " causal";
  if (r.alignment != plain.alignment)
    line += fmt::format(" align={}", name_in(alignment_names, r.alignment));
  if (r.window.limited()) line += fmt::format(" window={}", window_text(r.window));
  if (r.lengths != plain.lengths)
    line += fmt::format(" lengths={}", name_in(lengths_names, r.lengths));
  if (r.allow != Allow::none)
    line += fmt::format(" allow={}{}", name_in(allow_names, r.allow),
                        broadcast_text(r.allow_broadcast));
  if (r.head_map != plain.head_map)
    line += fmt::format(" heads={}", name_in(head_map_names, r.head_map));
  if (r.empty_row != plain.empty_row)
    line += fmt::format(" empty={}", name_in(empty_names, r.empty_row));
  if (r.layout != plain.layout) line += fmt::format(" layout={}", name_in(layout_names, r.layout));
  if (r.tiles.queries != plain.tiles.queries || r.tiles.keys != plain.tiles.keys)
    line += fmt::format(" tiles={}x{}", r.tiles.queries, r.tiles.keys);
  return line + fmt::format(" seed={}", r.seed);
}

Recipe parse_recipe(std::string_view line) {
  Recipe r;
  bool first = true;
  while (!line.empty()) {
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    line = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
    if (word.empty()) continue;
    if (std::exchange(first, false)) {
      r.element = value_in<Element>(element_names, "element", word);
      continue;
    }
    const auto [key, value] = cut(word, '=');
    if (read_switch(r, word) || read_extent(r, key, value) ||
        read_option(r, std::string(key), value))
      continue;
    throw InputError("recipe", "\"" + std::string(word) + "\"",
                     "an element type, then words such as B=1 Nq=3 values=integers causal seed=7");
  }
  if (first) throw InputError("recipe", "an empty line", "f32 B=1 Hq=1 ... seed=0");
  validate(r.shape);
  return r;
}

std::vector<std::string> labels_of(const Recipe& r) {
  const Shape& s = r.shape;
  std::vector<std::string> labels{"type " + std::string(name_of(r.element)),
                                  "values " + std::string(name_in(values_names, r.values))};
  const auto label = [&](bool holds, const char* name) {
    if (holds) labels.emplace_back(name);
  };
  label(s.batch > 1, "B > 1");
  label(s.query_heads > s.kv_heads, "Hq > Hkv");
  label(s.kv_heads > 1, "Hkv > 1");
  label(s.queries == 1, "Nq = 1");
  label(s.keys == 1, "Nk = 1");
  label(s.queries < s.keys, "Nq < Nk");
  label(s.queries > s.keys, "Nq > Nk");
  label(s.width == 1, "d = 1");
  label(s.width != s.value_width, "dv != d");
  label(s.keys > r.tiles.keys, "several key tiles");
  label(s.keys > r.tiles.keys && s.keys % r.tiles.keys != 0, "ragged last tile");
  label(r.given_scale, "scale given");
  label(r.softcap, "softcap");
  label(r.alibi, "ALiBi");
  label(r.sinks, "sinks");
  label(r.bias != Bias::none, "bias");
  label(r.bias == Bias::holes, "bias -inf");
  label(r.causal, "causal");
  label(r.causal && r.alignment == Alignment::bottom_right, "causal bottom-right");
  label(r.causal && r.alignment == Alignment::top_left && s.queries != s.keys, "causal top-left");
  label(r.window.limited(), "window");
  label(r.lengths != Lengths::full, "lengths");
  label(r.allow != Allow::none, "allow mask");
  label(r.hides(), "something hidden");
  label(r.head_map == HeadMap::interleaved, "heads interleaved");
  label(r.layout != Layout::row_major, "strided");
  return labels;
}

}  // namespace attest::properties

#include "tests/problem_files/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "attention/error.h"
#include "attention/spelling.h"
#include "estimator/json_input.h"

namespace attest::problem_files {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

using Json = nlohmann::ordered_json;

constexpr std::uint64_t longest_header = 100'000'000;  // as the format's own readers
constexpr std::size_t most_axes = 8;

constexpr std::array<std::string_view, 8> type_names = {"BOOL", "U8",   "I32", "I64",
                                                        "F16",  "BF16", "F32", "F64"};
constexpr std::array<std::size_t, 8> type_sizes = {1, 1, 4, 8, 2, 2, 4, 8};

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

StoredType type_of(const std::string& field, const Json& value) {
  for (std::size_t n = 0; n < type_names.size(); ++n)
    if (value.is_string() && value.get_ref<const std::string&>() == type_names[n])
      return static_cast<StoredType>(n);
  throw InputError(field + ": dtype", shown(value), listed(type_names));
}

std::uint64_t whole(const std::string& field, const Json& value) {
  if (!value.is_number_unsigned())
    throw InputError(field, shown(value), "a whole number, 0 or more");
  return value.get<std::uint64_t>();
}

struct Placed {
  std::string name;
  StoredTensor tensor;
  std::uint64_t begin = 0, end = 0;
};

Placed placed(const std::string& file, const std::string& name, const Json& entry) {
  const std::string field = file + ": tensor \"" + name + "\"";
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets"))
    throw InputError(field, shown(entry), "an object of dtype, shape and data_offsets");
  Placed p{.name = name, .tensor = {.type = type_of(field, entry["dtype"])}};
  const Json& shape = entry["shape"];
  if (!shape.is_array() || shape.size() > most_axes)
    throw InputError(field + ": shape", shown(shape), "at most 8 extents");
  std::uint64_t bytes = size_of(p.tensor.type);
  for (const Json& extent : shape) {
    const std::uint64_t n = whole(field + ": shape", extent);
    if (n > INT64_MAX || __builtin_mul_overflow(bytes, n, &bytes) || bytes > INT64_MAX)
      throw InputError(field + ": shape", shown(shape), "a tensor of fewer than 2^63 bytes");
    p.tensor.shape.push_back(static_cast<Index>(n));
  }
  const Json& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2)
    throw InputError(field + ": data_offsets", shown(offsets), "[begin, end]");
  p.begin = whole(field + ": data_offsets", offsets[0]);
  p.end = whole(field + ": data_offsets", offsets[1]);
  if (p.end < p.begin || p.end - p.begin != bytes)
    throw InputError(field + ": data_offsets", shown(offsets),
                     std::to_string(bytes) + " bytes, as dtype and shape say");
  return p;
}

void check_booleans(const std::string& file, const Placed& p) {
  if (p.tensor.type != StoredType::boolean) return;
  for (const char byte : p.tensor.bytes)
    if (byte != 0 && byte != 1)
      throw InputError(file + ": tensor \"" + p.name + "\"",
                       "the boolean " + std::to_string(static_cast<unsigned char>(byte)), "0 or 1");
}

// Tensors fill the data without holes or overlaps.
void place_bytes(const std::string& file, std::string_view data, std::vector<Placed>& tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t next = 0;
  for (Placed& p : tensors) {
    if (p.begin != next || p.end > data.size())
      throw InputError(
          file + ": tensor \"" + p.name + "\": data_offsets",
          "[" + std::to_string(p.begin) + ", " + std::to_string(p.end) + "]",
          "bytes from " + std::to_string(next) + " on, of " + std::to_string(data.size()));
    next = p.end;
    p.tensor.bytes = data.substr(p.begin, p.end - p.begin);
    check_booleans(file, p);
  }
  if (next != data.size())
    throw InputError(file, std::to_string(data.size() - next) + " bytes after the last tensor",
                     "nothing after it");
}

void read_metadata(const std::string& file, const Json& entries, SafeTensors& out) {
  if (!entries.is_object())
    throw InputError(file + ": __metadata__", shown(entries), "an object of strings");
  for (const auto& [key, value] : entries.items()) {
    if (!value.is_string())
      throw InputError(file + ": __metadata__: " + key, shown(value), "a string");
    out.metadata[key] = value.get<std::string>();
  }
}

}  // namespace

std::size_t size_of(StoredType type) { return type_sizes[static_cast<std::size_t>(type)]; }
std::string_view name_of(StoredType type) { return type_names[static_cast<std::size_t>(type)]; }

Index StoredTensor::elements() const {
  Index n = 1;
  for (const Index extent : shape) n *= extent;
  return n;
}

const StoredTensor* SafeTensors::find(std::string_view name) const {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

SafeTensors read_safetensors(std::string_view content, const std::string& name) {
  std::uint64_t length = 0;
  if (content.size() < sizeof length)
    throw InputError(name, std::to_string(content.size()) + " bytes", "a safetensors file");
  std::memcpy(&length, content.data(), sizeof length);
  const std::uint64_t rest = content.size() - sizeof length;
  if (length > rest || length > longest_header)
    throw InputError(
        name, "a header of " + std::to_string(length) + " bytes",
        "a safetensors file, whose header fits into its " + std::to_string(rest) + " bytes");
  const Json header = estimator::parse_json(content.substr(sizeof length, length), name);
  if (!header.is_object())
    throw InputError(name, shown(header), "a header that is an object of tensors");
  SafeTensors file;
  std::vector<Placed> tensors;
  for (const auto& [key, entry] : header.items()) {
    if (key == "__metadata__")
      read_metadata(name, entry, file);
    else
      tensors.push_back(placed(name, key, entry));
  }
  place_bytes(name, content.substr(sizeof length + length), tensors);
  for (Placed& p : tensors) file.tensors.emplace(std::move(p.name), std::move(p.tensor));
  return file;
}

std::string write_safetensors(const SafeTensors& file) {
  Json header = Json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::string data;
  for (const auto& [name, tensor] : file.tensors) {
    header[name] = {{"dtype", name_of(tensor.type)},
                    {"shape", tensor.shape},
                    {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // data starts on eight bytes
  const std::uint64_t length = text.size();
  std::string content(sizeof length, '\0');
  std::memcpy(content.data(), &length, sizeof length);
  return content + text + data;
}

}  // namespace attest::problem_files

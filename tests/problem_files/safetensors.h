#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attention/shape.h"

namespace attest::problem_files {

// The element types that are read and written.                                  [safetensors]
enum class StoredType { boolean, u8, i32, i64, f16, bf16, f32, f64 };

std::size_t size_of(StoredType type);
std::string_view name_of(StoredType type);  // "BOOL", "F16", ...

// One tensor of a file: its bytes, little-endian and row-major.
struct StoredTensor {
  StoredType type = StoredType::f32;
  std::vector<Index> shape{};
  std::string_view bytes{};  // of the file's content, which must outlive it

  Index elements() const;
};

// A safetensors file's content: eight bytes of header length, a JSON header, the tensors' bytes.
struct SafeTensors {
  std::map<std::string, StoredTensor, std::less<>> tensors{};
  std::map<std::string, std::string, std::less<>> metadata{};

  const StoredTensor* find(std::string_view name) const;
};

// Reads `content`, which must outlive the result. Throws InputError (`name` stands for the file)
// for anything that is not a whole, consistent file: a header longer than the file or 100 MB, JSON
// of another form, repeated names, unknown types, sizes that overflow or do not fit their bytes,
// bytes that overlap, leave holes or lie outside, booleans other than 0 and 1.
SafeTensors read_safetensors(std::string_view content, const std::string& name);

// The content of a file with these tensors, in order of their names.
std::string write_safetensors(const SafeTensors& file);

}  // namespace attest::problem_files

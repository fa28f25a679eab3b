#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "estimator/amount.h"

namespace attest::estimator {

// A storage format. An element takes exactly block_bytes / block_elements bytes; formats with
// blocks of one element are plain types.
struct DType {
  std::string_view name;
  std::uint32_t block_elements;
  std::uint32_t block_bytes;
  std::string_view source;  // bibliography key

  // Bytes per element as it stands in a formula: "2", "34/32".
  std::string bytes_per_element() const;
};

// Every known format, plain types first.
std::span<const DType> dtypes();

// Looks a format up by name, by its safetensors, PyTorch or ggml spelling, in any case ("f16",
// "float16", "half", "torch.float16", "F16"; "q8_0"; "fp8"). Throws InputError(`field`) for an
// unknown name, listing what is accepted and the nearest names.
const DType& find_dtype(std::string_view name, std::string_view field = "dtype");

// Exact size. Throws InputError where the elements do not fill whole blocks.
Bytes size_of(Elements elements, const DType& dtype);

}  // namespace attest::estimator

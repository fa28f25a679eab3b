#include "estimator/dtype.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "attention/error.h"
#include "attention/spelling.h"

namespace attest::estimator {
namespace {

constexpr std::array formats = {
    DType{"f64", 1, 8, "IEEE754"},     DType{"f32", 1, 4, "IEEE754"},
    DType{"f16", 1, 2, "IEEE754"},     DType{"bf16", 1, 2, "BF16"},
    DType{"f8_e4m3", 1, 1, "OCP-FP8"}, DType{"f8_e5m2", 1, 1, "OCP-FP8"},
    DType{"i64", 1, 8, "safetensors"}, DType{"i32", 1, 4, "safetensors"},
    DType{"i16", 1, 2, "safetensors"}, DType{"i8", 1, 1, "safetensors"},
    DType{"u8", 1, 1, "safetensors"},  DType{"bool", 1, 1, "safetensors"},
    DType{"i4", 2, 1, "ggml"},         DType{"q1_0", 128, 18, "ggml"},
    DType{"q4_0", 32, 18, "ggml"},     DType{"q4_1", 32, 20, "ggml"},
    DType{"q5_0", 32, 22, "ggml"},     DType{"q5_1", 32, 24, "ggml"},
    DType{"q8_0", 32, 34, "ggml"},     DType{"q8_1", 32, 36, "ggml"},
    DType{"iq4_nl", 32, 18, "ggml"},   DType{"mxfp4", 32, 17, "OCP-MX"},
    DType{"nvfp4", 64, 36, "ggml"},    DType{"q2_k", 256, 84, "ggml"},
    DType{"q3_k", 256, 110, "ggml"},   DType{"q4_k", 256, 144, "ggml"},
    DType{"q5_k", 256, 176, "ggml"},   DType{"q6_k", 256, 210, "ggml"},
    DType{"q8_k", 256, 292, "ggml"},   DType{"iq1_s", 256, 50, "ggml"},
    DType{"iq1_m", 256, 56, "ggml"},   DType{"iq2_xxs", 256, 66, "ggml"},
    DType{"iq2_xs", 256, 74, "ggml"},  DType{"iq2_s", 256, 82, "ggml"},
    DType{"iq3_xxs", 256, 98, "ggml"}, DType{"iq3_s", 256, 110, "ggml"},
    DType{"iq4_xs", 256, 136, "ggml"}, DType{"tq1_0", 256, 54, "ggml"},
    DType{"tq2_0", 256, 66, "ggml"},
};

struct Alias {
  std::string_view spelling;
  std::string_view name;
};
constexpr std::array aliases = {
    Alias{"float64", "f64"},   Alias{"double", "f64"},       Alias{"fp64", "f64"},
    Alias{"float32", "f32"},   Alias{"float", "f32"},        Alias{"fp32", "f32"},
    Alias{"float16", "f16"},   Alias{"half", "f16"},         Alias{"fp16", "f16"},
    Alias{"bfloat16", "bf16"}, Alias{"fp8", "f8_e4m3"},      Alias{"f8", "f8_e4m3"},
    Alias{"e4m3", "f8_e4m3"},  Alias{"fp8_e4m3", "f8_e4m3"}, Alias{"float8_e4m3fn", "f8_e4m3"},
    Alias{"e5m2", "f8_e5m2"},  Alias{"fp8_e5m2", "f8_e5m2"}, Alias{"float8_e5m2", "f8_e5m2"},
    Alias{"int64", "i64"},     Alias{"int32", "i32"},        Alias{"int16", "i16"},
    Alias{"int8", "i8"},       Alias{"uint8", "u8"},         Alias{"int4", "i4"},
};

std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text.starts_with("torch.") ? text.substr(6) : text;
}

}  // namespace

std::string DType::bytes_per_element() const {
  return block_elements == 1 ? std::to_string(block_bytes)
                             : std::to_string(block_bytes) + "/" + std::to_string(block_elements);
}

std::span<const DType> dtypes() { return formats; }

const DType& find_dtype(std::string_view name, std::string_view field) {
  std::string wanted = folded(name);
  for (const Alias& alias : aliases)
    if (alias.spelling == wanted) wanted = alias.name;
  std::vector<std::string_view> names;
  for (const DType& format : formats) {
    if (format.name == wanted) return format;
    names.push_back(format.name);
  }
  const std::string accepted = listed(names);
  for (const Alias& alias : aliases) names.push_back(alias.spelling);
  throw InputError(std::string(field), "\"" + std::string(name) + "\"",
                   accepted + did_you_mean(wanted, names));
}

Bytes size_of(Elements elements, const DType& dtype) {
  if (elements.count() % dtype.block_elements != 0)
    throw InputError("elements", to_string(elements),
                     "whole " + std::string(dtype.name) + " blocks of " +
                         std::to_string(dtype.block_elements) + " elements");
  return Bytes::of(elements.count() / dtype.block_elements) * dtype.block_bytes;
}

}  // namespace attest::estimator

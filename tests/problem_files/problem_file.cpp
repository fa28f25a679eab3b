#include "tests/problem_files/problem_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "attention/error.h"
#include "attention/spelling.h"
#include "estimator/json_input.h"
#include "tests/problem_files/onnx_attention.h"

namespace attest::problem_files {
namespace {

constexpr std::array<std::string_view, 3> alignment_names = {"square", "top-left", "bottom-right"};
constexpr std::array<std::string_view, 2> head_map_names = {"blocked", "interleaved"};
constexpr std::array<std::string_view, 3> empty_row_names = {"error", "zero", "nan"};
constexpr std::array<std::string_view, 11> tensor_names = {"q",
                                                           "k",
                                                           "v",
                                                           "allow",
                                                           "bias",
                                                           "key_lengths",
                                                           "alibi_slopes",
                                                           "sinks",
                                                           "expected.output",
                                                           "expected.lse",
                                                           "expected.weights"};
constexpr std::array<std::string_view, 11> metadata_names = {"causal",
                                                             "alignment",
                                                             "window_left",
                                                             "window_right",
                                                             "scale",
                                                             "softcap",
                                                             "head_map",
                                                             "empty_row",
                                                             "format",
                                                             "tolerance_absolute",
                                                             "tolerance_relative"};

template <class Stored>
Stored stored_at(std::string_view bytes, std::size_t n) {
  Stored x;
  std::memcpy(&x, bytes.data() + n * sizeof x, sizeof x);
  return x;
}

// One element as the type asked for; exact or refused.
template <class T>
T element(const StoredTensor& t, std::size_t n, const std::string& field) {
  const auto exactly = [&](double x) {
    if constexpr (std::is_same_v<T, double>) {
      return x;
    } else if constexpr (std::is_integral_v<T>) {
      throw InputError(field, std::string(name_of(t.type)), "whole numbers");
      return T{};
    } else {
      const auto narrowed = narrow<T>(static_cast<Accumulator<T>>(x));
      if (static_cast<double>(widen(narrowed)) != x && !std::isnan(x))
        throw InputError(field, std::to_string(x), "numbers that the problem's type holds exactly");
      return narrowed;
    }
  };
  switch (t.type) {
    case StoredType::f16:
      if constexpr (std::is_same_v<T, Float16>) return stored_at<Float16>(t.bytes, n);
      return exactly(static_cast<double>(stored_at<Float16>(t.bytes, n).to_float()));
    case StoredType::bf16:
      if constexpr (std::is_same_v<T, BFloat16>) return stored_at<BFloat16>(t.bytes, n);
      return exactly(static_cast<double>(stored_at<BFloat16>(t.bytes, n).to_float()));
    case StoredType::f32:
      if constexpr (std::is_same_v<T, float>) return stored_at<float>(t.bytes, n);
      return exactly(static_cast<double>(stored_at<float>(t.bytes, n)));
    case StoredType::f64:
      return exactly(stored_at<double>(t.bytes, n));
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (t.type) {
      case StoredType::i32:
        return static_cast<T>(stored_at<std::int32_t>(t.bytes, n));
      case StoredType::i64:
        return static_cast<T>(stored_at<std::int64_t>(t.bytes, n));
      default:
        return static_cast<T>(stored_at<std::uint8_t>(t.bytes, n));
    }
  }
  throw InputError(field, std::string(name_of(t.type)), "floating-point numbers");
}

class Reader {
 public:
  Reader(const SafeTensors& file, const std::string& name) : file_(file), name_(name) {}

  ProblemFile read() const {
    refuse_unknown();
    const StoredTensor& q = required("q");
    switch (q.type) {
      case StoredType::f64:
        return {problem<double>(), expected()};
      case StoredType::f32:
        return {problem<float>(), expected()};
      case StoredType::f16:
        return {problem<Float16>(), expected()};
      case StoredType::bf16:
        return {problem<BFloat16>(), expected()};
      default:
        throw InputError(field("q"), std::string(name_of(q.type)), "F16, BF16, F32 or F64");
    }
  }

 private:
  std::string field(std::string_view tensor) const { return name_ + ": " + std::string(tensor); }

  void refuse_unknown() const {
    const auto check = [&](const auto& entries, const auto& known, const char* kind) {
      for (const auto& entry : entries)
        if (std::find(known.begin(), known.end(), entry.first) == known.end())
          throw InputError(name_ + ": " + kind, "\"" + entry.first + "\"",
                           listed(known) + did_you_mean(entry.first, known));
    };
    check(file_.tensors, tensor_names, "tensor");
    check(file_.metadata, metadata_names, "metadata");
  }

  const StoredTensor& required(std::string_view tensor) const {
    const StoredTensor* found = file_.find(tensor);
    if (found == nullptr) throw InputError(field(tensor), "no such tensor", "q, k and v");
    return *found;
  }

  template <class T>
  Tensor<T> tensor(const StoredTensor& stored, std::string_view what) const {
    Tensor<T> t(extents_of(stored, field(what)));
    t.elements = elements_of<T>(stored, field(what));
    return t;
  }

  template <class T>
  std::vector<T> numbers(std::string_view what) const {
    const StoredTensor* stored = file_.find(what);
    if (stored == nullptr) return {};
    if (stored->shape.size() != 1)
      throw InputError(field(what), "rank " + std::to_string(stored->shape.size()), "rank 1");
    return elements_of<T>(*stored, field(what));
  }

  template <class T>
  OwnedProblem<T> problem() const {
    using Acc = Accumulator<T>;
    OwnedProblem<T> p;
    for (auto [t, what] : {std::pair(&p.q, "q"), std::pair(&p.k, "k"), std::pair(&p.v, "v")}) {
      const StoredTensor& stored = required(what);
      if (stored.type != required("q").type)
        throw InputError(field(what), std::string(name_of(stored.type)), "the type of q");
      *t = tensor<T>(stored, what);
    }
    if (const StoredTensor* allow = file_.find("allow")) {
      if (allow->type != StoredType::boolean)
        throw InputError(field("allow"), std::string(name_of(allow->type)), "BOOL");
      p.allow = tensor<std::uint8_t>(*allow, "allow");
    }
    if (const StoredTensor* bias = file_.find("bias")) p.bias = tensor<Acc>(*bias, "bias");
    p.key_lengths = numbers<Index>("key_lengths");
    p.alibi_slopes = numbers<Acc>("alibi_slopes");
    p.sinks = numbers<Acc>("sinks");
    p.causal = choice("causal", std::array<std::string_view, 2>{"false", "true"}, 0) == 1;
    p.alignment = static_cast<Alignment>(choice("alignment", alignment_names, 0));
    p.head_map = static_cast<HeadMap>(choice("head_map", head_map_names, 0));
    p.empty_row = static_cast<EmptyRow>(choice("empty_row", empty_row_names, 0));
    p.window = {extent("window_left"), extent("window_right")};
    p.scale = real("scale");
    p.softcap = real("softcap");
    return p;
  }

  ExpectedResult expected() const {
    ExpectedResult e;
    for (auto [t, what] :
         {std::pair(&e.output, "expected.output"), std::pair(&e.lse, "expected.lse"),
          std::pair(&e.weights, "expected.weights")})
      if (const StoredTensor* stored = file_.find(what)) *t = tensor<double>(*stored, what);
    e.absolute = real("tolerance_absolute").value_or(0);
    e.relative = real("tolerance_relative").value_or(0);
    return e;
  }

  template <std::size_t N>
  std::size_t choice(std::string_view key, const std::array<std::string_view, N>& names,
                     std::size_t otherwise) const {
    const auto found = file_.metadata.find(key);
    if (found == file_.metadata.end()) return otherwise;
    for (std::size_t n = 0; n < N; ++n)
      if (names[n] == found->second) return n;
    throw InputError(field(key), "\"" + found->second + "\"",
                     listed(names) + did_you_mean(found->second, names));
  }

  std::optional<Index> extent(std::string_view key) const {
    const auto found = file_.metadata.find(key);
    if (found == file_.metadata.end()) return std::nullopt;
    Index n = 0;
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size())
      throw InputError(field(key), "\"" + text + "\"", "a whole number");
    return n;
  }

  std::optional<double> real(std::string_view key) const {
    const auto found = file_.metadata.find(key);
    if (found == file_.metadata.end()) return std::nullopt;
    double x = 0;
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || end != text.data() + text.size())
      throw InputError(field(key), "\"" + text + "\"", "a number");
    return x;
  }

  const SafeTensors& file_;
  const std::string& name_;
};

template <class T>
constexpr StoredType stored_type = StoredType::f32;
template <>
inline constexpr StoredType stored_type<double> = StoredType::f64;
template <>
inline constexpr StoredType stored_type<Float16> = StoredType::f16;
template <>
inline constexpr StoredType stored_type<BFloat16> = StoredType::bf16;
template <>
inline constexpr StoredType stored_type<std::uint8_t> = StoredType::boolean;
template <>
inline constexpr StoredType stored_type<Index> = StoredType::i64;

template <class T>
std::string_view bytes_of(const std::vector<T>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}

class Writer {
 public:
  template <class T>
  void tensor(const char* name, const Tensor<T>& t) {
    file_.tensors[name] = {
        stored_type<T>, {t.extents.begin(), t.extents.end()}, bytes_of(t.elements)};
  }
  template <class T>
  void numbers(const char* name, const std::vector<T>& n) {
    if (!n.empty()) file_.tensors[name] = {stored_type<T>, {std::ssize(n)}, bytes_of(n)};
  }
  void text(const char* key, std::string_view value) { file_.metadata[key] = value; }
  void real(const char* key, double x) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
    text(key, {digits.data(), static_cast<std::size_t>(end - digits.data())});
  }

  std::string content() const { return write_safetensors(file_); }

 private:
  SafeTensors file_;
};

}  // namespace

template <class T>
std::vector<T> elements_of(const StoredTensor& tensor, const std::string& field) {
  std::vector<T> elements;
  const auto count = static_cast<std::size_t>(tensor.elements());
  elements.reserve(count);
  for (std::size_t n = 0; n < count; ++n) elements.push_back(element<T>(tensor, n, field));
  return elements;
}

Extents extents_of(const StoredTensor& tensor, const std::string& field) {
  if (tensor.shape.size() != 4)
    throw InputError(field, "rank " + std::to_string(tensor.shape.size()), "rank 4");
  Extents e{};
  for (std::size_t n = 0; n < 4; ++n) {
    e[n] = tensor.shape[n];
    if (e[n] < 1) throw InputError(field, "an extent of 0", "extents of 1 or more");
  }
  return e;
}

ProblemFile read_problem(std::string_view content, const std::string& name) {
  const SafeTensors file = read_safetensors(content, name);
  const auto op = file.metadata.find("op");
  if (op != file.metadata.end()) return read_onnx_attention(file, name);
  return Reader(file, name).read();
}

ProblemFile read_problem_file(const std::string& path) {
  return read_problem(estimator::read_file(path, "problem"), path);
}

template <class T>
std::string write_problem(const OwnedProblem<T>& p, const ExpectedResult& expected) {
  Writer out;
  out.text("format", "attest.problem");
  out.tensor("q", p.q);
  out.tensor("k", p.k);
  out.tensor("v", p.v);
  if (p.allow) out.tensor("allow", *p.allow);
  if (p.bias) out.tensor("bias", *p.bias);
  out.numbers("key_lengths", p.key_lengths);
  out.numbers("alibi_slopes", p.alibi_slopes);
  out.numbers("sinks", p.sinks);
  if (p.causal) out.text("causal", "true");
  out.text("alignment", alignment_names[static_cast<std::size_t>(p.alignment)]);
  out.text("head_map", head_map_names[static_cast<std::size_t>(p.head_map)]);
  out.text("empty_row", empty_row_names[static_cast<std::size_t>(p.empty_row)]);
  if (p.window.left) out.text("window_left", std::to_string(*p.window.left));
  if (p.window.right) out.text("window_right", std::to_string(*p.window.right));
  if (p.scale) out.real("scale", *p.scale);
  if (p.softcap) out.real("softcap", *p.softcap);
  if (expected.output) out.tensor("expected.output", *expected.output);
  if (expected.lse) out.tensor("expected.lse", *expected.lse);
  if (expected.weights) out.tensor("expected.weights", *expected.weights);
  if (expected.absolute > 0) out.real("tolerance_absolute", expected.absolute);
  if (expected.relative > 0) out.real("tolerance_relative", expected.relative);
  return out.content();
}

#define ATTEST_INSTANTIATE(T)                                                           \
  template std::string write_problem<T>(const OwnedProblem<T>&, const ExpectedResult&); \
  template std::vector<T> elements_of<T>(const StoredTensor&, const std::string&);
ATTEST_INSTANTIATE(float)
ATTEST_INSTANTIATE(double)
ATTEST_INSTANTIATE(Float16)
ATTEST_INSTANTIATE(BFloat16)
#undef ATTEST_INSTANTIATE
template std::vector<Index> elements_of<Index>(const StoredTensor&, const std::string&);
template std::vector<std::uint8_t> elements_of<std::uint8_t>(const StoredTensor&,
                                                             const std::string&);

}  // namespace attest::problem_files

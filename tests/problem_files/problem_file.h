#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "attention/owned_problem.h"
#include "tests/problem_files/safetensors.h"

namespace attest::problem_files {

using AnyProblem = std::variant<OwnedProblem<float>, OwnedProblem<double>, OwnedProblem<Float16>,
                                OwnedProblem<BFloat16>>;

// Scores of every pair, hidden or not, as some operators give them out.
struct ExpectedScores {
  Tensor<double> scores{};  // (batch, query_heads, queries, keys)
  bool capped = false;      // softcap applied
  bool masked = false;      // bias added; -infinity where the pair is hidden
};

// What a file says the result is; row-major doubles, exact for every stored type.
struct ExpectedResult {
  std::optional<Tensor<double>> output{};   // (batch, query_heads, queries, value_width)
  std::optional<Tensor<double>> lse{};      // (batch, query_heads, queries, 1)
  std::optional<Tensor<double>> weights{};  // (batch, query_heads, queries, keys)
  std::optional<ExpectedScores> scores{};
  std::vector<std::string> contradictions{};  // results that the inputs alone refute
  // |expected - truth| <= absolute + relative |expected|, where the file states it; 0: not stated.
  double absolute = 0;
  double relative = 0;
};

struct ProblemFile {
  AnyProblem problem{};
  ExpectedResult expected{};
};

// An attention problem as a safetensors file. Tensors of rank 4:
//   q (batch, query_heads, queries, width), k and v (batch, kv_heads, keys, ...), all of one float
//   type; allow (BOOL; axes of extent 1 are broadcast), bias (float, likewise)
// of rank 1: key_lengths (I64), alibi_slopes, sinks (float); for results: expected.output,
// expected.lse, expected.weights. Metadata, all optional: causal (true, false), alignment (square,
// top-left, bottom-right), window_left, window_right, scale, softcap, head_map (blocked,
// interleaved), empty_row (error, zero, nan), tolerance_absolute, tolerance_relative.
// A file whose metadata has op = Attention is a case of the ONNX operator (onnx_attention.h).
// Throws InputError for an unknown tensor or key, a wrong type, rank or value. What only the whole
// call can show is left to Problem.
ProblemFile read_problem(std::string_view content, const std::string& name);
ProblemFile read_problem_file(const std::string& path);

// The same file back. Elements, options and numbers are exact.
template <class T>
std::string write_problem(const OwnedProblem<T>& problem, const ExpectedResult& expected = {});

// Tensors between files and memory, exact; for readers of other layouts.
template <class T>
std::vector<T> elements_of(const StoredTensor& tensor, const std::string& field);
// Throws InputError unless the tensor is of rank 4 with extents of 1 or more.
Extents extents_of(const StoredTensor& tensor, const std::string& field);

}  // namespace attest::problem_files

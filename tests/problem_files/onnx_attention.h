#pragma once

#include <string>

#include "tests/problem_files/problem_file.h"

namespace attest::problem_files {

// A case of the ONNX operator Attention (opset 23 to 25) as safetensors: inputs by their slots (Q,
// K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen), outputs as expected.<slot>; metadata
// op, opset, attributes (a JSON object), tolerance (a JSON object of rtol and atol).
// [ONNX-Attention]
//   3-D inputs are split into heads; past keys and values stand before the new ones
//   causal order and windows: query i faces key i + offset, with offset 0, the length of the past,
//     or nonpad_kv_seqlen - queries
//   a mask shorter than the keys hides the rest; booleans: true takes part; floats are added
//   a row that sees nothing gives 0
// Y is expected.output (in heads); qk_matmul_output is expected.weights (mode 3) or expected.scores
// (0: as they are, 1: capped, 2: capped and masked).
// Throws InputError for what the operator does not know, for contradictory shapes.
// A present_key or present_value that is not what the inputs make it is a contradiction of the
// expected results.
ProblemFile read_onnx_attention(const SafeTensors& file, const std::string& name);

}  // namespace attest::problem_files

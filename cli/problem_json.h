#pragma once

#include <string>
#include <string_view>

#include "attention/owned_problem.h"

namespace attest::cli {

// Reads one attention call from JSON text; `name` stands for the text in messages.
//   q, k, v        required; rows of numbers [[...], ...] (tokens, width), or all three nested four
//                  deep (batch, heads, tokens, width)
//   allow, bias    nested as deep as q; axes (batch, query_heads, queries, keys), extent 1 for a
//                  broadcast axis; allow holds true (visible) and false, bias numbers and "-inf"
//   scale, softcap            a number              causal     true or false
//   alignment      "square", "top_left", "bottom_right"
//   window         {"left": n, "right": n}, either left out for no limit
//   key_lengths    [n per batch entry]
//   alibi_slopes, sinks       [a number per query head]
//   head_map       "blocked", "interleaved"
//   empty_row      "error", "zero", "nan"
// Numbers take their nearest double. Throws InputError naming the element for anything else:
// unknown or repeated keys, ragged rows, booleans where numbers belong and the reverse, numbers
// beyond double, text that is not JSON. What only the whole call can show is left to Problem.
OwnedProblem<double> problem_from_json(std::string_view text, const std::string& name);

}  // namespace attest::cli

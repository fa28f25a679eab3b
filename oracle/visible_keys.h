#pragma once

#include <vector>

#include "attention/problem_spec.h"
#include "attention/shape.h"

namespace attest::oracle {

// The extents of a problem, read off its tensors.
template <class T>
Shape shape_of(const ProblemSpec<T>& spec);

// The key that faces query i of sequence b; may lie outside the sequence.
template <class T>
Index facing_key(const ProblemSpec<T>& spec, Index b, Index i);

// The keys that query i of head h in sequence b reads, ascending: what remains of the sequence
// after causal order, window, allow mask and biases of -infinity each took their keys away. Derived
// from the definitions in problem_spec.h alone; the kernels' own code for this is not used. `spec`
// must be one that Problem accepts.
template <class T>
std::vector<Index> visible_keys(const ProblemSpec<T>& spec, Index b, Index h, Index i);

// The key/value head of every query head, in order of query heads.
std::vector<Index> kv_heads_of(HeadMap map, Index query_heads, Index kv_heads);

}  // namespace attest::oracle

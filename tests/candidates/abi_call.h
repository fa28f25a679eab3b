#pragma once

#include <cstdint>
#include <vector>

#include "attention/problem.h"
#include "attention/result.h"
#include "attention/tiles.h"
#include "tests/candidates/attest_candidate.h"
#include "tests/properties/candidate.h"

namespace attest::candidates {

// One call as the C interface states it: views of the problem and result it was made from.
struct AbiCall {
  attest_problem problem;
  attest_result result;
  std::vector<std::uint8_t> hidden;  // the allow mask of a candidate that wants 1 = hidden
};

template <class T>
AbiCall abi_call(const Problem<T>& problem, const AttentionResult<T>& result, Tiles tiles,
                 const attest_info& info);

// How a return code reads.
properties::Status abi_status(int code);

// A candidate's lse in the base it declares, brought to natural logarithms in place.
template <class T>
void settle_lse(const AttentionResult<T>& result, const attest_info& info);

// What info says, in attest's terms. Throws std::invalid_argument for what the header rules out.
properties::Declaration declaration_of(const attest_info& info);

extern template AbiCall abi_call(const Problem<float>&, const AttentionResult<float>&, Tiles,
                                 const attest_info&);
extern template AbiCall abi_call(const Problem<double>&, const AttentionResult<double>&, Tiles,
                                 const attest_info&);
extern template AbiCall abi_call(const Problem<Float16>&, const AttentionResult<Float16>&, Tiles,
                                 const attest_info&);
extern template AbiCall abi_call(const Problem<BFloat16>&, const AttentionResult<BFloat16>&, Tiles,
                                 const attest_info&);
extern template void settle_lse(const AttentionResult<float>&, const attest_info&);
extern template void settle_lse(const AttentionResult<double>&, const attest_info&);
extern template void settle_lse(const AttentionResult<Float16>&, const attest_info&);
extern template void settle_lse(const AttentionResult<BFloat16>&, const attest_info&);

}  // namespace attest::candidates

#pragma once

#include <string>

#include "tests/candidates/worker.h"
#include "tests/properties/call.h"

namespace attest::candidates {

inline std::string gallery(const std::string& name) { return ATTEST_GALLERY + name + ".so"; }

inline WorkerOptions quickly(double seconds = 10) {
  return {.program = ATTEST_PROGRAM, .seconds = seconds};
}

// 1 batch entry, 2 heads, 3 queries and keys, width 4. The first element decides, as any would, at
// which end of their slots the buffers lie: with 1, at the end.
inline OwnedProblem<float> small_problem(float first = 1) {
  OwnedProblem<float> p;
  p.q = p.k = p.v = Tensor<float>({1, 2, 3, 4});
  for (std::size_t n = 0; n < p.q.elements.size(); ++n) {
    const auto x = static_cast<float>(n);
    p.q.elements[n] = x / 16;
    p.k.elements[n] = 1 - x / 8;
    p.v.elements[n] = x - 7;
  }
  p.q.elements[0] = first;
  return p;
}

inline properties::Answer<float> ask(properties::Candidate& candidate,
                                     const OwnedProblem<float>& problem = small_problem()) {
  return properties::call(candidate, problem, {});
}

}  // namespace attest::candidates

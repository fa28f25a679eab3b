#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/properties/candidate.h"

namespace attest::candidates {

struct WorkerOptions {
  std::string program{};                                 // empty: $ATTEST_WORKER, else this program
  double seconds = 10;                                   // for a call
  std::uint64_t memory_bytes = std::uint64_t{16} << 30;  // beside the tensors; 0: no limit
};

// A shared object in a process of its own. Whatever it does ends as a Status:
//   - inputs are read-only there; every buffer has untouchable memory on both sides, and lies right
//     against it at its end in some calls, at its start in others (which: a function of the call)
//   - a crash, an exit, an exception, a changed floating-point environment is `failed`, with what
//     was touched where that is known; the process is started afresh for the next call
//   - a call that runs past its time is repeated once in a fresh process, with twice the time and
//     while no other such repetition runs on this file; it is `failed` if that ends likewise.
//     After that, calls to this file get a fortieth of the time, once: many properties that hang,
//     and the simplifying of each, end in reasonable time
// Throws LoadError, here and when the process has to be started again.
std::unique_ptr<properties::Candidate> in_worker(const std::string& path,
                                                 const WorkerOptions& options = {});

}  // namespace attest::candidates

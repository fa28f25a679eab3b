#pragma once

#include <memory>
#include <string>

#include "tests/candidates/worker.h"
#include "tests/properties/candidate.h"

namespace attest::candidates {

// How a candidate from outside is run.
struct MakeOptions {
  WorkerOptions worker{};
  bool in_this_process = false;  // no protection, no overhead
};

// An implementation by what a person calls it: "explicit", "streaming", "null:NAME", or the path of
// a shared object (anything with a '/' or ending in ".so"), which runs in a worker process. Throws
// InputError for another name, LoadError for a shared object that cannot be had.
std::unique_ptr<properties::Candidate> make(const std::string& name_or_path,
                                            const MakeOptions& options = {});

}  // namespace attest::candidates

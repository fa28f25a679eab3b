#include "tests/candidates/make.h"

#include "tests/candidates/built_in.h"
#include "tests/candidates/shared_object.h"

namespace attest::candidates {

std::unique_ptr<properties::Candidate> make(const std::string& name_or_path,
                                            const MakeOptions& options) {
  const bool path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".so");
  if (!path) return built_in(name_or_path);
  if (options.in_this_process) return in_process(name_or_path);
  return in_worker(name_or_path, options.worker);
}

}  // namespace attest::candidates

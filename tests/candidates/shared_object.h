#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "tests/candidates/attest_candidate.h"
#include "tests/properties/candidate.h"

namespace attest::candidates {

// A candidate that cannot be had: what() is one line, "./x.so: why".
class LoadError : public std::runtime_error {
 public:
  LoadError(const std::string& path, const std::string& why)
      : std::runtime_error(path + ": " + why) {}
};

// A shared object behind tests/candidates/attest_candidate.h, loaded into this process.
class SharedObject {
 public:
  // Throws LoadError for a missing file, one that is no shared object, a missing symbol, another
  // version, or an info that contradicts the header.
  explicit SharedObject(const std::string& path);

  const attest_info& info() const { return info_; }
  const properties::Declaration& declaration() const { return declaration_; }

  int forward(const attest_problem& problem, const attest_result& result, void* workspace) const {
    return forward_(&problem, &result, workspace);
  }
  // 0 without attest_candidate_workspace.
  std::uint64_t workspace(const attest_problem& problem) const {
    return workspace_ == nullptr ? 0 : workspace_(&problem);
  }

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  template <class Function>
  Function* find(const std::string& path, const char* symbol, bool required);

  std::unique_ptr<void, Close> handle_;
  decltype(attest_candidate_forward)* forward_ = nullptr;
  decltype(attest_candidate_workspace)* workspace_ = nullptr;
  attest_info info_{};
  properties::Declaration declaration_;
};

// A shared object called in this process: fast, and unprotected from what it does.
std::unique_ptr<properties::Candidate> in_process(const std::string& path);

}  // namespace attest::candidates

#include "tests/candidates/shared_object.h"

#include <dlfcn.h>

#include <cstdint>
#include <filesystem>
#include <new>

#include "tests/candidates/abi_call.h"

namespace attest::candidates {
namespace {

using properties::Status;

// dlopen()'s complaint without the path it starts with.
std::string complaint(const std::string& path) {
  const char* text = dlerror();
  std::string line = text == nullptr ? "dlopen failed" : text;
  if (line.starts_with(path + ": ")) line.erase(0, path.size() + 2);
  return line;
}

class InProcess : public properties::CandidateOf<InProcess> {
 public:
  explicit InProcess(std::unique_ptr<SharedObject> object)
      : CandidateOf(object->declaration()), object_(std::move(object)) {}

  template <class T>
  Status run(const Problem<T>& problem, const AttentionResult<T>& result, Tiles tiles) {
    const attest_info& info = object_->info();
    const AbiCall call = abi_call(problem, result, tiles, info);
    if (misaligned(call, info.alignment))
      return {.kind = Status::Kind::unsupported,
              .reason = "tensors not aligned to " + std::to_string(info.alignment) + " bytes"};
    const std::uint64_t bytes = object_->workspace(call.problem);
    std::unique_ptr<std::byte[], Free> workspace(
        bytes == 0 ? nullptr : static_cast<std::byte*>(operator new(bytes, alignment)));
    const Status status = abi_status(object_->forward(call.problem, call.result, workspace.get()));
    if (status.done()) settle_lse(result, info);
    return status;
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(std::byte* bytes) const { operator delete(bytes, alignment); }
  };

  static bool misaligned(const AbiCall& call, std::uint32_t bytes) {
    if (bytes == 0) return false;
    for (const attest_tensor* t :
         {&call.problem.q, &call.problem.k, &call.problem.v, &call.problem.allow,
          &call.problem.bias, &call.result.output, &call.result.lse, &call.result.weights})
      if (reinterpret_cast<std::uintptr_t>(t->data) % bytes != 0) return true;
    return false;
  }

  std::unique_ptr<SharedObject> object_;
};

}  // namespace

void SharedObject::Close::operator()(void* handle) const { dlclose(handle); }

template <class Function>
Function* SharedObject::find(const std::string& path, const char* symbol, bool required) {
  void* address = dlsym(handle_.get(), symbol);
  if (address == nullptr && required)
    throw LoadError(path, "no function " + std::string(symbol) + " (see attest_candidate.h)");
  return reinterpret_cast<Function*>(address);
}

SharedObject::SharedObject(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw LoadError(path, "no such file");
  // A bare name would be looked for among the system's libraries.
  const std::string exact = path.find('/') == std::string::npos ? "./" + path : path;
  handle_.reset(dlopen(exact.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle_) throw LoadError(path, "not a loadable shared object (" + complaint(exact) + ")");

  // The version first: only then is it known that the structs agree.
  const auto version =
      find<decltype(attest_candidate_version)>(path, "attest_candidate_version", true)();
  if (version == 0 || version > ATTEST_CANDIDATE_VERSION)
    throw LoadError(path, "version " + std::to_string(version) +
                              " of the candidate interface; this attest speaks 1 to " +
                              std::to_string(ATTEST_CANDIDATE_VERSION));
  const auto tell = find<decltype(attest_candidate_info)>(path, "attest_candidate_info", true);
  forward_ = find<decltype(attest_candidate_forward)>(path, "attest_candidate_forward", true);
  workspace_ =
      find<decltype(attest_candidate_workspace)>(path, "attest_candidate_workspace", false);
  info_.size = sizeof info_;
  tell(&info_);
  try {
    declaration_ = declaration_of(info_);
  } catch (const std::invalid_argument& error) {
    throw LoadError(path, error.what());
  }
}

std::unique_ptr<properties::Candidate> in_process(const std::string& path) {
  return std::make_unique<InProcess>(std::make_unique<SharedObject>(path));
}

}  // namespace attest::candidates

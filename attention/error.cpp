#include "attention/error.h"

#include <cstdio>
#include <cstdlib>

namespace attest {

InputError::InputError(std::string field, std::string value, std::string accepted)
    : std::invalid_argument(field + ": got " + value + "; accepted: " + accepted),
      field_(std::move(field)),
      value_(std::move(value)),
      accepted_(std::move(accepted)) {}

void detail::broken_promise(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "attest: broken promise: %s (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace attest

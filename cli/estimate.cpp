#include "attention/error.h"
#include "cli/command.h"

namespace attest::cli {

Exit estimate(const Arguments&, const Terminal&) {
  throw InputError("command", "estimate", "what the next commit brings");
}

}  // namespace attest::cli

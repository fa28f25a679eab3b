#include "cli/estimate_model.h"

#include "attention/error.h"

namespace attest::cli {
Exit estimate_model(const ModelRequest& request, const Terminal&) {
  throw InputError("--config", request.config_path, "a later commit");
}
}  // namespace attest::cli

#pragma once

#include <cstdint>
#include <string>

#include "cli/options.h"

namespace attest::cli {

// `attest estimate --config`: what the person asked for.
struct ModelRequest {
  std::string config_path;
  std::uint64_t seq = 0;
  std::uint64_t batch = 1;
  std::string dtype;        // of the weights; empty: the config's
  std::string cache_dtype;  // empty: as the weights' compute type
  Format format = Format::table;
};

Exit estimate_model(const ModelRequest& request, const Terminal& terminal);

}  // namespace attest::cli

#pragma once

#include <string>
#include <vector>

namespace attest::candidates {

// The name of the program's hidden subcommand.
inline constexpr const char* worker_command = "candidate-worker";

// A worker process: loads the shared object `arguments[0]`, then answers the calls of the process
// that started it until that one goes away. Not for people.
int worker_program(const std::vector<std::string>& arguments);

}  // namespace attest::candidates

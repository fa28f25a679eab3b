#pragma once

#include <string>
#include <vector>

namespace attest::candidates {

// The name of the program's hidden subcommand.
inline constexpr const char* worker_command = "candidate-worker";

// A process that forks a fresh worker whenever the one that started it asks: the worker loads the
// shared object named in the request and answers calls until it ends or is ended. Forking from a
// process that has done nothing yet is cheaper than starting a program, and as clean.
// `arguments[0]`: the worker's memory limit in bytes. Not for people.
int worker_program(const std::vector<std::string>& arguments);

}  // namespace attest::candidates

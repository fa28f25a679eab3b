#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "cli/command.h"

namespace {

bool colour(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(descriptor) && (no_color == nullptr || *no_color == '\0');
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);  // `attest ... | head` ends quietly
  const attest::cli::Terminal terminal{.out = std::cout,
                                       .err = std::cerr,
                                       .colour_out = colour(STDOUT_FILENO),
                                       .colour_err = colour(STDERR_FILENO),
                                       .err_is_terminal = isatty(STDERR_FILENO) != 0};
  return static_cast<int>(attest::cli::run({argv + 1, argv + argc}, terminal));
}

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace attest::cli {

// Exit codes of every command.
enum class Exit : int {
  fine = 0,
  finding = 1,
  wrong_input = 2,
  inconclusive = 3,
  not_loaded = 6,  // a candidate that cannot be had
  internal_error = 70,
};

// Where a command writes: results to out, messages to err.
struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool colour_out = false;  // out is a terminal and NO_COLOR is unset or empty
  bool colour_err = false;
  bool err_is_terminal = false;  // progress may be shown there
};

using Arguments = std::vector<std::string>;  // after the command's name

// One subcommand. `run` throws InputError for wrong input; main prints it as one line.
struct Command {
  const char* name;
  const char* summary;  // one line for `attest --help`
  Exit (*run)(const Arguments& arguments, const Terminal& terminal);
};

// The whole program after main's set-up: `arguments` without argv[0]. Never throws: errors become
// one line on err and an exit code.
Exit run(const Arguments& arguments, const Terminal& terminal);

Exit estimate(const Arguments& arguments, const Terminal& terminal);
Exit explain(const Arguments& arguments, const Terminal& terminal);
Exit init(const Arguments& arguments, const Terminal& terminal);
Exit oracle(const Arguments& arguments, const Terminal& terminal);
Exit replay(const Arguments& arguments, const Terminal& terminal);
Exit trace(const Arguments& arguments, const Terminal& terminal);
Exit verify(const Arguments& arguments, const Terminal& terminal);

}  // namespace attest::cli

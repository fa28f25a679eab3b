#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <ostream>
#include <string_view>

#include "attention/error.h"
#include "attention/spelling.h"
#include "cli/version.h"
#include "reports/printable.h"
#include "tests/candidates/shared_object.h"
#include "tests/candidates/worker_program.h"

namespace attest::cli {
namespace {

constexpr std::array commands = {
    Command{"estimate", "bytes of planned attention, or of a whole model from its config.json",
            estimate},
    Command{"init", "a folder with an example kernel to verify, in C and C++", init},
    Command{"trace", "the arithmetic of a small attention problem, step by step", trace},
    Command{"verify", "is an attention implementation right? properties over random problems",
            verify},
    Command{"replay", "one case of verify again, in full", replay},
    Command{"oracle", "the true result of a problem file, to 50 digits", oracle},
    Command{"explain", "what a property says, why, and which faults it sees", explain},
};

std::string overview() {
  std::string text =
      "attest: plan, verify and mutation-test transformer attention\n\n"
      "Usage: attest COMMAND [OPTIONS]\n\nCommands:\n";
  for (const Command& command : commands)
    text += fmt::format("  {:<10}{}\n", command.name, command.summary);
  return text +
         "\nattest COMMAND --help tells more; attest --version prints the version.\n"
         "Exit codes: 0 fine, 1 a finding, 2 wrong input, 3 inconclusive,\n"
         "            6 a candidate that cannot be loaded, 70 internal error.\n";
}

const Command& find_command(const std::string& name) {
  std::array<std::string_view, commands.size()> names;
  for (std::size_t n = 0; n < commands.size(); ++n) {
    if (commands[n].name == name) return commands[n];
    names[n] = commands[n].name;
  }
  throw InputError("command", "\"" + name + "\"", listed(names) + did_you_mean(name, names));
}

Exit dispatch(const Arguments& arguments, const Terminal& terminal) {
  if (arguments.empty()) {
    terminal.err << overview();
    return Exit::wrong_input;
  }
  const std::string& first = arguments[0];
  if (first == "--help" || first == "-h" || (first == "help" && arguments.size() == 1)) {
    terminal.out << overview();
    return Exit::fine;
  }
  if (first == "--version") {
    terminal.out << "attest " << version << '\n';
    return Exit::fine;
  }
  if (first == candidates::worker_command)  // for this program's own use: not in the help
    return static_cast<Exit>(candidates::worker_program({arguments.begin() + 1, arguments.end()}));
  if (first == "help") return find_command(arguments[1]).run({"--help"}, terminal);
  return find_command(first).run({arguments.begin() + 1, arguments.end()}, terminal);
}

Exit complain(const Terminal& terminal, std::string_view line, Exit exit) {
  const char* red = terminal.colour_err ? "\x1b[31m" : "";
  const char* plain = terminal.colour_err ? "\x1b[0m" : "";
  terminal.err << red << "attest: " << plain << reports::printable(line) << '\n';
  return exit;
}

}  // namespace

Exit run(const Arguments& arguments, const Terminal& terminal) {
  try {
    const Exit exit = dispatch(arguments, terminal);
    terminal.out.flush();
    if (!terminal.out)
      return complain(terminal, "the output could not be written", Exit::internal_error);
    return exit;
  } catch (const InputError& error) {
    return complain(terminal, error.what(), Exit::wrong_input);
  } catch (const candidates::LoadError& error) {
    return complain(terminal, error.what(), Exit::not_loaded);
  } catch (const std::bad_alloc&) {
    return complain(terminal, "out of memory", Exit::internal_error);
  } catch (const std::exception& error) {
    return complain(terminal, fmt::format("internal error: {}", error.what()),
                    Exit::internal_error);
  }
}

}  // namespace attest::cli

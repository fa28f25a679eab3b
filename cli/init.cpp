#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>

#include "attention/error.h"
#include "cli/command.h"
#include "cli/init_files.h"
#include "cli/options.h"

namespace attest::cli {
namespace {

Usage usage() {
  return {.line = "attest init NAME",
          .summary =
              "Writes a folder NAME with an example kernel in C and in C++ behind attest's C\n"
              "interface, and what builds it: a start for `attest verify` of your own kernel.",
          .options = {},
          .words = 1,
          .examples = {"attest init my_kernel"}};
}

constexpr std::string_view example_name = "my_kernel";

// It becomes a file name, a CMake target and a string in C.
void check_name(const std::string& name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view others = "0123456789_-";
  const bool fine = !name.empty() && name.size() <= 64 &&
                    letters.find(name[0]) != std::string_view::npos &&
                    std::ranges::all_of(name, [&](char c) {
                      return letters.find(c) != std::string_view::npos ||
                             others.find(c) != std::string_view::npos;
                    });
  if (!fine)
    throw InputError(
        "NAME", "\"" + name + "\"",
        "a letter, then up to 63 letters, digits, _ and -: a folder of that name is made "
        "here");
}

std::string renamed(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find(example_name, at)) != std::string::npos;
       at += name.size())
    text.replace(at, example_name.size(), name);
  return text;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

Exit init(const Arguments& arguments, const Terminal& terminal) {
  const Given given = parse(usage(), arguments);
  if (given.has("help")) {
    terminal.out << help(usage());
    return Exit::fine;
  }
  const std::string name = given.name().value_or("");
  check_name(name);
  std::error_code error;
  if (std::filesystem::exists(name, error))
    throw InputError("NAME", "\"" + name + "\", which exists", "the name of a folder to be made");
  if (!std::filesystem::create_directory(name, error))
    throw InputError("NAME", "\"" + name + "\": " + error.message(),
                     "the name of a folder that can be made here");

  const std::array<std::pair<std::string, const char*>, 4> files = {{
      {name + ".c", init_files::c_source},
      {name + ".cpp", init_files::cpp_source},
      {"CMakeLists.txt", init_files::cmake_lists},
      {"README.md", init_files::readme},
  }};
  for (const auto& [file, text] : files)
    write(std::filesystem::path(name) / file, renamed(text, name));
  write(std::filesystem::path(name) / "attest_candidate.h", init_files::header);
  write(std::filesystem::path(name) / "AttestCandidate.cmake", init_files::cmake_module);

  terminal.out << fmt::format(
      "{0}/ has the same kernel in C and C++, and what builds it:\n"
      "  cmake -S {0} -B {0}/build && cmake --build {0}/build\n"
      "  attest verify ./{0}/build/lib{0}.so\n",
      name);
  return Exit::fine;
}

}  // namespace attest::cli

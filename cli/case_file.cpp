#include "cli/case_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "attention/error.h"
#include "tests/properties/property.h"

namespace attest::cli {
namespace {

// A candidate is one word of the line: spaces in a path are written %20, and % as %25.
std::string escaped(const std::string& candidate) {
  std::string text;
  for (const char c : candidate) text += c == ' ' ? "%20" : c == '%' ? "%25" : std::string(1, c);
  return text;
}

std::string unescaped(const std::string& word) {
  std::string text;
  for (std::size_t n = 0; n < word.size(); ++n) {
    const std::string_view rest = std::string_view(word).substr(n);
    const bool space = rest.starts_with("%20"), percent = rest.starts_with("%25");
    text += space ? ' ' : word[n];
    if (space || percent) n += 2;
  }
  return text;
}

KeptCase parse(const std::string& line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == std::string::npos ? first : line.find(' ', first + 1);
  if (second == std::string::npos)
    throw InputError("case", "\"" + line + "\"", "CANDIDATE PROPERTY RECIPE");
  KeptCase kept{.candidate = unescaped(line.substr(0, first)),
                .property = line.substr(first + 1, second - first - 1),
                .recipe = properties::parse_recipe(std::string_view(line).substr(second + 1))};
  static_cast<void>(properties::property_named(kept.property));
  return kept;
}

}  // namespace

std::string to_line(const KeptCase& kept) {
  return escaped(kept.candidate) + ' ' + kept.property + ' ' + properties::to_line(kept.recipe);
}

std::vector<KeptCase> read_cases(const std::string& path) {
  std::vector<KeptCase> cases;
  if (!std::filesystem::exists(path)) return cases;
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    try {
      cases.push_back(parse(line));
    } catch (const InputError& error) {
      throw InputError(path + ":" + std::to_string(number) + ": " + error.field(), error.value(),
                       error.accepted());
    }
  }
  if (file.bad() || (!file.eof() && file.fail()))
    throw InputError("--failures", path, "a file that can be read");
  return cases;
}

void keep_cases(const std::string& path, const std::vector<KeptCase>& cases) {
  const std::vector<KeptCase> known = read_cases(path);
  const bool fresh = !std::filesystem::exists(path);
  const bool unended = [&] {  // a last line without its end must not swallow the next case
    std::ifstream last(path, std::ios::binary | std::ios::ate);
    if (fresh || !last || last.tellg() == 0) return false;
    last.seekg(-1, std::ios::end);
    return last.get() != '\n';
  }();
  std::ofstream file(path, std::ios::app);
  if (unended) file << '\n';
  if (fresh)
    file << "# Cases that failed: CANDIDATE PROPERTY RECIPE. attest verify tries them first.\n";
  for (const KeptCase& kept : cases) {
    const std::string line = to_line(kept);
    if (std::none_of(known.begin(), known.end(),
                     [&](const KeptCase& k) { return to_line(k) == line; }))
      file << line << '\n';
  }
  file.flush();
  if (!file) throw InputError("--failures", path, "a file that can be written");
}

}  // namespace attest::cli

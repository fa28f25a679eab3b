#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace attest::estimator {

// Parses JSON that a person wrote: one document, no repeated key in an object, nesting of at
// most 64. `name` stands for the text in messages ("config.json"). Throws InputError with line and
// column.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& name);

// The content of a file. Throws InputError(`field`) for one that cannot be read or is larger than
// 64 MiB.
std::string read_file(const std::string& path, const std::string& field);

}  // namespace attest::estimator

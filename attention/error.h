#pragma once

#include <stdexcept>
#include <string>

namespace attest {

// Bad input from a person: which field, the value it had, what is accepted.
// Thrown only where input is validated; the program prints what() as one line and exits with 2.
class InputError : public std::invalid_argument {
 public:
  InputError(std::string field, std::string value, std::string accepted);

  const std::string& field() const { return field_; }
  const std::string& value() const { return value_; }
  const std::string& accepted() const { return accepted_; }

 private:
  std::string field_;
  std::string value_;
  std::string accepted_;
};

namespace detail {
[[noreturn]] void broken_promise(const char* expression, const char* file, int line);
}

}  // namespace attest

// A promise between programmers. Alive in release builds: prints the expression and aborts.
#define ATTEST_CHECK(expression) \
  ((expression) ? void() : ::attest::detail::broken_promise(#expression, __FILE__, __LINE__))

#include "estimator/ledger.h"

#include "attention/error.h"

namespace attest::estimator {
namespace {

std::vector<Factor> all_factors(const Line& line) {
  std::vector<Factor> factors = line.copies;
  factors.insert(factors.end(), line.shape.begin(), line.shape.end());
  return factors;
}

}  // namespace

std::string to_string(Role role) {
  switch (role) {
    case Role::weight:
      return "weight";
    case Role::cache:
      return "cache";
    case Role::input:
      return "input";
    case Role::output:
      return "output";
    case Role::score:
      return "score";
    case Role::workspace:
      return "workspace";
  }
  ATTEST_CHECK(false);
  return {};
}

Elements Line::elements() const {
  Elements count = Elements::of(1);
  for (const Factor& factor : all_factors(*this)) count = count * factor.value;
  return count;
}

Bytes Line::bytes() const {
  const std::uint64_t row = shape.empty() ? 1 : shape.back().value;
  if (row % dtype->block_elements != 0)
    throw InputError(name, "rows of " + std::to_string(row) + " elements",
                     "rows of whole " + std::string(dtype->name) + " blocks, a multiple of " +
                         std::to_string(dtype->block_elements));
  return size_of(elements(), *dtype);
}

std::string Line::formula() const {
  std::string text;
  for (const Factor& factor : all_factors(*this)) text += factor.symbol + "*";
  return text + "e";
}

std::string Line::substitution() const {
  std::string text;
  for (const Factor& factor : all_factors(*this)) text += std::to_string(factor.value) + "*";
  return text + dtype->bytes_per_element();
}

Elements Ledger::elements() const {
  Elements sum;
  for (const Line& line : lines_) sum += line.elements();
  return sum;
}

Bytes Ledger::total() const {
  Bytes sum;
  for (const Line& line : lines_) sum += line.bytes();
  return sum;
}

Bytes Ledger::total(Role role) const {
  Bytes sum;
  for (const Line& line : lines_)
    if (line.role == role) sum += line.bytes();
  return sum;
}

}  // namespace attest::estimator

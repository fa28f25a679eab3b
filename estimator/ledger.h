#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "estimator/amount.h"
#include "estimator/dtype.h"

namespace attest::estimator {

// What an amount is for. Totals are given per role.
enum class Role { weight, cache, input, output, score, workspace };
std::string to_string(Role role);

// A factor of a formula: the symbol the field writes and its number in this plan.
struct Factor {
  std::string symbol;
  std::uint64_t value;
};

// One tensor, or several equal ones. The formula, its substituted numbers and the bytes are made
// from the same factors, so they cannot disagree.
struct Line {
  std::string name;  // "scores", "K cache"
  Role role;
  std::vector<Factor> copies;  // multipliers that are not axes: layers, K and V
  std::vector<Factor> shape;   // axes, outermost first; the last is the one blocks run along
  const DType* dtype;
  std::string source;  // bibliography key
  std::string note;    // what a reader must know of this line; may be empty

  Elements elements() const;
  Bytes bytes() const;               // throws InputError naming the line: row not in whole blocks
  std::string formula() const;       // "B*Hq*Nq*Nk*e"
  std::string substitution() const;  // "1*8*2048*2048*2"; block formats as "...*34/32"
};

// An itemised sum.
class Ledger {
 public:
  void add(Line line) { lines_.push_back(std::move(line)); }
  const std::vector<Line>& lines() const { return lines_; }
  Elements elements() const;
  Bytes total() const;
  Bytes total(Role role) const;

 private:
  std::vector<Line> lines_;
};

}  // namespace attest::estimator

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "attention/shape.h"

namespace attest::properties {

// One number of a result.
struct Place {
  enum class Of { output, weights, lse };
  Of of = Of::output;
  Index batch = 0, head = 0, query = 0, column = 0;  // column: value column or key; 0 for lse
};

// "output[0, 1, 2, 0]"
std::string to_string(const Place& place);

// What went wrong in one case.
struct Finding {
  std::string what;  // one sentence: which law is broken, and how it looks
  std::optional<Place> place{};
  std::string expected{};  // as text, since it may be a number, a set of keys or a status
  std::string got{};
  double ratio = 0;  // observed / allowed; 0 where the law is exact
};

// How one case ended.
struct Verdict {
  enum class Kind {
    pass,
    fail,
    unjudged,     // nothing in this case could be judged: the bound is vacuous everywhere
    unsupported,  // the implementation does not take this case
  };
  Kind kind = Kind::pass;
  double worst = 0;                  // largest observed / allowed among the numbers judged
  std::int64_t judged = 0;           // numbers compared
  std::int64_t unjudged = 0;         // numbers whose bound is vacuous
  std::optional<Finding> finding{};  // of a fail
  std::string reason{};              // of unsupported

  bool failed() const { return kind == Kind::fail; }
};

// Gathers comparisons into a Verdict. The first one that fails is the finding.
class Comparison {
 public:
  explicit Comparison(std::string law) : law_(std::move(law)) {}

  // |got - expected| against `allowed`; both NaN agree, as do equal infinities.
  void within(const Place& place, double expected, double got, double allowed);
  // `ratio` is observed / allowed where the number can be judged at all.
  void ratio(const Place& place, std::optional<double> ratio, double expected, double got);
  // The same number, bit for bit, of values widened exactly; a NaN is any NaN.
  void same(const Place& place, double expected, double got);
  // A law that is no comparison of two numbers.
  void require(bool holds, const Place& place, const std::string& expected, const std::string& got);
  void unjudged() { ++verdict_.unjudged; }

  bool failed() const { return verdict_.failed(); }
  Verdict verdict() const;

 private:
  void fail(const std::optional<Place>& place, std::string expected, std::string got, double ratio);

  std::string law_;
  Verdict verdict_;
};

// A finite number in 9 or 17 digits as it reads back, "nan", "inf" or "-inf".
std::string number_text(double x);

}  // namespace attest::properties

#include "tests/properties/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace attest::properties {

std::string to_string(const Place& p) {
  constexpr std::array<const char*, 3> names = {"output", "weights", "lse"};
  const char* name = names[static_cast<std::size_t>(p.of)];
  if (p.of == Place::Of::lse) return fmt::format("{}[{}, {}, {}]", name, p.batch, p.head, p.query);
  return fmt::format("{}[{}, {}, {}, {}]", name, p.batch, p.head, p.query, p.column);
}

std::string number_text(double x) { return std::isnan(x) ? "nan" : fmt::format("{}", x); }

void Comparison::within(const Place& place, double expected, double got, double allowed) {
  if (std::isnan(expected) || std::isinf(expected)) {
    const bool met = std::isnan(expected) ? std::isnan(got) : got == expected;
    return ratio(place, met ? 0 : std::numeric_limits<double>::infinity(), expected, got);
  }
  const double distance = std::abs(got - expected);
  if (distance == 0) return ratio(place, 0, expected, got);
  const double r = distance / allowed;
  ratio(place, std::isnan(r) ? std::numeric_limits<double>::infinity() : r, expected, got);
}

void Comparison::ratio(const Place& place, std::optional<double> ratio, double expected,
                       double got) {
  if (!ratio) return unjudged();
  ++verdict_.judged;
  verdict_.worst = std::max(verdict_.worst, *ratio);
  if (*ratio > 1) fail(place, number_text(expected), number_text(got), *ratio);
}

void Comparison::same(const Place& place, double expected, double got) {
  ++verdict_.judged;
  if (std::isnan(expected) && std::isnan(got)) return;
  if (std::bit_cast<std::uint64_t>(expected) == std::bit_cast<std::uint64_t>(got)) return;
  fail(place, number_text(expected), number_text(got), 0);
}

void Comparison::require(bool holds, const Place& place, const std::string& expected,
                         const std::string& got) {
  ++verdict_.judged;
  if (!holds) fail(place, expected, got, 0);
}

void Comparison::fail(const std::optional<Place>& place, std::string expected, std::string got,
                      double ratio) {
  if (verdict_.failed()) return;
  verdict_.kind = Verdict::Kind::fail;
  verdict_.finding = Finding{law_, place, std::move(expected), std::move(got), ratio};
}

Verdict Comparison::verdict() const {
  Verdict v = verdict_;
  if (v.kind == Verdict::Kind::pass && v.judged == 0 && v.unjudged > 0)
    v.kind = Verdict::Kind::unjudged;
  return v;
}

}  // namespace attest::properties

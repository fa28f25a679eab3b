#include "tests/properties/describe.h"

#include <fmt/format.h>

#include <array>

#include "attention/error.h"
#include "oracle/true_text.h"
#include "tests/properties/expand.h"

namespace attest::properties {
namespace {

constexpr std::int64_t most_elements = 48;  // of a tensor that is written out

template <class T>
std::string element_text(T x) {
  if constexpr (std::is_integral_v<T>)
    return std::to_string(x);
  else
    return fmt::format("{}", widen(x));
}

template <class T>
std::string tensor_text(const char* name, const Tensor<T>& t) {
  const Extents& e = t.extents;
  if (std::ssize(t.elements) > most_elements)
    return fmt::format("  {:<6} {} elements of shape {}, not written out\n", name,
                       t.elements.size(), attest::to_string(e));
  std::string text;
  std::size_t next = 0;
  for (Index b = 0; b < e[0]; ++b)
    for (Index h = 0; h < e[1]; ++h) {
      std::string rows;
      for (Index n = 0; n < e[2]; ++n) {
        rows += n == 0 ? "[" : "; ";
        for (Index c = 0; c < e[3]; ++c)
          rows += (c == 0 ? "" : " ") + element_text(t.elements[next++]);
      }
      const std::string slot = e[0] == 1 && e[1] == 1 ? name : fmt::format("{}[{},{}]", name, b, h);
      text += fmt::format("  {:<6} {}]\n", slot, rows);
    }
  return text;
}

std::string rules_text(const Recipe& r, const auto& p) {
  std::string text;
  const auto add = [&](const std::string& rule) { text += (text.empty() ? "" : ", ") + rule; };
  constexpr std::array alignments = {"square", "top-left", "bottom-right"};
  if (p.scale) add(fmt::format("scale {}", *p.scale));
  if (p.softcap) add(fmt::format("softcap {}", *p.softcap));
  if (r.causal) add("causal");
  if (r.window.left) add(fmt::format("window left {}", *r.window.left));
  if (r.window.right) add(fmt::format("window right {}", *r.window.right));
  if (r.positional())
    add(fmt::format("alignment {}", alignments[static_cast<std::size_t>(r.alignment)]));
  if (!p.key_lengths.empty()) add(fmt::format("key lengths {}", fmt::join(p.key_lengths, " ")));
  if (!p.alibi_slopes.empty()) add(fmt::format("ALiBi slopes {}", fmt::join(p.alibi_slopes, " ")));
  if (!p.sinks.empty()) add(fmt::format("sinks {}", fmt::join(p.sinks, " ")));
  if (r.head_map == HeadMap::interleaved) add("heads interleaved");
  if (r.hides() && r.empty_row != EmptyRow::error)
    add(r.empty_row == EmptyRow::zero ? "empty rows 0" : "empty rows nan");
  if (r.layout != Layout::row_major) add("tensors strided");
  return text;
}

}  // namespace

std::string describe(const Recipe& r) {
  return with_type(r.element, [&]<class T>() {
    const OwnedProblem<T> p = expand<T>(r);
    std::string text = fmt::format("  {}, {}\n", name_of(r.element), to_string(r.shape));
    const std::string rules = rules_text(r, p);
    if (!rules.empty()) text += fmt::format("  {}\n", rules);
    text += tensor_text("q", p.q) + tensor_text("k", p.k) + tensor_text("v", p.v);
    if (p.allow) text += tensor_text("allow", *p.allow);
    if (p.bias) text += tensor_text("bias", *p.bias);
    return text;
  });
}

std::string truth_at(const Recipe& recipe, const Place& place, int digits) {
  return with_type(recipe.element, [&]<class T>() -> std::string {
    const OwnedProblem<T> p = expand<T>(recipe);
    try {
      const oracle::RowText row =
          oracle::TrueText<T>(p.spec(), digits)
              .row(place.batch, place.head, place.query, place.of == Place::Of::weights);
      if (place.of == Place::Of::lse) return row.lse;
      return (place.of == Place::Of::output ? row.output : row.weights)
          .at(static_cast<std::size_t>(place.column));
    } catch (const InputError&) {
      return {};
    }
  });
}

std::string describe(const Property& property, const Failure& failure) {
  std::string text = fmt::format("{}: {}\n", property.id, property.law);
  const Finding finding = failure.verdict.finding.value_or(Finding{.what = "the case failed"});
  text += fmt::format("  {}\n", finding.what);
  if (failure.repeats && failure.simplifications == 0)
    text += fmt::format("  case {}\n", failure.address);
  else
    text += failure.repeats
                ? fmt::format("  case {}, simplified {} times to\n", failure.address,
                              failure.simplifications)
                : fmt::format(
                      "  case {}; it passes when it is asked alone, so what came before it "
                      "matters\n",
                      failure.address);
  text += describe(failure.minimal);
  if (finding.place) text += fmt::format("  at {}\n", to_string(*finding.place));
  std::string expected = finding.expected;
  if (property.against_truth && finding.place) {
    const std::string truth = truth_at(failure.minimal, *finding.place, 50);
    if (!truth.empty()) expected = truth;
  }
  if (!expected.empty()) text += fmt::format("    expected  {}\n", expected);
  if (!finding.got.empty()) text += fmt::format("    got       {}\n", finding.got);
  if (finding.ratio > 0) text += fmt::format("    observed / allowed  {:.4g}\n", finding.ratio);
  return text;
}

}  // namespace attest::properties

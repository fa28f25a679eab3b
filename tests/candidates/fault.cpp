#include "tests/candidates/fault.h"

#include <fmt/format.h>

#include <cfenv>
#include <csignal>

namespace attest::candidates {
namespace {

const char* verb(wire::Access access) {
  switch (access) {
    case wire::Access::read:
      return "read";
    case wire::Access::write:
      return "write";
    default:
      return "access";
  }
}

std::string counted(std::uint64_t bytes, std::uint64_t element_bytes) {
  const std::uint64_t unit = element_bytes == 0 ? 1 : element_bytes;
  const std::uint64_t count = (bytes + unit - 1) / unit;
  return fmt::format("{} {}{}", count, element_bytes == 0 ? "byte" : "element",
                     count == 1 ? "" : "s");
}

std::string touched(const wire::Fault& fault, std::span<const Place> places) {
  const char* what = verb(fault.access);
  if (fault.stack) return "ran out of stack";
  if (fault.nowhere) return "used an address that cannot exist";
  if (fault.address < wire::page) return fmt::format("{} through a null pointer", what);
  const Place* nearest = nullptr;
  std::uint64_t least = wire::guard + wire::page;
  for (const Place& place : places) {
    std::uint64_t distance = 0;
    if (fault.address >= place.end) distance = fault.address - place.end + 1;
    if (fault.address < place.begin) distance = place.begin - fault.address;
    if (distance < least) {
      least = distance;
      nearest = &place;
    }
  }
  if (nearest == nullptr) return fmt::format("{} of address {:#x}", what, fault.address);
  if (least == 0)
    return nearest->writable ? fmt::format("{} in {}", what, nearest->name)
                             : fmt::format("{} to {}, an input", what, nearest->name);
  return fmt::format("{} {}", what, beyond(*nearest, fault.address));
}

}  // namespace

std::string beyond(const Place& place, std::uint64_t address) {
  const bool past = address >= place.end;
  return fmt::format(
      "{} {} by {}", past ? "past the end of" : "before the start of", place.name,
      counted(past ? address - place.end + 1 : place.begin - address, place.element_bytes));
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string describe(const wire::Fault& fault, std::span<const Place> places) {
  const std::string name = signal_name(fault.signal);
  switch (fault.signal) {
    case SIGSEGV:
    case SIGBUS:
      return fmt::format("{} ({})", touched(fault, places), name);
    case SIGABRT:
      return fmt::format("aborted ({})", name);
    case SIGFPE:
      return fmt::format("trapped in arithmetic ({})", name);
    case SIGILL:
      return fmt::format("executed an instruction that this machine lacks ({})", name);
    default:
      return fmt::format("was killed ({})", name);
  }
}

std::string describe(const wire::FloatingPoint& state) {
  std::string text;
  if (state.rounding != FE_TONEAREST)
    text = fmt::format("rounding mode {}", state.rounding == FE_UPWARD     ? "upward"
                                           : state.rounding == FE_DOWNWARD ? "downward"
                                                                           : "toward zero");
  if (state.flushes_results || state.flushes_inputs)
    text += fmt::format("{}flush-to-zero on", text.empty() ? "" : " and ");
  return text;
}

}  // namespace attest::candidates

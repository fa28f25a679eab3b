#include <fmt/format.h>

#include <charconv>
#include <ostream>

#include "attention/error.h"
#include "cli/options.h"
#include "cli/verify.h"
#include "cli/verify_view.h"
#include "tests/properties/describe.h"

namespace attest::cli {
namespace {

Usage usage() {
  return {.line = "attest replay CANDIDATE 'PROPERTY RECIPE' | CANDIDATE PROPERTY:SEED:INDEX",
          .summary =
              "Asks one case again, as a failure of attest verify printed it, and shows it\n"
              "in full. An address (PROPERTY:SEED:INDEX) is looked up in --profile.",
          .options = {{"profile", "NAME", "of the run that named the address (default quick)"},
                      {"simplify", nullptr, "if it fails, simplify it further"}},
          .words = 2,
          .examples = {"attest replay explicit 'output-within-bound f32 B=1 Hq=1 Hkv=1 Nq=1 Nk=2 "
                       "d=1 dv=1 seed=0'",
                       "attest replay streaming split-merge:1:17 --profile ci"}};
}

struct Asked {
  const properties::Property* property;
  properties::Recipe recipe;
  std::string address;
};

Asked at_address(const std::string& text, const properties::Declaration& declaration,
                 const properties::Profile& profile) {
  const std::size_t second = text.rfind(':');
  const std::size_t first =
      second == std::string::npos || second == 0 ? std::string::npos : text.rfind(':', second - 1);
  if (first == std::string::npos)
    throw InputError("case", "\"" + text + "\"",
                     "'PROPERTY RECIPE' or PROPERTY:SEED:INDEX, as attest verify prints them");
  const properties::Property& property = properties::property_named(text.substr(0, first));
  const std::uint64_t seed =
      whole_number("case seed", text.substr(first + 1, second - first - 1), 0, UINT64_MAX);
  const auto index =
      static_cast<std::int64_t>(whole_number("case index", text.substr(second + 1), 0, INT64_MAX));
  return {&property, properties::recipe_at(property, declaration, profile.reach, seed, index),
          text};
}

Asked asked(const std::string& text, const properties::Declaration& declaration,
            const properties::Profile& profile) {
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return at_address(text, declaration, profile);
  Asked asked{&properties::property_named(text.substr(0, space)),
              properties::parse_recipe(std::string_view(text).substr(space + 1)), "replayed"};
  const properties::Features lacking =
      needed_by(asked.recipe).with(asked.property->needs).without(declaration.features);
  if (!lacking.empty())
    throw InputError("case", "\"" + text + "\"",
                     "what " + declaration.name + " supports; it lacks " + to_string(lacking));
  return asked;
}

}  // namespace

Exit replay(const Arguments& arguments, const Terminal& terminal) {
  const Given given = parse(usage(), arguments);
  if (given.has("help")) {
    terminal.out << help(usage());
    return Exit::fine;
  }
  if (given.words().size() != 2)
    throw InputError("case", given.words().empty() ? "nothing" : "no case after the candidate",
                     "CANDIDATE and 'PROPERTY RECIPE' or PROPERTY:SEED:INDEX");
  const std::string& name = given.words()[0];
  const properties::MakeCandidate make = candidate_named(name);
  const Asked what = asked(given.words()[1], make()->declaration(),
                           properties::profile_named(given.text("profile", "quick")));
  const properties::Verdict verdict = properties::check(make, *what.property, what.recipe);
  if (verdict.failed()) {
    properties::Failure failure{
        .address = what.address, .found = what.recipe, .minimal = what.recipe, .verdict = verdict};
    if (given.has("simplify"))
      failure = properties::minimise(make, *what.property, what.recipe, what.address);
    terminal.out << "FAIL " << properties::describe(*what.property, failure)
                 << "  replay: " << replay_line(name, *what.property, failure.minimal) << '\n';
    return Exit::finding;
  }
  terminal.out << fmt::format("{}: {}\n{}", what.property->id, what.property->law,
                              properties::describe(what.recipe));
  using Kind = properties::Verdict::Kind;
  if (verdict.kind == Kind::unsupported) {
    terminal.out << fmt::format("  not taken by {}: {}\n", name, verdict.reason);
    return Exit::inconclusive;
  }
  if (verdict.kind == Kind::unjudged) {
    terminal.out << "  nothing in it can be judged: the bound is vacuous\n";
    return Exit::inconclusive;
  }
  terminal.out << fmt::format("  passes: {} numbers compared, worst observed / allowed {:.3g}\n",
                              verdict.judged, verdict.worst);
  return Exit::fine;
}

}  // namespace attest::cli

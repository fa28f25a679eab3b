#include "cli/verify.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <ostream>
#include <thread>

#include "attention/error.h"
#include "cli/case_file.h"
#include "cli/options.h"
#include "cli/problem_view.h"
#include "cli/verify_view.h"
#include "reports/json.h"
#include "tests/candidates/built_in.h"
#include "tests/candidates/make.h"
#include "tests/properties/describe.h"

namespace attest::cli {
namespace {

using properties::Failure;
using properties::Property;
using properties::PropertyReport;
using properties::RunPlan;
using properties::RunReport;

constexpr const char* default_failures = "attest-failures.txt";

Usage usage() {
  return {
      .line = "attest verify [CANDIDATE]",
      .summary =
          "Is this attention implementation right? Draws random problems and holds the\n"
          "implementation to every property: the 50-digit oracle within a derived bound, and\n"
          "laws that need no oracle. CANDIDATE is the path of a shared object (attest init),\n"
          "run in a worker process; explicit or streaming, the kernels of this project\n"
          "(default: both); or null:NAME, one of those that must be rejected.",
      .options = {{"cases", "N", "cases of each property (default: the profile's)"},
                  {"budget", "TIME", "as many cases as fit, such as 60s or 5m"},
                  {"seed", "S", "other seeds draw other cases (default 1)"},
                  {"jobs", "J", "processes (default: one a core); results do not depend on it"},
                  {"only", "GLOB", "properties to run, such as 'causal-*' or a,b"},
                  {"skip", "GLOB", "properties to leave out"},
                  {"profile", "NAME", "quick (default), ci or nightly: how many, how large"},
                  {"failures", "FILE",
                   "failing cases are kept here and tried first (default "
                   "attest-failures.txt); none keeps nothing"},
                  {"labels", nullptr, "also show what was drawn"},
                  {"problem", "FILE", "one problem from a safetensors file instead of random ones"},
                  {"self-check", nullptr, "run the null candidates: each must be rejected"},
                  format_option},
      .words = 1,
      .examples = {"attest verify", "attest verify ./libmy_kernel.so",
                   "attest verify streaming --profile nightly --budget 10m",
                   "attest verify explicit --only '*-bound' --cases 1000 --seed 7",
                   "attest verify --self-check"}};
}

std::vector<std::string> globs(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
}

bool any_matches(const std::vector<std::string>& patterns, const char* id) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), id, 0) == 0;
  });
}

std::vector<const Property*> chosen(const Given& given) {
  std::vector<const Property*> properties;
  const std::vector<std::string> only = globs(given.text("only", "*"));
  const std::vector<std::string> skip = globs(given.text("skip"));
  for (const std::string& pattern : only) {
    const bool known = std::ranges::any_of(properties::all_properties(), [&](const Property& p) {
      return fnmatch(pattern.c_str(), p.id, 0) == 0;
    });
    // Names the nearest property.
    if (!known && pattern.find_first_of("*?[") == std::string::npos)
      static_cast<void>(properties::property_named(pattern));
  }
  for (const Property& property : properties::all_properties())
    if (any_matches(only, property.id) && !any_matches(skip, property.id))
      properties.push_back(&property);
  if (properties.empty())
    throw InputError("--only",
                     "\"" + given.text("only", "*") + "\" without \"" + given.text("skip") + "\"",
                     "a pattern that a property matches; attest explain lists them");
  return properties;
}

double seconds(const std::string& flag, const std::string& text) {
  double unit = 1;
  std::string number = text;
  if (text.ends_with('m')) unit = 60;
  if (text.ends_with('h')) unit = 3600;
  if (text.ends_with('s') || unit > 1) number.pop_back();
  const double value = real_number(flag, number) * unit;
  if (!(value > 0 && value <= 1e6))
    throw InputError("--" + flag, "\"" + text + "\"", "a time such as 60s, 5m or 2h");
  return value;
}

RunPlan plan_of(const Given& given) {
  const properties::Profile& profile = properties::profile_named(given.text("profile", "quick"));
  RunPlan plan{.properties = chosen(given), .cases = profile.cases, .reach = profile.reach};
  if (given.has("cases") && given.has("budget"))
    throw InputError("--budget", "--cases beside it", "one or the other");
  if (given.has("cases"))
    plan.cases =
        static_cast<std::int64_t>(whole_number("cases", given.text("cases"), 1, 1'000'000'000));
  if (given.has("budget")) plan.budget_seconds = seconds("budget", given.text("budget"));
  plan.seed = whole_number("seed", given.text("seed", "1"), 0, UINT64_MAX);
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  plan.jobs = static_cast<int>(
      whole_number("jobs", given.text("jobs", std::to_string(std::min(cores, 64u))), 1, 256));
  return plan;
}

// Progress on a terminal's last line; nothing anywhere else.
class ProgressLine {
 public:
  explicit ProgressLine(const Terminal& terminal)
      : err_(terminal.err), shown_(terminal.err_is_terminal) {}
  ~ProgressLine() {
    if (shown_ && drawn_) err_ << "\r\x1b[K" << std::flush;
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void operator()(const std::string& candidate, std::int64_t done, std::int64_t planned) {
    if (!shown_) return;
    drawn_ = true;
    const std::string of = planned > 0 ? fmt::format(" of {}", planned) : "";
    err_ << fmt::format("\r\x1b[K{}: {}{} cases", candidate, done, of) << std::flush;
  }

 private:
  std::ostream& err_;
  bool shown_;
  bool drawn_ = false;
};

// What one implementation was found to do.
struct Outcome {
  RunReport report;
  std::vector<PropertyReport> kept;  // of the failing-case file, those that fail again
  std::size_t kept_tried = 0;
};

std::vector<PropertyReport> try_kept(const properties::MakeCandidate& make, const RunPlan& plan,
                                     const std::vector<KeptCase>& cases, const std::string& name,
                                     std::size_t& tried) {
  std::vector<PropertyReport> failing;
  for (const KeptCase& kept : cases) {
    const Property& property = properties::property_named(kept.property);
    const auto& chosen = plan.properties;
    if (kept.candidate != name ||
        std::find(chosen.begin(), chosen.end(), &property) == chosen.end())
      continue;
    ++tried;
    if (!properties::check(make, property, kept.recipe).failed()) continue;
    PropertyReport report{.property = &property, .cases = 1};
    report.failure = properties::minimise(make, property, kept.recipe, "kept");
    failing.push_back(std::move(report));
  }
  return failing;
}

Outcome verify_one(const std::string& name, RunPlan plan, const std::vector<KeptCase>& cases,
                   const Terminal& terminal) {
  const properties::MakeCandidate make = candidate_named(name);
  Outcome outcome;
  outcome.kept = try_kept(make, plan, cases, name, outcome.kept_tried);
  ProgressLine line(terminal);
  plan.progress = [&](std::int64_t done, std::int64_t planned) { line(name, done, planned); };
  outcome.report = properties::run(make, plan);
  outcome.report.declaration.name = name;  // what replays it: of a shared object, its path
  return outcome;
}

void show_failure(const Terminal& terminal, Format format, const std::string& candidate,
                  const PropertyReport& p) {
  const std::string text = properties::describe(*p.property, *p.failure) +
                           "  replay: " + replay_line(candidate, *p.property, p.failure->minimal) +
                           '\n';
  if (format == Format::markdown) {
    terminal.out << "\n```text\nFAIL " << text << "```\n";
    return;
  }
  const char* red = terminal.colour_out ? "\x1b[31m" : "";
  const char* plain = terminal.colour_out ? "\x1b[0m" : "";
  terminal.out << '\n' << red << "FAIL " << plain << text;
}

void show(const Given& given, const RunPlan& plan, const std::vector<Outcome>& outcomes,
          const Terminal& terminal) {
  const Format format = cli::format(given);
  if (format == Format::json) {
    reports::JsonWriter json;
    json.begin_object();
    json.key("schema").value("attest.verify");
    json.key("schema_version").integer("1");
    json.key("seed").integer(std::to_string(plan.seed));
    json.key("candidates").begin_array();
    for (const Outcome& outcome : outcomes) write_report(outcome.report, json);
    json.end_array();
    json.end_object();
    terminal.out << json.str();
    return;
  }
  if (format == Format::csv) {
    std::vector<RunReport> reports;
    for (const Outcome& outcome : outcomes) reports.push_back(outcome.report);
    write_table(given.has("labels") ? label_records(reports) : verify_records(reports), format,
                terminal);
    return;
  }
  bool first = true;
  for (const Outcome& outcome : outcomes) {
    if (!std::exchange(first, false)) terminal.out << '\n';
    const RunReport& r = outcome.report;
    write_table(verify_table(r, fmt::format("{}, seed {}", r.declaration.name, plan.seed)), format,
                terminal);
    if (given.has("labels")) {
      terminal.out << '\n';
      write_table(label_table(r), format, terminal);
    }
    for (const auto* list : {&outcome.kept, &r.properties})
      for (const PropertyReport& p : *list)
        if (p.failure) show_failure(terminal, format, r.declaration.name, p);
  }
}

// Where a person reads: one line on the whole.
void summarise(const std::vector<Outcome>& outcomes, const Terminal& terminal) {
  std::int64_t cases = 0, failures = 0, kept = 0;
  double seconds = 0;
  for (const Outcome& o : outcomes) {
    cases += o.report.cases();
    seconds += o.report.seconds;
    kept += static_cast<std::int64_t>(o.kept_tried);
    failures += std::ssize(o.kept);
    for (const PropertyReport& p : o.report.properties) failures += p.failure.has_value();
  }
  std::string line = fmt::format("{} {}", cases, cases == 1 ? "case" : "cases");
  if (terminal.err_is_terminal) line += fmt::format(" in {:.1f} s", seconds);
  if (kept > 0) line += fmt::format(", {} kept {} tried first", kept, kept == 1 ? "case" : "cases");
  line += failures == 0
              ? ": no property failed"
              : fmt::format(": {} {} failed", failures, failures == 1 ? "property" : "properties");
  terminal.err << "attest: " << line << '\n';
}

void keep(const std::string& path, const std::vector<Outcome>& outcomes, const Terminal& terminal) {
  std::vector<KeptCase> cases;
  for (const Outcome& o : outcomes)
    for (const PropertyReport& p : o.report.properties)
      if (p.failure)
        cases.push_back({o.report.declaration.name, p.property->id, p.failure->minimal});
  if (cases.empty()) return;
  keep_cases(path, cases);
  terminal.err << "attest: failing cases are kept in " << path << '\n';
}

std::vector<std::string> names_of(const Given& given) {
  std::vector<std::string> names = {"explicit", "streaming"};
  if (given.name()) names = {*given.name()};
  for (const std::string& name : names) static_cast<void>(candidate_named(name));
  return names;
}

Exit verify_problem(const Given& given, const Terminal& terminal) {
  for (const char* flag : {"cases", "budget", "seed", "only", "skip", "profile", "self-check"})
    if (given.has(flag))
      throw InputError(std::string("--") + flag, "--problem beside it",
                       "one or the other: a file is one problem, judged by the oracle");
  const std::string path = given.text("problem");
  const problem_files::ProblemFile file = problem_files::read_problem_file(path);
  std::vector<problem_files::Agreement> agreements = problem_files::check_expected(file);
  for (const std::string& name : names_of(given))
    for (auto& agreement : problem_files::check_candidate(*candidate_named(name)(), file))
      agreements.push_back(std::move(agreement));
  if (format(given) == Format::json) {
    reports::JsonWriter json;
    json.begin_object();
    json.key("schema").value("attest.verify.problem");
    json.key("schema_version").integer("1");
    json.key("problem").value(path);
    json.key("results");
    write_agreements(agreements, json);
    json.end_object();
    terminal.out << json.str();
  } else {
    write_table(agreement_table(agreements, path), format(given), terminal);
  }
  bool agree = true, judged = false;
  for (const problem_files::Agreement& a : agreements) {
    agree = agree && a.agrees();
    judged = judged || a.numbers > a.unjudged;
  }
  return !agree ? Exit::finding : judged ? Exit::fine : Exit::inconclusive;
}

Exit self_check(const Given& given, RunPlan plan, const Terminal& terminal) {
  reports::Table table{.title = "null candidates: each must be rejected",
                       .columns = {{"candidate", reports::Align::left},
                                   {"result", reports::Align::left},
                                   {"rejected by", reports::Align::right},
                                   {"first", reports::Align::left}},
                       .rows = {},
                       .notes = {}};
  bool all_rejected = true;
  for (const std::string_view null : candidates::null_names()) {
    const std::string name = "null:" + std::string(null);
    const RunReport report = properties::run(candidate_named(name), plan);
    std::vector<std::string> rejecting;
    for (const PropertyReport& p : report.properties)
      if (p.failure) rejecting.emplace_back(p.property->id);
    all_rejected = all_rejected && !rejecting.empty();
    table.rows.push_back(
        {{name, rejecting.empty() ? "PASSES" : "rejected", std::to_string(rejecting.size()),
          rejecting.empty() ? "" : rejecting.front()},
         rejecting.empty()});
  }
  if (format(given) == Format::json)
    throw InputError("--format", "json", "table, markdown or csv with --self-check");
  write_table(table, format(given), terminal);
  return all_rejected ? Exit::fine : Exit::finding;
}

}  // namespace

properties::MakeCandidate candidate_named(const std::string& name) {
  static_cast<void>(candidates::make(name));
  return [name] { return candidates::make(name); };
}

Exit verify(const Arguments& arguments, const Terminal& terminal) {
  const Given given = parse(usage(), arguments);
  if (given.has("help")) {
    terminal.out << help(usage());
    return Exit::fine;
  }
  if (given.has("problem")) return verify_problem(given, terminal);
  const RunPlan plan = plan_of(given);
  static_cast<void>(format(given));
  if (given.has("self-check")) return self_check(given, plan, terminal);
  const std::string failures = given.text("failures", default_failures);
  const std::vector<KeptCase> cases =
      failures == "none" ? std::vector<KeptCase>{} : read_cases(failures);
  const std::vector<std::string> names = names_of(given);
  std::vector<Outcome> outcomes;
  for (const std::string& name : names) outcomes.push_back(verify_one(name, plan, cases, terminal));
  show(given, plan, outcomes, terminal);
  summarise(outcomes, terminal);
  if (failures != "none") keep(failures, outcomes, terminal);
  bool failed = false, inconclusive = false;
  for (const Outcome& o : outcomes) {
    failed = failed || o.report.failed() || !o.kept.empty();
    for (const PropertyReport& p : o.report.properties)
      inconclusive = inconclusive || p.missed_coverage() ||
                     (p.skipped.empty() && p.unjudged_cases + p.unsupported_cases == p.cases);
  }
  return failed ? Exit::finding : inconclusive ? Exit::inconclusive : Exit::fine;
}

}  // namespace attest::cli

#include <fmt/format.h>

#include <ostream>

#include "attention/error.h"
#include "cli/options.h"
#include "cli/problem_view.h"
#include "oracle/true_text.h"
#include "reports/json.h"
#include "tests/problem_files/check_problem.h"

namespace attest::cli {
namespace {

using problem_files::ProblemFile;

Usage usage() {
  return {.line = "attest oracle FILE.safetensors",
          .summary =
              "The true result of an attention problem, from 76-digit arithmetic without\n"
              "max-subtraction. FILE is a problem of attest (docs/problem_files.md) or a case of\n"
              "the ONNX operator Attention. Expected results in it are compared with the truth.",
          .options = {{"digits", "N", "significant digits, 1 to 50 (default 17)"},
                      {"weights", nullptr, "also the weights"},
                      format_option},
          .words = 1,
          .examples = {"attest oracle case.safetensors --digits 50"}};
}

// A row a number: which, where, its decimal digits.
template <class Row>
void each_number(const ProblemFile& file, int digits, bool weights, Row row) {
  std::visit(
      [&]<class T>(const OwnedProblem<T>& p) {
        const Problem<T> valid(p.spec(), Contents::unchecked);
        const Shape& s = valid.shape();
        const oracle::TrueText<T> truth(p.spec(), digits);
        for (Index b = 0; b < s.batch; ++b)
          for (Index h = 0; h < s.query_heads; ++h)
            for (Index i = 0; i < s.queries; ++i) {
              const oracle::RowText text = truth.row(b, h, i, weights);
              for (Index c = 0; c < s.value_width; ++c)
                row("output", b, h, i, c, text.output[static_cast<std::size_t>(c)]);
              row("lse", b, h, i, 0, text.lse);
              for (Index j = 0; weights && j < s.keys; ++j)
                row("weight", b, h, i, j, text.weights[static_cast<std::size_t>(j)]);
            }
      },
      file.problem);
}

}  // namespace

Exit oracle(const Arguments& arguments, const Terminal& terminal) {
  const Given given = parse(usage(), arguments);
  if (given.has("help")) {
    terminal.out << help(usage());
    return Exit::fine;
  }
  if (!given.name()) throw InputError("problem", "nothing", "FILE.safetensors");
  const int digits = static_cast<int>(whole_number("digits", given.text("digits", "17"), 1, 50));
  const Format chosen = format(given);
  const ProblemFile file = problem_files::read_problem_file(*given.name());
  const std::vector<problem_files::Agreement> expected = problem_files::check_expected(file);
  bool agrees = true;
  for (const problem_files::Agreement& a : expected) agrees = agrees && a.agrees();
  if (chosen == Format::json) {
    reports::JsonWriter json;
    json.begin_object();
    json.key("schema").value("attest.oracle");
    json.key("schema_version").integer("1");
    json.key("numbers").begin_array();
    each_number(file, digits, given.has("weights"),
                [&](const char* what, Index b, Index h, Index i, Index c, const std::string& x) {
                  json.begin_object();
                  json.key("of").value(what);
                  json.key("at").begin_array();
                  for (const Index n : {b, h, i, c}) json.integer(std::to_string(n));
                  json.end_array();
                  json.key("value").value(x);
                  json.end_object();
                });
    json.end_array();
    json.key("expected");
    write_agreements(expected, json);
    json.end_object();
    terminal.out << json.str();
    return agrees ? Exit::fine : Exit::finding;
  }
  reports::Table table{.title = *given.name(),
                       .columns = {{"of"},
                                   {"batch", reports::Align::right},
                                   {"head", reports::Align::right},
                                   {"query", reports::Align::right},
                                   {"column", reports::Align::right},
                                   {"truth"}},
                       .rows = {},
                       .notes = {}};
  each_number(file, digits, given.has("weights"),
              [&](const char* what, Index b, Index h, Index i, Index c, const std::string& x) {
                table.rows.push_back({{what, std::to_string(b), std::to_string(h),
                                       std::to_string(i), std::to_string(c), x},
                                      false});
              });
  write_table(table, chosen, terminal);
  if (!expected.empty()) {
    terminal.out << '\n';
    write_table(agreement_table(expected, "expected results against the truth"), chosen, terminal);
  }
  return agrees ? Exit::fine : Exit::finding;
}

}  // namespace attest::cli

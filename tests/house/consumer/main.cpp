// Uses one thing of each installed library.
#include <cstdio>

#include "attention/explicit_attention.h"
#include "attention/owned_problem.h"
#include "estimator/attention_plan.h"
#include "oracle/exact_attention.h"
#include "reports/table.h"

int main() {
  attest::OwnedProblem<double> call;
  call.q = {{0, 0}};
  call.k = {{1, 0}, {0, 1}};
  call.v = {{1}, {3}};
  attest::Tensor<double> output({1, 1, 1, 1});
  attest::explicit_attention<double>(attest::Problem<double>(call.spec()), {output.view()});
  const auto truth = attest::oracle::ExactAttention<double>(call.spec()).row(0, 0, 0).output[0];
  const auto scores = attest::estimator::product({1, 8, 2048, 2048});
  const std::string csv = attest::reports::as_csv({.title = {},
                                                   .columns = {{"scores"}},
                                                   .rows = {{.cells = {to_string(scores)}}},
                                                   .notes = {}});
  std::printf("%s", csv.c_str());
  return output.elements[0] == 2 && truth == 2 && csv == "scores\n33554432\n" ? 0 : 1;
}

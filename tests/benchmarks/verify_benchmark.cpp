// How fast attest verify judges, measured in one run on one core: cases a second of the quick
// profile over both kernels, and the same comparison against tests/benchmarks/verify_twin.py, where
// python3 and that file are given: the same dense problems, the same outputs, judged in Decimal.
//   verify_benchmark [path of verify_twin.py]
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/candidates/built_in.h"
#include "tests/properties/run.h"

namespace {

using namespace attest;
using namespace attest::properties;

constexpr std::int64_t twin_cases = 300;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void all_properties_a_second() {
  RunPlan plan{.cases = 200, .reach = profile_named("quick").reach};
  for (const Property& property : all_properties()) plan.properties.push_back(&property);
  for (const char* name : {"explicit", "streaming"}) {
    const RunReport all = run([&] { return candidates::built_in(name); }, plan);
    std::printf("%s: %.0f cases a second and core over all properties\n", name,
                static_cast<double>(all.cases()) / all.seconds);
    RunPlan bound = plan;
    bound.properties = {&property_named("output-within-bound")};
    bound.cases = 4000;
    const RunReport judged = run([&] { return candidates::built_in(name); }, bound);
    const PropertyReport& p = judged.properties[0];
    std::printf("%s: %.0f cases a second and core judged by the oracle\n", name,
                static_cast<double>(p.cases - p.unjudged_cases) / judged.seconds);
  }
}

// Dense problems in double: what the twin knows.
void dense(Recipe& r) {
  r = {.element = Element::f64, .shape = r.shape, .values = Values::normal, .seed = r.seed};
}

std::vector<Recipe> dense_recipes() {
  std::vector<Recipe> drawn;
  const auto draw = recipes({Element::f64}, Features::all().without({Feature::gqa}), dense,
                            profile_named("quick").reach);
  for (std::int64_t n = 0; n < twin_cases; ++n)
    drawn.push_back(draw(rc::Random(static_cast<std::uint64_t>(n)), 0).value());
  return drawn;
}

void write_elements(std::ofstream& file, const Tensor<double>& t) {
  char text[64];
  for (const double x : t.elements) {
    std::snprintf(text, sizeof text, "%a\n", x);
    file << text;
  }
}

void against_the_twin(const char* twin) {
  const std::vector<Recipe> drawn = dense_recipes();
  const auto kernel = candidates::explicit_kernel();
  const Property& bound = property_named("output-within-bound");
  const auto start = std::chrono::steady_clock::now();
  for (const Recipe& recipe : drawn)
    if (bound.check(*kernel, recipe).failed()) std::abort();
  const double ours = seconds_since(start) / static_cast<double>(drawn.size());

  const std::string path = "/tmp/attest-twin-" + std::to_string(getpid()) + ".txt";
  std::ofstream file(path);
  for (const Recipe& recipe : drawn) {
    const OwnedProblem<double> p = expand<double>(recipe);
    const Shape& s = recipe.shape;
    for (const Index n : {s.batch, s.query_heads, s.queries, s.keys, s.width, s.value_width})
      file << n << ' ';
    file << '\n';
    for (const Tensor<double>* t : {&p.q, &p.k, &p.v}) write_elements(file, *t);
    write_elements(file, call(*kernel, p, {}).output);
  }
  file.close();
  const std::string command = std::string("python3 '") + twin + "' " + path;
  std::FILE* pipe = popen(command.c_str(), "r");
  double theirs = 0;
  const bool measured = pipe != nullptr && std::fscanf(pipe, "%lf", &theirs) == 1;
  if (pipe != nullptr) pclose(pipe);
  std::remove(path.c_str());
  if (!measured) {
    std::printf("the twin did not run\n");
    return;
  }
  std::printf("%lld dense cases in double: %.3g ms a case, Decimal twin %.3g ms: %.0f times\n",
              static_cast<long long>(twin_cases), ours * 1e3, theirs * 1e3, theirs / ours);
}

}  // namespace

int main(int argc, char** argv) {
  all_properties_a_second();
  if (argc > 1) against_the_twin(argv[1]);
}

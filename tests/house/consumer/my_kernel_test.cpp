// A person's own kernel under every property, in their own GoogleTest program.
#include "tests/properties/gtest.h"

#include <cmath>
#include <vector>

namespace {

using attest::Index;
using attest::properties::Candidate;
using attest::properties::CandidateOf;
using attest::properties::Declaration;
using attest::properties::Element;
using attest::properties::Feature;
using attest::properties::Status;

// Dense attention in float over plain loops; causal where asked.
class MyKernel : public CandidateOf<MyKernel> {
 public:
  MyKernel()
      : CandidateOf(
            Declaration{.name = "my kernel",
                        .elements = {Element::f32},
                        .features = {Feature::batch, Feature::causal, Feature::cross,
                                     Feature::top_left, Feature::value_width, Feature::strides}}) {}

  template <class T>
  Status run(const attest::Problem<T>& problem, const attest::AttentionResult<T>& result,
             attest::Tiles) {
    if constexpr (std::is_same_v<T, float>) {
      attend(problem, result);
      return {};
    } else {
      return {Status::Kind::unsupported, "float only"};
    }
  }

 private:
  static void attend(const attest::Problem<float>& p, const attest::AttentionResult<float>& r) {
    const attest::Shape& s = p.shape();
    const auto& [q, k, v] = std::tie(p.spec().q, p.spec().k, p.spec().v);
    std::vector<float> weight(static_cast<std::size_t>(s.keys));
    for (Index b = 0; b < s.batch; ++b)
      for (Index h = 0; h < s.query_heads; ++h)
        for (Index i = 0; i < s.queries; ++i) {
          const Index keys = p.spec().visibility.causal ? std::min(i + 1, s.keys) : s.keys;
          float top = -INFINITY, sum = 0;
          for (Index j = 0; j < keys; ++j) {
            float score = 0;
            for (Index c = 0; c < s.width; ++c) score += q(b, h, i, c) * k(b, h, j, c);
            score /= std::sqrt(static_cast<float>(s.width));
            weight[static_cast<std::size_t>(j)] = score;
            top = std::max(top, score);
          }
          for (Index j = 0; j < keys; ++j) {
            float& w = weight[static_cast<std::size_t>(j)];
            sum += w = std::exp(w - top);
          }
          for (Index c = 0; c < s.value_width; ++c) {
            float mixed = 0;
            for (Index j = 0; j < keys; ++j)
              mixed += weight[static_cast<std::size_t>(j)] * v(b, h, j, c);
            r.output(b, h, i, c) = mixed / sum;
          }
        }
  }
};

ATTEST_VERIFY(MyKernelTest, std::make_unique<MyKernel>());

}  // namespace

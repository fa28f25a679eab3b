// The ONNX operator's own cases, where their folder is at hand: ATTEST_ONNX_CASES, or
// ../shared/onnx_attention beside the sources.
#include "tests/problem_files/onnx_attention.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <list>

#include "tests/candidates/built_in.h"
#include "tests/problem_files/check_problem.h"
#include "tests/support/input_error.h"

namespace attest::problem_files {
namespace {

std::filesystem::path folder() {
  const char* given = std::getenv("ATTEST_ONNX_CASES");
  return given != nullptr ? given
                          : std::filesystem::path(ATTEST_SOURCE_DIR) / "../shared/onnx_attention";
}

std::vector<std::filesystem::path> cases() {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder(), error))
    if (entry.path().extension() == ".safetensors") paths.push_back(entry.path());
  return paths;
}

void expect_agreement(const std::vector<Agreement>& agreements, const std::string& file) {
  for (const Agreement& a : agreements)
    EXPECT_TRUE(a.agrees()) << file << ": " << a.what << " at "
                            << (a.place ? to_string(*a.place) : a.note) << ": truth " << a.truth
                            << ", got " << a.got << ", ratio " << a.worst;
}

TEST(OnnxCases, ExpectedResultsAreTheTruth) {
  if (cases().empty()) GTEST_SKIP() << "no cases in " << folder();
  for (const auto& path : cases()) {
    const std::vector<Agreement> agreements = check_expected(read_problem_file(path));
    EXPECT_FALSE(agreements.empty()) << path;
    expect_agreement(agreements, path.filename());
  }
}

TEST(OnnxCases, BothKernelsAgree) {
  if (cases().empty()) GTEST_SKIP() << "no cases in " << folder();
  for (const auto& path : cases())
    for (const char* kernel : {"explicit", "streaming"}) {
      const auto candidate = candidates::built_in(kernel);
      expect_agreement(check_candidate(*candidate, read_problem_file(path)), path.filename());
    }
}

// A case of our own: files are made here, so that the reader is tested without the folder.
class Case {
 public:
  Case& floats(const char* name, std::vector<Index> shape, std::vector<float> elements) {
    floats_.push_back(std::move(elements));
    file_.tensors[name] = {StoredType::f32, std::move(shape), bytes(floats_.back())};
    return *this;
  }
  Case& integers(const char* name, std::vector<Index> shape, std::vector<Index> elements) {
    integers_.push_back(std::move(elements));
    file_.tensors[name] = {StoredType::i64, std::move(shape), bytes(integers_.back())};
    return *this;
  }
  Case& attributes(const char* json) {
    file_.metadata["attributes"] = json;
    return *this;
  }
  OwnedProblem<float> read() {
    file_.metadata["op"] = "Attention";
    content_ = write_safetensors(file_);
    return std::get<OwnedProblem<float>>(read_problem(content_, "case").problem);
  }

 private:
  template <class T>
  static std::string_view bytes(const std::vector<T>& v) {
    return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
  }
  SafeTensors file_;
  std::list<std::vector<float>> floats_;
  std::list<std::vector<Index>> integers_;
  std::string content_;
};

std::vector<float> counted(Index n) {
  std::vector<float> v;
  for (Index k = 0; k < n; ++k) v.push_back(static_cast<float>(k));
  return v;
}

TEST(OnnxAttention, SplitsJoinedHeads) {
  const OwnedProblem<float> p = Case()
                                    .floats("Q", {1, 2, 4}, counted(8))
                                    .floats("K", {1, 3, 2}, counted(6))
                                    .floats("V", {1, 3, 2}, counted(6))
                                    .attributes(R"({"q_num_heads": 2, "kv_num_heads": 1})")
                                    .read();
  EXPECT_EQ(p.q.extents, (Extents{1, 2, 2, 2}));
  EXPECT_EQ(p.q.elements, (std::vector<float>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(p.k.extents, (Extents{1, 1, 3, 2}));
}

TEST(OnnxAttention, PutsThePastBeforeTheNewTokensAndOffsetsTheDiagonal) {
  Case past;
  past.floats("Q", {1, 1, 1, 1}, {1})
      .floats("K", {1, 1, 1, 1}, {2})
      .floats("V", {1, 1, 1, 1}, {3})
      .floats("past_key", {1, 1, 2, 1}, {8, 9})
      .floats("past_value", {1, 1, 2, 1}, {6, 7})
      .attributes(R"({"is_causal": 1})");
  const OwnedProblem<float> p = past.read();
  EXPECT_EQ(p.k.elements, (std::vector<float>{8, 9, 2}));
  EXPECT_EQ(p.v.elements, (std::vector<float>{6, 7, 3}));
  EXPECT_TRUE(p.causal);
  EXPECT_EQ(p.alignment, Alignment::bottom_right);
}

TEST(OnnxAttention, AnOffsetThatIsNoAlignmentBecomesAMask) {
  const OwnedProblem<float> p = Case()
                                    .floats("Q", {1, 1, 1, 1}, {1})
                                    .floats("K", {1, 1, 2, 1}, {2, 3})
                                    .floats("V", {1, 1, 2, 1}, {3, 4})
                                    .floats("past_key", {1, 1, 1, 1}, {8})
                                    .floats("past_value", {1, 1, 1, 1}, {6})
                                    .attributes(R"({"is_causal": 1})")
                                    .read();
  EXPECT_FALSE(p.causal);
  EXPECT_EQ(p.allow->elements, (std::vector<std::uint8_t>{1, 1, 0}));
}

TEST(OnnxAttention, LengthsAlignCausalOrderToTheLastKey) {
  const OwnedProblem<float> p = Case()
                                    .floats("Q", {1, 1, 1, 1}, {1})
                                    .floats("K", {1, 1, 3, 1}, {2, 3, 4})
                                    .floats("V", {1, 1, 3, 1}, {3, 4, 5})
                                    .integers("nonpad_kv_seqlen", {1}, {2})
                                    .attributes(R"({"is_causal": 1})")
                                    .read();
  EXPECT_EQ(p.alignment, Alignment::bottom_right);
  EXPECT_EQ(p.key_lengths, std::vector<Index>{2});
}

TEST(OnnxAttention, AShortMaskHidesTheRest) {
  const OwnedProblem<float> p = Case()
                                    .floats("Q", {1, 1, 1, 1}, {1})
                                    .floats("K", {1, 1, 3, 1}, {2, 3, 4})
                                    .floats("V", {1, 1, 3, 1}, {3, 4, 5})
                                    .floats("attn_mask", {1, 2}, {0.5f, 0})
                                    .read();
  EXPECT_EQ(p.bias->elements[0], 0.5f);
  EXPECT_EQ(p.bias->elements[2], -std::numeric_limits<float>::infinity());
}

TEST(OnnxAttention, TakesWindowsAMaskOfKeysAndAnEmptyPast) {
  const OwnedProblem<float> p = Case()
                                    .floats("Q", {1, 1, 3, 1}, counted(3))
                                    .floats("K", {1, 1, 3, 1}, counted(3))
                                    .floats("V", {1, 1, 3, 1}, counted(3))
                                    .floats("past_key", {1, 1, 0, 1}, {})
                                    .floats("past_value", {1, 1, 0, 1}, {})
                                    .floats("attn_mask", {3}, {0, 1, 2})
                                    .attributes(R"({"left_window_size": 1})")
                                    .read();
  EXPECT_EQ(p.window.left, 1);
  EXPECT_FALSE(p.window.right);
  EXPECT_EQ(p.alignment, Alignment::top_left);
  EXPECT_EQ(p.bias->extents, (Extents{1, 1, 1, 3}));
  EXPECT_EQ(p.k.elements, counted(3));
}

TEST(OnnxAttention, RefusesWhatTheOperatorDoesNotKnow) {
  const auto refused = [](const char* attributes) {
    return test::field_of([&] {
      Case()
          .floats("Q", {1, 1, 2}, counted(2))
          .floats("K", {1, 1, 2}, counted(2))
          .floats("V", {1, 1, 2}, counted(2))
          .attributes(attributes)
          .read();
    });
  };
  EXPECT_EQ(refused(R"({"q_num_heads": 3, "kv_num_heads": 1})"), "case: q_num_heads");
  EXPECT_EQ(refused(R"({"q_num_heads": 1})"), "case: kv_num_heads");
  EXPECT_EQ(refused(R"({"causal": 1})"), "case: attribute");
  EXPECT_EQ(refused("[]"), "case: attributes");
  EXPECT_EQ(refused(R"({"q_num_heads": 1, "kv_num_heads": 1, "scale": "x"})"), "case: scale");
}

}  // namespace
}  // namespace attest::problem_files

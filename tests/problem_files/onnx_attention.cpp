#include "tests/problem_files/onnx_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "attention/error.h"
#include "attention/spelling.h"
#include "estimator/json_input.h"

namespace attest::problem_files {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 9> attribute_names = {
    "is_causal",   "kv_num_heads",      "left_window_size",
    "q_num_heads", "right_window_size", "qk_matmul_output_mode",
    "scale",       "softcap",           "softmax_precision"};

constexpr std::array<std::string_view, 11> tensor_names = {"Q",
                                                           "K",
                                                           "V",
                                                           "attn_mask",
                                                           "past_key",
                                                           "past_value",
                                                           "nonpad_kv_seqlen",
                                                           "expected.Y",
                                                           "expected.present_key",
                                                           "expected.present_value",
                                                           "expected.qk_matmul_output"};

template <class T>
T entry(const Tensor<T>& t, Index b, Index h, Index n, Index c) {
  return t.view()(b, h, n, c);
}

template <class T>
class Case {
 public:
  using Acc = Accumulator<T>;

  Case(const SafeTensors& file, const std::string& name, const Json& attributes)
      : file_(file), name_(name), attributes_(attributes) {}

  ProblemFile read() {
    OwnedProblem<T> p;
    p.q = heads("Q", "q_num_heads");
    p.k = after_past("past_key", heads("K", "kv_num_heads"));
    p.v = after_past("past_value", heads("V", "kv_num_heads"));
    check_present("expected.present_key", p.k);
    check_present("expected.present_value", p.v);
    p.empty_row = EmptyRow::zero;
    if (attributes_.contains("scale")) p.scale = real("scale");
    if (attributes_.contains("softcap") && real("softcap") != 0) p.softcap = real("softcap");
    if (const StoredTensor* lengths = file_.find("nonpad_kv_seqlen"))
      p.key_lengths = elements_of<Index>(*lengths, field("nonpad_kv_seqlen"));
    mask(p);
    order(p);
    ProblemFile read{p, expected(p)};
    read.expected.contradictions = contradictions_;
    return read;
  }

 private:
  std::string field(std::string_view what) const { return name_ + ": " + std::string(what); }

  [[noreturn]] void refuse(std::string_view what, const std::string& got,
                           const std::string& accepted) const {
    throw InputError(field(what), got, accepted);
  }

  std::int64_t integer(const char* key, std::int64_t otherwise) const {
    if (!attributes_.contains(key)) return otherwise;
    if (!attributes_[key].is_number_integer()) refuse(key, attributes_[key].dump(), "an integer");
    return attributes_[key].get<std::int64_t>();
  }

  double real(const char* key) const {
    if (!attributes_[key].is_number()) refuse(key, attributes_[key].dump(), "a number");
    return attributes_[key].get<double>();
  }

  const StoredTensor& required(const char* what) const {
    const StoredTensor* found = file_.find(what);
    if (found == nullptr) refuse(what, "no such tensor", "Q, K and V");
    return *found;
  }

  // (batch, heads, tokens, width) from that, or from (batch, tokens, heads * width).
  Tensor<T> in_heads(const StoredTensor& stored, std::string_view what, const char* count) const {
    if (stored.shape.size() == 4) {
      Tensor<T> t(extents_of(stored, field(what)));
      t.elements = elements_of<T>(stored, field(what));
      return t;
    }
    if (stored.shape.size() != 3)
      refuse(what, "rank " + std::to_string(stored.shape.size()), "rank 3 or 4");
    const std::int64_t heads = integer(count, 0);
    const Index batch = stored.shape[0], tokens = stored.shape[1], joined = stored.shape[2];
    if (heads < 1 || joined % heads != 0 || batch < 1 || tokens < 1 || joined < 1)
      refuse(count, std::to_string(heads),
             "a number of heads that divides " + std::to_string(joined));
    const std::vector<T> elements = elements_of<T>(stored, field(what));
    const Index width = joined / heads;
    const TensorView<const T> in(elements, {batch, heads, tokens, width},
                                 {tokens * joined, width, joined, 1}, 0, "tensor");
    Tensor<T> t({batch, heads, tokens, width});
    const TensorView<T> out = t.view();
    for (Index b = 0; b < batch; ++b)
      for (Index h = 0; h < heads; ++h)
        for (Index n = 0; n < tokens; ++n)
          for (Index c = 0; c < width; ++c) out(b, h, n, c) = in(b, h, n, c);
    return t;
  }

  Tensor<T> heads(const char* what, const char* count) const {
    return in_heads(required(what), what, count);
  }

  Tensor<T> after_past(const char* what, Tensor<T> fresh) const {
    const StoredTensor* stored = file_.find(what);
    if (stored == nullptr) return fresh;
    const std::vector<Index>& shape = stored->shape;
    if ((shape.size() == 4 && shape[2] == 0) || (shape.size() == 3 && shape[1] == 0)) return fresh;
    const Tensor<T> past = in_heads(*stored, what, "kv_num_heads");
    Extents e = fresh.extents;
    if (past.extents[0] != e[0] || past.extents[1] != e[1] || past.extents[3] != e[3])
      refuse(what, to_string(past.extents), "batch, heads and width of " + to_string(e));
    const Index before = past.extents[2];
    e[2] += before;
    Tensor<T> all(e);
    const TensorView<T> out = all.view();
    for (Index b = 0; b < e[0]; ++b)
      for (Index h = 0; h < e[1]; ++h)
        for (Index n = 0; n < e[2]; ++n)
          for (Index c = 0; c < e[3]; ++c)
            out(b, h, n, c) =
                n < before ? entry(past, b, h, n, c) : entry(fresh, b, h, n - before, c);
    return all;
  }

  // What is not past and new tokens one after the other.
  void check_present(const char* what, const Tensor<T>& joined) {
    const StoredTensor* stored = file_.find(what);
    if (stored == nullptr) return;
    const bool same = in_heads(*stored, what, "kv_num_heads").elements == joined.elements;
    if (!same) contradictions_.emplace_back(what);
  }

  // Axes are aligned at the end; a leading axis that is left out is broadcast.
  void mask(OwnedProblem<T>& p) const {
    const StoredTensor* stored = file_.find("attn_mask");
    if (stored == nullptr) return;
    if (stored->shape.empty() || stored->shape.size() > 4)
      refuse("attn_mask", "rank " + std::to_string(stored->shape.size()), "rank 1 to 4");
    StoredTensor full = *stored;
    while (full.shape.size() < 4) full.shape.insert(full.shape.begin(), 1);
    const Extents given = extents_of(full, field("attn_mask"));
    Extents e = given;
    e[3] = p.k.extents[2];
    if (given[3] > e[3])
      refuse("attn_mask", to_string(given), "at most " + std::to_string(e[3]) + " keys");
    if (stored->type == StoredType::boolean) {
      p.allow = longer(full, given, e, std::uint8_t{0});
    } else {
      p.bias = longer(full, given, e, -std::numeric_limits<Acc>::infinity());
    }
  }

  template <class Entry>
  Tensor<Entry> longer(const StoredTensor& stored, const Extents& given, const Extents& e,
                       Entry hidden) const {
    Tensor<Entry> short_one(given);
    short_one.elements = elements_of<Entry>(stored, field("attn_mask"));
    Tensor<Entry> t(e, hidden);
    const TensorView<Entry> out = t.view();
    for (Index b = 0; b < e[0]; ++b)
      for (Index h = 0; h < e[1]; ++h)
        for (Index i = 0; i < e[2]; ++i)
          for (Index j = 0; j < given[3]; ++j) out(b, h, i, j) = entry(short_one, b, h, i, j);
    return t;
  }

  std::optional<Index> window_end(const char* key) const {
    const std::int64_t size = integer(key, -1);
    return size < 0 ? std::nullopt : std::optional<Index>(size);
  }

  // Causal order and windows, which count from the key that query 0 faces.
  void order(OwnedProblem<T>& p) const {
    p.causal = integer("is_causal", 0) != 0;
    p.window = {window_end("left_window_size"), window_end("right_window_size")};
    if (!p.causal && !p.window.limited()) return;
    const Index queries = p.q.extents[2], keys = p.k.extents[2];
    const StoredTensor* past = file_.find("past_key");
    const Index offset = past == nullptr           ? 0
                         : past->shape.size() == 4 ? past->shape[2]
                                                   : past->shape[1];
    if (past == nullptr || offset == 0) {
      p.alignment =
          p.key_lengths.empty() || past != nullptr ? Alignment::top_left : Alignment::bottom_right;
      return;
    }
    if (offset + queries == keys && p.key_lengths.empty()) {
      p.alignment = Alignment::bottom_right;
      return;
    }
    // No alignment of ours: as many new keys as queries is what they assume.
    Extents e = p.allow ? p.allow->extents : Extents{1, 1, 1, keys};
    const Extents from = e;
    e[2] = queries;
    Tensor<std::uint8_t> allow(e);
    const TensorView<std::uint8_t> out = allow.view();
    for (Index b = 0; b < e[0]; ++b)
      for (Index h = 0; h < e[1]; ++h)
        for (Index i = 0; i < queries; ++i)
          for (Index j = 0; j < keys; ++j)
            out(b, h, i, j) = in_order(p, j - (i + offset)) &&
                              (!p.allow || entry(*p.allow, b, h, from[2] == 1 ? 0 : i, j));
    p.allow = std::move(allow);
    p.causal = false;
    p.window = {};
  }

  static bool in_order(const OwnedProblem<T>& p, Index distance) {
    return (!p.causal || distance <= 0) && (!p.window.left || -distance <= *p.window.left) &&
           (!p.window.right || distance <= *p.window.right);
  }

  ExpectedResult expected(const OwnedProblem<T>& p) const {
    ExpectedResult e;
    if (const StoredTensor* y = file_.find("expected.Y")) {
      const Tensor<T> output = in_heads(*y, "expected.Y", "q_num_heads");
      e.output = Tensor<double>(output.extents);
      std::transform(output.elements.begin(), output.elements.end(), e.output->elements.begin(),
                     [](T x) { return static_cast<double>(widen(x)); });
    }
    if (const StoredTensor* qk = file_.find("expected.qk_matmul_output")) {
      Tensor<double> scores(extents_of(*qk, field("expected.qk_matmul_output")));
      scores.elements = elements_of<double>(*qk, field("expected.qk_matmul_output"));
      const Extents wanted = {p.q.extents[0], p.q.extents[1], p.q.extents[2], p.k.extents[2]};
      if (scores.extents != wanted)
        refuse("expected.qk_matmul_output", to_string(scores.extents), to_string(wanted));
      const std::int64_t mode = integer("qk_matmul_output_mode", 0);
      if (mode < 0 || mode > 3)
        refuse("qk_matmul_output_mode", std::to_string(mode), "0, 1, 2 or 3");
      if (mode == 3)
        e.weights = std::move(scores);
      else
        e.scores = ExpectedScores{std::move(scores), mode >= 1, mode == 2};
    }
    tolerance(e);
    return e;
  }

  void tolerance(ExpectedResult& e) const {
    const auto found = file_.metadata.find("tolerance");
    if (found == file_.metadata.end()) return;
    const Json stated = estimator::parse_json(found->second, field("tolerance"));
    const auto number = [&](const char* key) {
      if (!stated.is_object() || !stated.contains(key) || !stated[key].is_number())
        refuse("tolerance", found->second, "an object of the numbers rtol and atol");
      return stated[key].template get<double>();
    };
    e.relative = number("rtol");
    e.absolute = number("atol");
  }

  const SafeTensors& file_;
  const std::string& name_;
  const Json& attributes_;
  std::vector<std::string> contradictions_;
};

}  // namespace

ProblemFile read_onnx_attention(const SafeTensors& file, const std::string& name) {
  const std::string& op = file.metadata.at("op");
  if (op != "Attention") throw InputError(name + ": op", "\"" + op + "\"", "Attention");
  for (const auto& [tensor, stored] : file.tensors)
    if (std::find(tensor_names.begin(), tensor_names.end(), tensor) == tensor_names.end())
      throw InputError(name + ": tensor", "\"" + tensor + "\"",
                       listed(tensor_names) + did_you_mean(tensor, tensor_names));
  const auto text = file.metadata.find("attributes");
  const Json attributes = text == file.metadata.end()
                              ? Json::object()
                              : estimator::parse_json(text->second, name + ": attributes");
  if (!attributes.is_object())
    throw InputError(name + ": attributes", text->second, "a JSON object");
  for (const auto& [key, value] : attributes.items())
    if (std::find(attribute_names.begin(), attribute_names.end(), key) == attribute_names.end())
      throw InputError(name + ": attribute", "\"" + key + "\"",
                       listed(attribute_names) + did_you_mean(key, attribute_names));
  const StoredTensor* q = file.find("Q");
  if (q == nullptr) throw InputError(name + ": Q", "no such tensor", "Q, K and V");
  switch (q->type) {
    case StoredType::f64:
      return Case<double>(file, name, attributes).read();
    case StoredType::f32:
      return Case<float>(file, name, attributes).read();
    case StoredType::f16:
      return Case<Float16>(file, name, attributes).read();
    case StoredType::bf16:
      return Case<BFloat16>(file, name, attributes).read();
    default:
      throw InputError(name + ": Q", std::string(name_of(q->type)), "F16, BF16, F32 or F64");
  }
}

}  // namespace attest::problem_files

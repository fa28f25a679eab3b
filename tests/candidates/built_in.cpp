#include "tests/candidates/built_in.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "attention/error.h"
#include "attention/explicit_attention.h"
#include "attention/kv_head.h"
#include "attention/spelling.h"
#include "attention/streaming_attention.h"

namespace attest::candidates {
namespace {

using properties::Candidate;
using properties::CandidateOf;
using properties::Declaration;
using properties::Feature;
using properties::Features;
using properties::Status;

class Explicit : public CandidateOf<Explicit> {
 public:
  Explicit()
      : CandidateOf(Declaration{.name = "explicit",
                                .features = Features::all().without({Feature::tiles})}) {}

  template <class T>
  Status run(const Problem<T>& problem, const AttentionResult<T>& result, Tiles) {
    explicit_attention(problem, result);
    return {};
  }
};

class Streaming : public CandidateOf<Streaming> {
 public:
  Streaming()
      : CandidateOf(Declaration{.name = "streaming",
                                .features = Features::all().without({Feature::weights}),
                                .key_tile = 1}) {}

  template <class T>
  Status run(const Problem<T>& problem, const AttentionResult<T>& result, Tiles tiles) {
    streaming_attention(problem, result, tiles);
    return {};
  }
};

// Fills the output row by row; LSE and weights as numbers of ordinary size.
template <class T, class Row>
void fill(const Problem<T>& problem, const AttentionResult<T>& result, Row row) {
  using Acc = Accumulator<T>;
  const Shape& s = problem.shape();
  for (Index b = 0; b < s.batch; ++b)
    for (Index h = 0; h < s.query_heads; ++h)
      for (Index i = 0; i < s.queries; ++i) {
        for (Index c = 0; c < s.value_width; ++c)
          result.output(b, h, i, c) = narrow<T>(static_cast<Acc>(row(b, h, i, c)));
        if (!result.lse.empty()) result.lse(b, h, i, 0) = Acc{0};
        if (result.weights.empty()) continue;
        for (Index j = 0; j < s.keys; ++j)
          result.weights(b, h, i, j) = Acc{1} / static_cast<Acc>(s.keys);
      }
}

template <class T>
double value(const Problem<T>& p, Index b, Index h, Index j, Index c) {
  const Index kv = kv_head(p.spec().head_map, p.shape(), h);
  return static_cast<double>(widen(p.spec().v(b, kv, j, c)));
}

struct Zeros {
  template <class T>
  void operator()(const Problem<T>& p, const AttentionResult<T>& r) {
    fill(p, r, [](Index, Index, Index, Index) { return 0.0; });
  }
};

struct Nan {
  template <class T>
  void operator()(const Problem<T>& p, const AttentionResult<T>& r) {
    fill(p, r, [](Index, Index, Index, Index) { return std::numeric_limits<double>::quiet_NaN(); });
  }
};

struct MeanOfValues {
  template <class T>
  void operator()(const Problem<T>& p, const AttentionResult<T>& r) {
    fill(p, r, [&](Index b, Index h, Index i, Index c) {
      double sum = 0, count = 0;
      for (Index j = 0; j < p.shape().keys; ++j)
        if (p.visibility()(b, h, i, j)) {
          sum += value(p, b, h, j, c);
          count += 1;
        }
      return count == 0 ? 0.0 : sum / count;
    });
  }
};

struct MeanOfAll {
  template <class T>
  void operator()(const Problem<T>& p, const AttentionResult<T>& r) {
    fill(p, r, [&](Index b, Index h, Index, Index c) {
      double sum = 0;
      for (Index j = 0; j < p.shape().keys; ++j) sum += value(p, b, h, j, c);
      return sum / static_cast<double>(p.shape().keys);
    });
  }
};

struct FirstValue {
  template <class T>
  void operator()(const Problem<T>& p, const AttentionResult<T>& r) {
    fill(p, r, [&](Index b, Index h, Index i, Index c) {
      for (Index j = 0; j < p.shape().keys; ++j)
        if (p.visibility()(b, h, i, j)) return value(p, b, h, j, c);
      return 0.0;
    });
  }
};

struct Noise {
  template <class T>
  void operator()(const Problem<T>& p, const AttentionResult<T>& r) {
    fill(p, r, [&](Index b, Index h, Index, Index c) {
      double low = value(p, b, h, 0, c), high = low;
      for (Index j = 1; j < p.shape().keys; ++j) {
        low = std::min(low, value(p, b, h, j, c));
        high = std::max(high, value(p, b, h, j, c));
      }
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      return low + (high - low) * static_cast<double>(state_ >> 40) * 0x1p-24;
    });
  }
  std::uint64_t state_ = 1;
};

// The right answer to the wrong question.
struct Stale {
  template <class T>
  void operator()(const Problem<T>& p, const AttentionResult<T>& r) {
    const Shape& s = p.shape();
    std::vector<double> now;
    explicit_attention<T>(p, r);
    for (Index b = 0; b < s.batch; ++b)
      for (Index h = 0; h < s.query_heads; ++h)
        for (Index i = 0; i < s.queries; ++i)
          for (Index c = 0; c < s.value_width; ++c)
            now.push_back(static_cast<double>(widen(r.output(b, h, i, c))));
    last_.swap(now);
    std::size_t next = 0;
    fill(p, r,
         [&](Index, Index, Index, Index) { return now.empty() ? 0.0 : now[next++ % now.size()]; });
  }
  std::vector<double> last_;
};

template <class Answer>
class Null : public CandidateOf<Null<Answer>> {
 public:
  explicit Null(std::string name)
      : CandidateOf<Null<Answer>>(Declaration{
            .name = std::move(name), .features = Features::all().without({Feature::tiles})}) {}

  template <class T>
  Status run(const Problem<T>& problem, const AttentionResult<T>& result, Tiles) {
    answer_(problem, result);
    return {};
  }

 private:
  Answer answer_;
};

template <class Answer>
std::unique_ptr<Candidate> null(std::string_view name) {
  return std::make_unique<Null<Answer>>("null:" + std::string(name));
}

struct NullEntry {
  std::string_view name;
  std::unique_ptr<Candidate> (*make)(std::string_view);
};
constexpr std::array nulls = {
    NullEntry{"zeros", null<Zeros>},
    NullEntry{"nan", null<Nan>},
    NullEntry{"mean-of-values", null<MeanOfValues>},
    NullEntry{"mean-of-all", null<MeanOfAll>},
    NullEntry{"first-value", null<FirstValue>},
    NullEntry{"noise", null<Noise>},
    NullEntry{"stale", null<Stale>},
};

}  // namespace

std::unique_ptr<Candidate> explicit_kernel() { return std::make_unique<Explicit>(); }
std::unique_ptr<Candidate> streaming_kernel() { return std::make_unique<Streaming>(); }

std::vector<std::string_view> null_names() {
  std::vector<std::string_view> names;
  for (const NullEntry& entry : nulls) names.push_back(entry.name);
  return names;
}

std::unique_ptr<Candidate> null_candidate(std::string_view name) {
  for (const NullEntry& entry : nulls)
    if (entry.name == name) return entry.make(name);
  const std::vector<std::string_view> names = null_names();
  throw InputError("candidate", "\"null:" + std::string(name) + "\"",
                   listed(names) + did_you_mean(name, names));
}

std::unique_ptr<Candidate> built_in(std::string_view name) {
  if (name == "explicit") return explicit_kernel();
  if (name == "streaming") return streaming_kernel();
  if (name.starts_with("null:")) return null_candidate(name.substr(5));
  constexpr std::array<std::string_view, 4> known = {"explicit", "streaming", "null:NAME",
                                                     "./FILE.so"};
  throw InputError("candidate", "\"" + std::string(name) + "\"",
                   listed(known) + did_you_mean(name, known));
}

}  // namespace attest::candidates

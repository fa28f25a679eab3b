#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attention/problem.h"
#include "attention/result.h"
#include "attention/tiles.h"
#include "oracle/arithmetic.h"
#include "tests/properties/element.h"
#include "tests/properties/features.h"

namespace attest::properties {

// What an implementation says of itself. What it does not support is never asked of it.
struct Declaration {
  std::string name;
  std::vector<Element> elements{Element::f32, Element::f64, Element::f16, Element::bf16};
  Features features = Features::all();
  // Keys held at a time by an implementation that rescales partial sums; absent: the maximum of a
  // row is known before its sum starts. 1 is the widest bound, right for any tiling.
  std::optional<Index> key_tile{};
  // The type in which weights wait for the product with values; absent: the accumulator's.
  std::optional<Element> weight_element{};
};

// How a call ended.
struct Status {
  enum class Kind {
    done,
    unsupported,  // the implementation does not take this problem: counted, never a failure
    failed,       // it took the problem and broke: an error code, a crash, a hang
  };
  Kind kind = Kind::done;
  std::string reason{};  // of unsupported and failed: one line

  bool done() const { return kind == Kind::done; }
};

// One attention implementation under test. Calls write `result` as attention/result.h says: every
// element of every view that is given, nothing else.
class Candidate {
 public:
  virtual ~Candidate() = default;

  virtual const Declaration& declaration() const = 0;

  virtual Status forward(const Problem<float>&, const AttentionResult<float>&, Tiles) = 0;
  virtual Status forward(const Problem<double>&, const AttentionResult<double>&, Tiles) = 0;
  virtual Status forward(const Problem<Float16>&, const AttentionResult<Float16>&, Tiles) = 0;
  virtual Status forward(const Problem<BFloat16>&, const AttentionResult<BFloat16>&, Tiles) = 0;
};

// A Candidate from one generic function: struct Mine : CandidateOf<Mine> with
//   template <class T> Status run(const Problem<T>&, const AttentionResult<T>&, Tiles);
template <class Self>
class CandidateOf : public Candidate {
 public:
  explicit CandidateOf(Declaration declaration) : declaration_(std::move(declaration)) {}

  const Declaration& declaration() const override { return declaration_; }
  Status forward(const Problem<float>& p, const AttentionResult<float>& r, Tiles t) override {
    return static_cast<Self*>(this)->run(p, r, t);
  }
  Status forward(const Problem<double>& p, const AttentionResult<double>& r, Tiles t) override {
    return static_cast<Self*>(this)->run(p, r, t);
  }
  Status forward(const Problem<Float16>& p, const AttentionResult<Float16>& r, Tiles t) override {
    return static_cast<Self*>(this)->run(p, r, t);
  }
  Status forward(const Problem<BFloat16>& p, const AttentionResult<BFloat16>& r, Tiles t) override {
    return static_cast<Self*>(this)->run(p, r, t);
  }

 private:
  Declaration declaration_;
};

// The arithmetic that a declaration promises for a row of `keys` keys, run in `tiles`.
template <class T>
oracle::Arithmetic arithmetic_of(const Declaration& declaration, Index keys, Tiles tiles);

}  // namespace attest::properties

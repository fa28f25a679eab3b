#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "attention/shape.h"

namespace attest {

// A dense row-major matrix of doubles that owns its elements: one sequence, tokens x features.
class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index columns, double fill = 0);
  // Throws InputError for no rows, empty rows, rows of unequal length, and elements not finite.
  Matrix(std::initializer_list<std::initializer_list<double>> rows);

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  double& operator()(Index r, Index c) { return elements_[place(r, c)]; }
  double operator()(Index r, Index c) const { return elements_[place(r, c)]; }
  std::span<double> row(Index r) { return std::span(elements_).subspan(place(r, 0), width()); }
  std::span<const double> row(Index r) const {
    return std::span(elements_).subspan(place(r, 0), width());
  }
  std::span<double> elements() { return elements_; }
  std::span<const double> elements() const { return elements_; }

  bool operator==(const Matrix&) const = default;

 private:
  std::size_t width() const { return static_cast<std::size_t>(columns_); }
  std::size_t place(Index r, Index c) const { return static_cast<std::size_t>(r * columns_ + c); }

  Index rows_ = 0;
  Index columns_ = 0;
  std::vector<double> elements_;
};

// a b, each sum in index order. Throws InputError where a's columns are not b's rows.
Matrix multiply(const Matrix& a, const Matrix& b);

// A residual connection: a + b. Throws InputError for unequal shapes.
Matrix add(const Matrix& a, const Matrix& b);

// Side by side: [a | b]. Throws InputError for unequal row counts.
Matrix beside(const Matrix& a, const Matrix& b);

// "(2, 3)"
std::string shape_text(const Matrix& matrix);

}  // namespace attest

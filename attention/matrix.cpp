#include "attention/matrix.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "attention/error.h"

namespace attest {

Matrix::Matrix(Index rows, Index columns, double fill) : rows_(rows), columns_(columns) {
  if (rows < 1 || columns < 1)
    throw InputError("matrix", shape_text(*this), "one row and one column or more");
  elements_.assign(static_cast<std::size_t>(rows * columns), fill);
}

Matrix::Matrix(std::initializer_list<std::initializer_list<double>> rows)
    : rows_(std::ssize(rows)), columns_(rows.size() == 0 ? 0 : std::ssize(*rows.begin())) {
  if (columns_ == 0) throw InputError("matrix", "no elements", "one row and one column or more");
  for (const auto& row : rows) {
    const std::string place = "matrix row " + std::to_string(&row - rows.begin());
    if (std::ssize(row) != columns_)
      throw InputError(place, std::to_string(row.size()) + " elements",
                       std::to_string(columns_) + ", as in row 0");
    for (const double x : row)
      if (!std::isfinite(x)) throw InputError(place, std::to_string(x), "finite numbers");
    elements_.insert(elements_.end(), row.begin(), row.end());
  }
}

Matrix multiply(const Matrix& a, const Matrix& b) {
  if (a.columns() != b.rows())
    throw InputError("product", shape_text(a) + " times " + shape_text(b),
                     "as many columns on the left as rows on the right");
  Matrix product(a.rows(), b.columns());
  for (Index r = 0; r < a.rows(); ++r)
    for (Index n = 0; n < a.columns(); ++n)
      for (Index c = 0; c < b.columns(); ++c) product(r, c) += a(r, n) * b(n, c);
  return product;
}

Matrix add(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns())
    throw InputError("residual", shape_text(a) + " plus " + shape_text(b), "equal shapes");
  Matrix sum = a;
  std::ranges::transform(sum.elements(), b.elements(), sum.elements().begin(), std::plus<>());
  return sum;
}

Matrix beside(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows())
    throw InputError("columns", shape_text(a) + " beside " + shape_text(b), "equal row counts");
  Matrix joined(a.rows(), a.columns() + b.columns());
  for (Index r = 0; r < a.rows(); ++r) {
    const auto rest = std::ranges::copy(a.row(r), joined.row(r).begin()).out;
    std::ranges::copy(b.row(r), rest);
  }
  return joined;
}

std::string shape_text(const Matrix& matrix) {
  return "(" + std::to_string(matrix.rows()) + ", " + std::to_string(matrix.columns()) + ")";
}

}  // namespace attest

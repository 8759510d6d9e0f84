// SPDX-License-Identifier: Apache-2.0
// Weights that are known only at run time: a matrix in device memory.
#pragma once

#include "kernels.hpp"
#include "sources.hpp"

namespace systole::compiler {

/// The right operand of a product.
class MatrixWeights final : public Weights {
 public:
  MatrixWeights(const RightMatrix& matrix, int dim) : matrix_(matrix), dim_(dim) {}
  Range blocks(int) const override { return {0, ceil_div(matrix_.depth(), dim_)}; }
  void load(Builder& builder, Range columns, Range blocks, Range taps, int row, int column_rows) const override;

 private:
  void load_rows(Builder& builder, Range columns, Range blocks, int row, int column_rows) const;
  void load_transposed(Builder& builder, Range columns, Range blocks, int row, int column_rows) const;

  RightMatrix matrix_;
  int dim_;
};

}  // namespace systole::compiler

// SPDX-License-Identifier: Apache-2.0
// Weights that are known only at run time: a matrix in device memory.
#pragma once

#include "kernels.hpp"
#include "sources.hpp"

namespace systole::compiler {

/// The right operand of a product. With several `parts` its sums count as often: all parts are the same matrix.
class MatrixWeights final : public Weights {
 public:
  MatrixWeights(const RightMatrix& matrix, int dim, int parts = 1) : matrix_(matrix), dim_(dim), parts_(parts) {}
  int kernel_h() const override { return parts_; }
  int parts() const override { return parts_; }
  Range blocks(int) const override { return {0, ceil_div(matrix_.depth(), dim_)}; }
  void load(Builder& builder, Range columns, Range blocks, Range taps, int row, int column_rows) const override;

 private:
  void load_rows(Builder& builder, Range columns, Range blocks, int row, int column_rows) const;
  void load_transposed(Builder& builder, Range columns, Range blocks, int row, int column_rows) const;

  RightMatrix matrix_;
  int dim_, parts_;
};

}  // namespace systole::compiler

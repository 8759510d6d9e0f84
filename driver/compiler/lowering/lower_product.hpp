// SPDX-License-Identifier: Apache-2.0
// Products of two computed matrices, or of stacks of them.
#pragma once

#include <cstdint>

#include "kernels.hpp"
#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Sizes of the operator's matrices, which of them are multiplied, and the bias. The caller sets zero points and output
/// stage. Throws InvalidArgument for a bias that is not one constant per column.
ProductLayer product_of(const graph::Graph& graph, const graph::Operator& op, const graph::MatMul& product);

/// The operand's matrix for each matrix of the result, in row-major order of its leading dimensions.
MatrixStack matrices_of(const graph::Shape& operand, const graph::Shape& result);

/// Whether the product reads its operands, and writes its result, where they are. Otherwise, with a zero point of `b`
/// or a transposed `a`, it needs them without gaps in device memory, and copies the operands.
bool is_in_place(const ProductLayer& layer);

/// Whether a tensor with this many channels may be in the scratchpad: the rows of its matrices are positions, and their
/// columns whole blocks of channels. Only if the product is in place.
bool has_rows_of_positions(const MatrixStack& matrices, int channels, int dim);

/// `b` is in device memory without gaps.
void emit_product(compiler::Builder& builder, const ProductLayer& layer, const compiler::TensorView& a,
                  const compiler::TensorView& b, const compiler::TensorView& result);

/// A matrix of the tensor, whose rows are its positions.
compiler::TensorView matrix_of(const compiler::TensorView& tensor, const MatrixStack& matrices, std::size_t i, int dim);
/// The right operand of matrix i.
compiler::RightMatrix right_matrix(const ProductLayer& layer, const compiler::TensorView& b, std::size_t i);

/// Some rows of a matrix, whose calls share a state; the product is in place and not raw.
void emit_product_rows(compiler::Builder& builder, const ProductLayer& layer, const compiler::TensorView& a,
                       const compiler::RightMatrix& b, const compiler::TensorView& result,
                       compiler::ProductState& state);

}  // namespace systole::network

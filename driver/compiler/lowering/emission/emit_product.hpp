// SPDX-License-Identifier: Apache-2.0
// Instructions of products of two computed matrices, or of stacks of them.
#pragma once

#include "kernels.hpp"
#include "layer.hpp"
#include "product_state.hpp"

namespace systole::network {

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

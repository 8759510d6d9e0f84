// SPDX-License-Identifier: Apache-2.0
// Products of two computed matrices, or of stacks of them.
#pragma once

#include <cstdint>

#include "kernels.hpp"
#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Sizes of the operator's matrices, which of them are multiplied, and the bias. Zero points and what becomes of the
/// sums are the rules' to say. Throws std::invalid_argument for a bias that is not one constant per column.
ProductLayer product_of(const graph::Graph& graph, const graph::Operator& op, const graph::MatMul& product);

/// Operands and results in device memory, dense. A zero point becomes further products, with constants, since all
/// operands of the array are int8: (a - za)(b - zb) = ab - a zb - za b + za zb.
void emit_product(compiler::Builder& builder, std::uint32_t a, std::uint32_t b, const ProductLayer& layer,
                  std::uint32_t output);

}  // namespace systole::network

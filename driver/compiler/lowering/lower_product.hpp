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

/// Operands and results are dense in device memory. Since the array's operands are int8, zero points become further
/// products with constants: (a - za)(b - zb) = ab - a zb - za b + za zb.
void emit_product(compiler::Builder& builder, std::uint32_t a, std::uint32_t b, const ProductLayer& layer,
                  std::uint32_t output);

}  // namespace systole::network

// SPDX-License-Identifier: Apache-2.0
// Products of two computed matrices, or of stacks of them.
#pragma once

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Sizes of the operator's matrices, which of them are multiplied, and the bias. The caller sets zero points and output
/// stage. Throws InvalidArgument for a bias that is not one constant per column.
ProductLayer product_of(const graph::Graph& graph, const graph::Operator& op, const graph::MatMul& product);

}  // namespace systole::network

// SPDX-License-Identifier: Apache-2.0
// Operators that run on the vector processor: the kernel, its arguments and its table.
#pragma once

#include "kernels.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Softmax along the last axis, or its logarithm, as TensorFlow Lite computes it. Throws Refused.
compiler::KernelCall softmax_call(const graph::Graph& graph, const graph::Operator& op, const graph::Softmax& softmax);

/// Division by the Euclidean norm along the last axis, as TensorFlow Lite computes it. Throws Refused.
compiler::KernelCall l2_normalize_call(const graph::Graph& graph, const graph::Operator& op);

/// Layer normalization as golden::layer_norm. Throws Refused.
compiler::KernelCall layer_norm_call(const graph::Graph& graph, const graph::Operator& op,
                                     const graph::LayerNormalize& normalize);

}  // namespace systole::network

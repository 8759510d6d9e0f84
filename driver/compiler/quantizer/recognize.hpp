// SPDX-License-Identifier: Apache-2.0
// Finds functions that a file spells out in many operators, and makes each a single operator, which has an int8 form.
#pragma once

#include "systole/graph.hpp"

namespace systole::quantizer {

/// (x - mean) / sqrt(variance + epsilon) along the last dimension, with or without factors and summands per channel,
/// becomes LayerNormalize: any arrangement of means, differences, squares, roots, products and sums with constants that
/// computes it. So a file of TensorFlow, PyTorch or ONNX is recognized alike. Unless something else reads an inner
/// tensor.
void recognize_layer_normalizations(graph::Graph& graph);

/// x (1 + erf(x / sqrt(2))) / 2 becomes gelu, likewise. So does its approximation x (1 + tanh(sqrt(2 / pi) (x +
/// 0.044715 x^3))) / 2, which differs from it by less than 5e-4, unless `exact`.
void recognize_gelus(graph::Graph& graph, bool exact = false);

}  // namespace systole::quantizer

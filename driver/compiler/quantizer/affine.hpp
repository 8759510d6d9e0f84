// SPDX-License-Identifier: Apache-2.0
// Per-channel arithmetic with constants: batch normalizations, biases and input normalizations.
#pragma once

#include <optional>
#include <vector>

#include "systole/graph.hpp"

namespace systole::quantizer {

/// result = activation(factor[c] * input + summand[c]), c the index along the last dimension. The result has the
/// input's shape.
struct Affine {
  graph::TensorId input = graph::kNoTensor;
  std::vector<double> factor, summand;
  Activation activation = Activation::kNone;
};

/// A float32 binary operator as an affine one: an addition, subtraction or multiplication of a computed operand and a
/// constant with one value or one per channel, or a division by such a constant without zeros. None for other
/// operators.
std::optional<Affine> affine_of(const graph::Graph& graph, const graph::Operator& op);

/// Folds affine operators into the weights and biases of the convolution or dense layer before them (if they are its
/// only reader) or of the layers after them. Before a convolution with padding, a summand cannot be folded, since the
/// padding is zero and not the summand. The function is unchanged, up to rounding of constants to float32.
void fold_affine(graph::Graph& graph);

/// Turns the remaining affine operators on images, with a factor or summand per channel, into depthwise convolutions of
/// one tap, which absorb neighbouring ones: one rounding and one pass for a chain.
void affine_to_depthwise(graph::Graph& graph);

}  // namespace systole::quantizer

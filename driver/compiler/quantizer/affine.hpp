// SPDX-License-Identifier: Apache-2.0
// Arithmetic with constants, one per channel: what batch normalizations, biases and input normalizations become.
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

/// A binary operator of float32 as one: an addition, subtraction or multiplication of a computed operand and a constant
/// with one value or one per channel, or a division by such a constant without zeros. None for any other.
std::optional<Affine> affine_of(const graph::Graph& graph, const graph::Operator& op);

/// Takes the affine operators out that stand behind a convolution or dense layer of their own, or in front of some:
/// into their weights and biases. In front of a convolution that pads, a summand has to stay, since what it pads with
/// is zero and not the summand. The function stays the same, up to the rounding of constants to float32.
void fold_affine(graph::Graph& graph);

/// What then is left of them on images, with a factor or summand per channel, becomes depthwise convolutions of one
/// tap, which take in their neighbours: one rounding and one pass for a chain.
void affine_to_depthwise(graph::Graph& graph);

}  // namespace systole::quantizer

// SPDX-License-Identifier: Apache-2.0
// Quantization of weights and biases.
#pragma once

#include "rewrite.hpp"

namespace systole::quantizer {

/// The largest magnitude of a weight: -128 is not used, as TensorFlow Lite requires.
inline constexpr double kMostWeight = 127;

struct IntegerParameters {
  graph::Tensor weights;  ///< int8, -127 .. 127, a scale per output, zero points 0
  graph::Tensor bias;     ///< int32, scales input scale * weight scale, zero points 0
};

/// The scale of the weights of output o is max |w[o]| / 127, or larger if the bias or the factor from sums to results
/// would not fit: |bias| / (input scale * 2^30), output scale / (input scale * 2^30). Rounded to nearest, ties away
/// from zero. A bias so large that the result saturates for every input, such as a mask's, is reduced to a value for
/// which it still does.
IntegerParameters quantize_parameters(const Parameters& parameters, const graph::Quantization& input,
                                      const graph::Quantization& output);

}  // namespace systole::quantizer

// SPDX-License-Identifier: Apache-2.0
// Sums and products of two quantized tensors whose rounding differs from the device's, such as ONNX's in float32. A
// result depends on only two bytes: if some scales give the right result for each of the 65,536 pairs, the device is
// exact. With the true scales a few sums next to ties differ; scales that differ by at most about a millionth move them
// to the right side. Nearly all random scales have such a neighbour.
#pragma once

#include <optional>

#include "pair_results.hpp"
#include "scales.hpp"
#include "systole/operator_types.hpp"

namespace systole::network {

/// Scales and zero points of operands and result, as for int8.
struct PairQuantization {
  golden::UniformQuantization lhs, rhs, output;
};

/// Whether the device's ADD with these parameters gives exactly these results.
bool adds(const AddParams& params, const PairResults& wanted);

/// Parameters that give exactly these sums; none if no neighbour of the true scales does.
std::optional<AddParams> find_addition(const PairResults& wanted, const PairQuantization& quantization);

/// The same for products.
std::optional<MultiplyParams> find_multiplication(const PairResults& wanted, const PairQuantization& quantization);

}  // namespace systole::network

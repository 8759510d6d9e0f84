// SPDX-License-Identifier: Apache-2.0
// Sums and products of two quantized tensors by rules that are not the device's, such as ONNX's in float32. Its ADD and
// MULTIPLY round other numbers, but a result depends on two bytes: where some scales give the right one for each of the
// 65,536 pairs, the device is exact. What differs at first are a few sums next to ties, which scales that are about a
// millionth off at most bring to the right side: of random scales nearly all have such a neighbour.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scales.hpp"
#include "systole/operator_types.hpp"

namespace systole::network {

/// Results by (lhs + 128) * 256 + rhs + 128.
using PairResults = std::vector<std::int8_t>;

/// Scales and zero points of operands and result, as of int8.
struct PairQuantization {
  golden::Quantization lhs, rhs, output;
};

/// Whether the device's ADD with these parameters gives exactly these results.
bool adds(const AddParams& params, const PairResults& wanted);

/// Parameters for exactly these sums; none when there are none among the neighbours of the true scales.
std::optional<AddParams> find_addition(const PairResults& wanted, const PairQuantization& quantization);

/// The same for products.
std::optional<MultiplyParams> find_multiplication(const PairResults& wanted, const PairQuantization& quantization);

}  // namespace systole::network

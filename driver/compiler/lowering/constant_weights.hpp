// SPDX-License-Identifier: Apache-2.0
// Constant weights of convolutions and dense layers: int8 or uint8, with or without zero points.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Gives the layer weights of up to 9 bits, as sums of int8. The first part has as much of each as it can hold, so that
/// most of the others are 0.
void set_weights(ConvLayer& conv, const std::vector<int>& values);

/// An element, or a zero point, as of int8.
int as_int8(const graph::Tensor& tensor, std::int32_t value);
/// The elements of a constant of 8 bits as of int8.
std::vector<std::int8_t> constant_bytes(const graph::Tensor& tensor);

/// The operator, a convolution or dense layer, as a layer: `conv` has its options, and `requantize` says how its sums
/// become results; without it the sums are the results. Throws Refused for weights or a bias that the device does not
/// take.
ConvLayer weighted_layer(const graph::Graph& graph, const graph::Operator& op, ConvLayer conv,
                         const std::optional<Requantize>& requantize);

/// Throws Refused for kernels, strides and dilations that no instruction takes.
void require_sizes(const Window& window);

}  // namespace systole::network

// SPDX-License-Identifier: Apache-2.0
// Constant weights of convolutions and dense layers: int8 or uint8, with or without zero points.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Sets the layer's weights, of up to 9 bits, as sums of int8 parts. The first part is as large as int8 allows, so that
/// most values of the others are 0.
void set_weights(ConvLayer& conv, const std::vector<std::int16_t>& values);

/// An element or a zero point, as int8.
int as_int8(const graph::Tensor& tensor, std::int32_t value);
/// The elements of an 8-bit constant, as int8.
std::vector<std::int8_t> constant_bytes(const graph::Tensor& tensor);
/// The same, the constant itself if it is of int8.
std::shared_ptr<const graph::Bytes> shared_bytes(const graph::Tensor& tensor);

/// Lowers a convolution or dense layer: `conv` has its options, and `requantize` says how sums become results; without
/// it the sums are the results. Throws Refused for weights or a bias that the device does not support.
ConvLayer weighted_layer(const graph::Graph& graph, const graph::Operator& op, ConvLayer conv,
                         const std::optional<Requantize>& requantize);

/// Throws Refused for kernels, strides and dilations that no instruction supports.
void require_sizes(const Window& window);

}  // namespace systole::network

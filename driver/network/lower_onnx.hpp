// SPDX-License-Identifier: Apache-2.0
// ONNX's quantized operators as layers of the device: uint8 as int8 that is 128 less, sums rounded once and ties to even,
// weights with zero points, sums as they are, products of two computed matrices.
#pragma once

#include <variant>

#include "network/layer.hpp"
#include "network/lower.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// The operator, of Arithmetic::kOnnx, by itself. `graph` is valid.
std::variant<Layer, OnHost> lower_onnx(const graph::Graph& graph, const graph::Operator& op);

/// Weights of int8 and a zero point each (one, or one per output channel), as sums of int8: weight - zero point is the sum
/// over `copies` of values of int8. The input's channels are there as often. OHWI, groups made dense where there are copies.
struct PlainWeights {
  int copies = 1;
  int groups = 1;
  std::vector<std::int8_t> weights;
};
PlainWeights without_zero_point(const std::vector<std::int8_t>& weights, const std::vector<int>& zero_points, int outputs, int taps, int depth,
                                int groups);

}  // namespace systole::network

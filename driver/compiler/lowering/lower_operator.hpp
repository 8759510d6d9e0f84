// SPDX-License-Identifier: Apache-2.0
// Lowers operators of a graph to layers of the device, or gives the reason why the host has to run one.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "layer.hpp"
#include "scales.hpp"
#include "systole/graph.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// The reason why the operator runs on the host: "float32", "a stride of 300", ...
struct OnHost {
  std::string reason;
};

/// Lowers one operator: one layer for each of its results. `graph` is valid. With `plain`, moves bring windows of
/// float32 together, which every configuration has room for.
std::variant<std::vector<Layer>, OnHost> lower(const graph::Graph& graph, const graph::Operator& op, bool plain,
                                               Transformations& transformations);

/// Quantization as for int8. Throws Refused for a tensor that is not of bytes with one scale.
golden::UniformQuantization quantization(const graph::Tensor& tensor);

/// A tensor as a device image. Throws graph::GraphError when it has too many dimensions or is too large.
Image image_of(const graph::Tensor& tensor);

}  // namespace systole::network

// SPDX-License-Identifier: Apache-2.0
// From operators of a graph to layers of the device, or to the reason why the host has to do one.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// The operator stays on the host because of this: "float32", "a stride of 300", ...
struct OnHost {
  std::string reason;
};

/// The operator by itself: a layer for each of its results. `graph` is valid.
std::variant<std::vector<Layer>, OnHost> lower(const graph::Graph& graph, const graph::Operator& op);

/// A tensor as the device sees it. Throws graph::GraphError when it has too many dimensions or is too large.
Image image_of(const graph::Tensor& tensor);

}  // namespace systole::network

// SPDX-License-Identifier: Apache-2.0
// Element-wise operators of float32 that follow each other, as one kernel made for them: what is between them stays in
// registers.
#pragma once

#include <optional>
#include <vector>

#include "element_chain.hpp"
#include "layer.hpp"
#include "systole/graph.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// The kernel's name.
inline constexpr const char* kFused = "fused";

/// The layers of a chain, of which the last is its kernel.
std::vector<Layer> layers_of(const graph::Graph& graph, const ElementChain& chain);

/// The operator, with those before it whose results it alone reads. Nothing if there is none of them and the library
/// has a kernel for the operator, or if it is not element-wise.
std::optional<std::vector<Layer>> lower_fused_elements(const graph::IndexedGraph& graph, const graph::Operator& op,
                                                       Transformations& transformations);

}  // namespace systole::network

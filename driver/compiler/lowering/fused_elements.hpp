// SPDX-License-Identifier: Apache-2.0
// Element-wise operators of float32 that follow each other, as one kernel made for them: what is between them stays in
// registers.
#pragma once

#include <optional>
#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// The operator, with those before it whose results it alone reads. Nothing if there is none of them and the library
/// has a kernel for the operator, or if it is not element-wise.
std::optional<std::vector<Layer>> lower_fused_elements(const graph::Graph& graph, const graph::Operator& op,
                                                       Transformations& transformations);

/// What such a layer reads of another one becomes its second result, if both are results of the program, where the
/// second would have to be written and read again. Elsewhere it may stay in the scratchpad.
void fuse_second_results(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted,
                         const graph::Graph& graph, Transformations& transformations);

}  // namespace systole::network

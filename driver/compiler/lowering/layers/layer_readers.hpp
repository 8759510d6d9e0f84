// SPDX-License-Identifier: Apache-2.0
// Which layers read a tensor, and layers that are not needed any more.
#pragma once

#include <set>
#include <vector>

#include "layer.hpp"

namespace systole::network {

/// The only layer that reads the tensor, once, if it is not `wanted` as well; else none.
Layer* only_reader(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted, graph::TensorId id);

/// Whether the layer computes one of the `operators`.
bool computes_any(const Layer& layer, const std::set<int>& operators);

/// Removes layers that have become part of others: those without an output.
void remove_fused(std::vector<Layer>& layers);

/// Removes layers that do not multiply and whose results no layer reads and nobody `wanted`.
void remove_unread(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted);

}  // namespace systole::network

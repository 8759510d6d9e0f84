// SPDX-License-Identifier: Apache-2.0
// Operators by the rules of sim/golden/binary32_rows.hpp, each with what goes before it in one kernel.
#pragma once

#include <optional>
#include <vector>

#include "indexed_graph.hpp"
#include "layer.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// A mean, a softmax - with the sum before it, if any -, a sigmoid or a reciprocal root in Arithmetic::kBlocks. Throws
/// Refused.
std::vector<Layer> lower_rows(const graph::IndexedGraph& graph, const graph::Operator& op,
                              Transformations& transformations);

/// Nothing unless the operator is the last of a normalization x * 1 / sqrt(mean of x^2 + epsilon) * gain.
std::optional<std::vector<Layer>> lower_normalization(const graph::IndexedGraph& graph, const graph::Operator& op,
                                                      Transformations& transformations);

/// Nothing unless the operator gives the size of each row's steps of int8, max(greatest magnitude, a number) * factor,
/// or rounds the row to them: x * (1 / size).
std::optional<std::vector<Layer>> lower_int8_rows(const graph::IndexedGraph& graph, const graph::Operator& op,
                                                  Transformations& transformations);

/// Nothing unless the operator is the product of several rows and a number for each, both computed.
std::optional<std::vector<Layer>> lower_rows_by_numbers(const graph::IndexedGraph& graph, const graph::Operator& op);

/// Nothing unless the operator is the product of a single row, which fills the lanes of every array, and a constant.
std::optional<std::vector<Layer>> lower_product_of_row(const graph::IndexedGraph& graph, const graph::Operator& op);

}  // namespace systole::network

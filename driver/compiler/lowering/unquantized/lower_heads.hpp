// SPDX-License-Identifier: Apache-2.0
// Products and choices of rows between the heads of an attention and whole positions, each one kernel, where the
// general way would be moves and element-wise kernels.
#pragma once

#include <optional>
#include <vector>

#include "indexed_graph.hpp"
#include "layer.hpp"

namespace systole::network {

/// Of binary32 in ONNX's arithmetic:
///   - one row, which is a product with a number, times a row, and with neighbouring parts of it exchanged, a gather,
///     times another row: the sum of both;
///   - rows [groups,1,W], which may be such a sum, times constant rows [factors,W];
///   - a column [rows,1] times a row [1,W], which is a product with a number;
///   - of a sum [rows,W], for each column of some neighbouring rows the element of one of them: a gather.
/// Nothing if the operator is another, W is no multiple of the widest array, or the operator is lowered in the plain
/// way, as it has to be where parts do not fill the lanes of the array, or there is no room for whole rows.
std::optional<std::vector<Layer>> lower_heads(const graph::IndexedGraph& graph, const graph::Operator& op, bool plain);

}  // namespace systole::network

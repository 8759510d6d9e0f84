// SPDX-License-Identifier: Apache-2.0
// Shape inference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

/// Shapes of the operator's outputs. `inputs` are the shapes of its inputs in order, without a missing bias. `given`
/// are the shapes declared for its outputs: Reshape, Split, Slice, ResizeNearest and ResizeBilinear, whose parameters
/// leave them open, require them (one; Split one per part) and check that they are possible; the other kinds ignore
/// them. Throws GraphError, naming kind and values, for shapes that the kind cannot have.
std::vector<Shape> output_shapes(const OperatorKind& kind, const std::vector<Shape>& inputs,
                                 const std::vector<Shape>& given = {});

/// The same for an operator of a graph, `given` being the shapes of its output tensors. All its ids are in range.
std::vector<Shape> output_shapes(const Graph& graph, const Operator& op);

/// Whether the last input of this kind, a bias, may be left out.
bool takes_bias(const OperatorKind& kind);

/// Throws GraphError if the value is smaller.
void require_at_least(const char* what, std::int64_t value, std::int64_t least);

/// Resolves an axis: negative values count from the back. Throws GraphError unless -rank <= axis < rank.
std::size_t axis_of(int axis, std::size_t rank);

/// "index 7 on axis 0 of size 4; the range is -4 .. 3"
std::string index_out_of_range(std::int64_t index, std::size_t axis, std::int64_t size);

/// Broadcast shape. Dimensions, aligned at the last one, must be equal or 1 in one of the operands. Throws GraphError
/// otherwise.
Shape broadcast(const Shape& a, const Shape& b);

}  // namespace systole::graph

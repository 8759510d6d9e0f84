// SPDX-License-Identifier: Apache-2.0
// Generated from driver/compiler/graph/kinds.toml by scripts/gen/generate. Do not edit.
// clang-format off
#pragma once

#include <vector>
#include "systole/graph.hpp"

namespace systole::graph {

/// Shapes of the results of kinds whose row does not say them. Operands are as the row says.
using Shapes = std::vector<Shape>;

Shapes infer(const Conv2d& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const MatMul& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Pool& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Reduce& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Pad& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Reshape& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Transpose& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Concat& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Split& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Slice& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const ResizeNearest& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const ArgExtreme& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Gather& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const FlatIndex& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const TopK& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const MaxIndices& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Lstm& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Svdf& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const ResizeBilinear& op, const Shapes& inputs, const Shapes& given);

}  // namespace systole::graph

// SPDX-License-Identifier: Apache-2.0
// output_shapes() of each kind of operator; the number of `inputs` is legal for the kind.
#pragma once

#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

using Shapes = std::vector<Shape>;

Shapes infer(const Conv2d& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Dense& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const MatMul& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Binary& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Unary& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Pool& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Reduce& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Pad& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Reshape& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Transpose& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Concat& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Split& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Slice& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const ResizeNearest& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const ResizeBilinear& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const L2Normalize& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const LayerNormalize& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Softmax& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Convert& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Select& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const ArgExtreme& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const CumulativeSum& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Gather& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const FlatIndex& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Scatter& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const TopK& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Determinant& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Lstm& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const Svdf& op, const Shapes& inputs, const Shapes& given);
Shapes infer(const MaxIndices& op, const Shapes& inputs, const Shapes& given);

}  // namespace systole::graph

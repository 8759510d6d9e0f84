// SPDX-License-Identifier: Apache-2.0
#include "lower_product.hpp"

#include "systole/errors.hpp"
#include "systole/execute.hpp"

namespace systole::network {

using graph::Shape;

ProductLayer product_of(const graph::Graph& graph, const graph::Operator& op, const graph::MatMul& product) {
  const Shape& result = graph.tensor(op.outputs[0]).shape;
  ProductLayer layer;
  layer.a = matrices_of(graph.tensor(op.inputs[0]).shape, result);
  layer.b = matrices_of(graph.tensor(op.inputs[1]).shape, result);
  layer.result = matrices_of(result, result);
  layer.transpose_a = product.transpose_a;
  layer.transpose_b = product.transpose_b;
  if (op.inputs.size() > 2 && op.inputs[2] != graph::kNoTensor) {
    const graph::Tensor& bias = graph.tensor(op.inputs[2]);
    if (!bias.constant || bias.type != graph::ElementType::kInt32 || bias.shape.empty() ||
        bias.shape.back() != layer.result.columns || graph::count(bias.shape) != layer.result.columns) {
      throw InvalidArgument("a bias that is not one constant int32 per column");
    }
    layer.bias = graph::elements<std::int32_t>(graph::constant_value(bias));
  }
  return layer;
}

}  // namespace systole::network

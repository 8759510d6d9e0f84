// SPDX-License-Identifier: Apache-2.0
#include "lower_product.hpp"

#include <vector>

#include "systole/errors.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using compiler::Builder;
using compiler::ByteBox;
using compiler::MatrixView;
using graph::Shape;

/// int8 values whose sum is `value`, for -128 .. 128.
std::vector<int> parts(int value) {
  if (value == 0) {
    return {};
  }
  return value == 128 ? std::vector<int>{64, 64} : std::vector<int>{value};
}

/// One block of the reduction: a matrix, or a constant value for all elements.
struct Factor {
  bool matrix;
  int value;
};
struct Block {
  Factor a, b;
};

/// (a - za)(b - zb) as a sum of products of int8 factors.
std::vector<Block> blocks(int a_zero_point, int b_zero_point) {
  const Factor matrix{true, 0};
  std::vector<Block> result = {{matrix, matrix}};
  for (const int value : parts(-b_zero_point)) {
    result.push_back({matrix, {false, value}});
  }
  for (const int value : parts(-a_zero_point)) {
    result.push_back({{false, value}, matrix});
    for (const int other : parts(-b_zero_point)) {
      result.push_back({{false, value}, {false, other}});
    }
  }
  return result;
}

std::uint64_t bytes_of(int rows, int columns) {
  return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
}

std::uint32_t at(std::uint32_t address, std::uint64_t offset) { return static_cast<std::uint32_t>(address + offset); }

/// Copies a stored matrix of rows x columns, or its transpose, to rows `pitch` apart.
ByteBox laid_out(std::uint32_t from, bool transposed, int rows, int columns, std::uint32_t to, int pitch) {
  ByteBox box;
  box.from = from;
  box.to = to;
  if (transposed) {
    box.outer = rows;
    box.inner = columns;
    box.from_outer = 1;
    box.from_inner = rows;
    box.to_outer = pitch;
    box.to_inner = 1;
  } else {
    box.inner = rows;
    box.bytes = columns;
    box.from_inner = columns;
    box.to_inner = pitch;
  }
  return box;
}

/// For each matrix of the result, in row-major order of its leading dimensions, the index of the operand's matrix.
std::vector<int> matrices_of(const Shape& operand, const Shape& result) {
  const std::size_t leading = result.size() - 2;
  std::vector<int> indices;
  std::vector<std::int64_t> place(leading, 0);
  const std::int64_t count = graph::count(Shape(result.begin(), result.end() - 2));
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t index = 0;
    for (std::size_t axis = 0; axis < leading; ++axis) {
      const std::size_t missing = result.size() - operand.size();
      if (axis >= missing) {
        const std::int64_t size = operand[axis - missing];
        index = index * size + (size == 1 ? 0 : place[axis]);
      }
    }
    indices.push_back(static_cast<int>(index));
    for (std::size_t axis = leading; axis-- > 0 && ++place[axis] == result[axis];) {
      place[axis] = 0;
    }
  }
  return indices;
}

}  // namespace

ProductLayer product_of(const graph::Graph& graph, const graph::Operator& op, const graph::MatMul& product) {
  const Shape& a = graph.tensor(op.inputs[0]).shape;
  const Shape& result = graph.tensor(op.outputs[0]).shape;
  ProductLayer layer;
  layer.rows = static_cast<int>(result.end()[-2]);
  layer.columns = static_cast<int>(result.back());
  layer.depth = static_cast<int>(a.end()[product.transpose_a ? -2 : -1]);
  layer.of_a = matrices_of(a, result);
  layer.of_b = matrices_of(graph.tensor(op.inputs[1]).shape, result);
  layer.transpose_a = product.transpose_a;
  layer.transpose_b = product.transpose_b;
  if (op.inputs.size() > 2 && op.inputs[2] != graph::kNoTensor) {
    const graph::Tensor& bias = graph.tensor(op.inputs[2]);
    if (!bias.constant || bias.type != graph::ElementType::kInt32 || bias.shape.empty() ||
        bias.shape.back() != layer.columns || graph::count(bias.shape) != layer.columns) {
      throw InvalidArgument("a bias that is not one constant int32 per column");
    }
    layer.bias = graph::elements<std::int32_t>(graph::constant_value(bias));
  }
  return layer;
}

void emit_product(Builder& builder, std::uint32_t a, std::uint32_t b, const ProductLayer& layer, std::uint32_t output) {
  const std::vector<Block> sum = blocks(layer.a_zero_point, layer.b_zero_point);
  const int depth = layer.depth * static_cast<int>(sum.size());
  // Operands with all blocks: constants are stored at compile time, matrices are copied in.
  const bool copy_a = sum.size() > 1 || layer.transpose_a;
  const bool copy_b = sum.size() > 1 || layer.transpose_b;
  std::uint32_t all_a = 0;
  std::uint32_t all_b = 0;
  if (copy_a) {
    std::vector<std::uint8_t> left(bytes_of(layer.rows, depth));
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] = static_cast<std::uint8_t>(
          sum[i % static_cast<std::size_t>(depth) / static_cast<std::size_t>(layer.depth)].a.value);
    }
    all_a = builder.constant(std::move(left));
  }
  if (copy_b) {
    std::vector<std::uint8_t> right;
    for (const Block& block : sum) {
      right.insert(right.end(), bytes_of(layer.depth, layer.columns), static_cast<std::uint8_t>(block.b.value));
    }
    all_b = builder.constant(std::move(right));
  }
  for (std::size_t i = 0; i < layer.of_a.size(); ++i) {
    const std::uint32_t from_a = at(a, static_cast<std::uint64_t>(layer.of_a[i]) * bytes_of(layer.rows, layer.depth));
    const std::uint32_t from_b =
        at(b, static_cast<std::uint64_t>(layer.of_b[i]) * bytes_of(layer.depth, layer.columns));
    std::vector<ByteBox> boxes;
    for (std::size_t block = 0; block < sum.size(); ++block) {
      if (copy_a && sum[block].a.matrix) {
        boxes.push_back(laid_out(from_a, layer.transpose_a, layer.rows, layer.depth,
                                 at(all_a, block * static_cast<std::size_t>(layer.depth)), depth));
      }
      if (copy_b && sum[block].b.matrix) {
        boxes.push_back(laid_out(from_b, layer.transpose_b, layer.depth, layer.columns,
                                 at(all_b, block * bytes_of(layer.depth, layer.columns)), layer.columns));
      }
    }
    if (!boxes.empty()) {
      compiler::move(builder, boxes);
    }
    const MatrixView left{copy_a ? all_a : from_a, layer.rows, depth};
    const MatrixView right{copy_b ? all_b : from_b, depth, layer.columns};
    const MatrixView result{at(output, i * bytes_of(layer.rows, layer.columns) * (layer.raw ? 4 : 1)), layer.rows,
                            layer.columns};
    if (layer.raw) {
      compiler::matmul_raw(builder, left, right, result);
    } else {
      compiler::matmul(builder, left, right, layer.bias, layer.requantize, result);
    }
  }
}

}  // namespace systole::network

// SPDX-License-Identifier: Apache-2.0
// Builds the graph of a part of a JAX program. Operators are named after what they are of in the program.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph_builder.hpp"
#include "systole/execute.hpp"

namespace systole::pjrt {

class JaxBuilder : public graph::GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;

  /// What has only constant operands is computed at once, by the host's operators, unless it is large.
  std::vector<graph::TensorId> append_all(graph::Operator op, std::vector<graph::Tensor> results) override {
    GraphBuilder::append_all(std::move(op), std::move(results));
    const graph::Operator last = graph().operators.back();
    if (!is_small_constant(last.inputs)) {
      return last.outputs;
    }
    std::vector<graph::Value> operands;
    for (const graph::TensorId id : last.inputs) {
      operands.push_back(graph::constant_value(tensor(id)));
    }
    std::vector<const graph::Value*> pointers;
    for (const graph::Value& operand : operands) {
      pointers.push_back(&operand);
    }
    std::vector<graph::Value> values = graph::execute_operator(graph(), last, pointers);
    graph().operators.pop_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      graph().tensor(last.outputs[i]).constant = std::make_shared<const graph::Bytes>(std::move(values[i].data));
    }
    return last.outputs;
  }

  bool is_constant(graph::TensorId id) const { return tensor(id).constant != nullptr; }

  /// The operator of the program, with its place there, that the next operators belong to.
  void at(std::string place) { place_ = std::move(place); }

  /// The result of the last operator, computed as beside products in blocks.
  graph::TensorId beside_blocks(graph::TensorId result) {
    graph().operators.back().arithmetic = graph::Arithmetic::kBlocks;
    return result;
  }

  /// A product of float32, in block floating point if `blocks`, or the sums of a product of bytes.
  graph::TensorId weighted(graph::OperatorKind kind, graph::TensorId x, graph::TensorId y, bool blocks) {
    const bool floats = type(x) == graph::ElementType::kFloat32;
    const graph::TensorId result =
        append(std::move(kind), floats ? std::vector{x, y} : std::vector{scaled(x), scaled(y)},
               floats ? type(x) : graph::ElementType::kInt32);
    return floats && blocks && !is_constant(result) ? beside_blocks(result) : result;
  }
  graph::TensorId matrix_product(graph::TensorId x, graph::TensorId y, bool transpose_x, bool transpose_y,
                                 bool blocks) {
    return weighted(graph::MatMul{transpose_x, transpose_y}, x, y, blocks);
  }

  /// Values and indices of the `k` largest or smallest along the axis.
  std::vector<graph::TensorId> top_k(graph::TensorId x, int axis, std::int64_t k, bool largest) {
    graph::Shape shape = this->shape(x);
    shape.at(static_cast<std::size_t>(axis)) = k;
    return append_all({{}, {}, graph::TopK{axis, largest}, graph::Arithmetic::kOnnx, {x}, {}},
                      {{{}, type(x), shape, {}, nullptr}, {{}, graph::ElementType::kInt64, shape, {}, nullptr}});
  }

 protected:
  std::string operator_name(const std::string& origin) override {
    return place_.empty() ? GraphBuilder::operator_name(origin) : fmt::format("{} #{}", place_, number_++);
  }

 private:
  /// The bytes with a scale of 1, which products ask for.
  graph::TensorId scaled(graph::TensorId x) {
    return append_all({{}, {}, graph::Reinterpret{}, graph::Arithmetic::kOnnx, {x}, {}},
                      {{{}, type(x), shape(x), graph::Quantization{{1.0F}, {0}}, nullptr}})
        .at(0);
  }

  bool is_small_constant(const std::vector<graph::TensorId>& ids) const {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    return std::all_of(ids.begin(), ids.end(), [&](graph::TensorId id) {
      return id != graph::kNoTensor && is_constant(id) && tensor(id).constant->size() <= kMostBytes;
    });
  }

  std::string place_;
  int number_ = 0;
};

}  // namespace systole::pjrt

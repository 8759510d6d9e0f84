// SPDX-License-Identifier: Apache-2.0
#include "lower_rows.hpp"

#include <fmt/core.h>

#include <functional>
#include <string>
#include <utility>

#include "fused_elements.hpp"
#include "kernel_steps.hpp"
#include "producers.hpp"
#include "refused.hpp"
#include "row_kernels.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::Graph;
using graph::Operator;
using graph::Shape;
using graph::TensorId;

/// Whose positions are whole rows.
Grid rows_of(const Shape& shape) { return {graph::count(shape) / shape.back(), shape.back()}; }

bool is_float(const Graph& graph, const Operator& op, BinaryKind kind) {
  const auto* binary = std::get_if<graph::Binary>(&op.kind);
  return binary != nullptr && binary->kind == kind && binary->activation == Activation::kNone &&
         op.arithmetic == graph::Arithmetic::kOnnx && graph.tensor(op.outputs[0]).type == graph::ElementType::kFloat32;
}

class Rows {
 public:
  Rows(const Graph& graph, const Operator& op) : graph_(graph), op_(op), steps_(graph, op) {}

  std::vector<Layer> run(const graph::Softmax&) {
    const Shape& shape = steps_.input(0).shape;
    if (const auto sum = summands()) {
      return finish(
          "softmax_rows", {sum->first, sum->second},
          [n = shape.back()](int dim, int) { return softmax_rows(dim, n, true); }, rows_of(shape));
    }
    return finish(
        "softmax_rows", {op_.inputs[0]}, [n = shape.back()](int dim, int) { return softmax_rows(dim, n, false); },
        rows_of(shape));
  }

  std::vector<Layer> run(const graph::Reduce&) {
    const Shape& shape = steps_.input(0).shape;
    return finish("mean_rows", {op_.inputs[0]}, [n = shape.back()](int dim, int) { return mean_rows(dim, n); },
                  {graph::count(shape) / shape.back(), 1});
  }

  std::vector<Layer> run(const graph::Unary&) {
    auto layers = lower_fused_elements(graph_, op_);
    require(layers.has_value(), "a constant operand");
    return std::move(*layers);
  }

  template <class Other>
  std::vector<Layer> run(const Other&) {
    throw Refused("block floating point has no such operator");
  }

 private:
  /// Of the sum before the softmax, whose second operand is a whole tensor or one row.
  std::optional<std::pair<TensorId, TensorId>> summands() const {
    const Operator* sum = producer(graph_, op_.inputs[0]);
    if (sum == nullptr || !is_float(graph_, *sum, BinaryKind::kAdd) || graph_.tensor(sum->inputs[0]).constant ||
        graph_.tensor(sum->inputs[1]).constant) {
      return std::nullopt;
    }
    const Shape &all = steps_.input(0).shape, &a = graph_.tensor(sum->inputs[0]).shape,
                &b = graph_.tensor(sum->inputs[1]).shape;
    const bool fits = graph::count(a) == graph::count(all) && !b.empty() && b.back() == all.back() &&
                      (graph::count(b) == graph::count(all) || graph::count(b) == b.back());
    return fits ? std::optional(std::pair{sum->inputs[0], sum->inputs[1]}) : std::nullopt;
  }

  std::vector<Layer> finish(const char* name, const std::vector<TensorId>& inputs,
                            std::function<std::string(int, int)> source, const Grid& result) {
    compiler::KernelCall call{name};
    call.source = std::move(source);
    call.clears_lanes = std::holds_alternative<graph::Softmax>(op_.kind);
    std::vector<std::pair<TensorId, Image>> images;
    for (const TensorId id : inputs) {
      images.emplace_back(id, rows_of(graph_.tensor(id).shape).image(kWordBytes));
    }
    return steps_.finish(steps_.append(name, KernelLayer{std::move(call)}, images, result.image(kWordBytes)));
  }

  const Graph& graph_;
  const Operator& op_;
  KernelSteps steps_;
};

/// The other operand of a sum or a product with a constant of as many elements; or kNoTensor.
TensorId beside_constant(const Graph& graph, const Operator& op, std::int64_t elements, TensorId& constant) {
  for (const std::size_t i : {0U, 1U}) {
    const graph::Tensor& tensor = graph.tensor(op.inputs[i]);
    if (tensor.constant && graph::count(tensor.shape) == elements) {
      constant = op.inputs[i];
      return op.inputs[1 - i];
    }
  }
  return graph::kNoTensor;
}

/// A product of computed tensors, one of which is made by an operator of this kind.
template <class Kind>
const Operator* factor(const Graph& graph, const Operator& product, TensorId& other) {
  for (const std::size_t i : {1U, 0U}) {
    if (const Operator* made = producer_of<Kind>(graph, product.inputs[i])) {
      other = product.inputs[1 - i];
      return made;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<Layer> lower_rows(const Graph& graph, const Operator& op) {
  return std::visit([&](const auto& kind) { return Rows(graph, op).run(kind); }, op.kind);
}

std::optional<std::vector<Layer>> lower_normalization(const Graph& graph, const Operator& op) {
  const Shape& shape = graph.tensor(op.outputs[0]).shape;
  if (!is_float(graph, op, BinaryKind::kMultiply) || shape.empty()) {
    return std::nullopt;
  }
  TensorId gain = graph::kNoTensor, x = graph::kNoTensor, epsilon = graph::kNoTensor;
  const TensorId scaled = beside_constant(graph, op, shape.back(), gain);
  const Operator* product = producer_of<graph::Binary>(graph, scaled);
  if (product == nullptr || !is_float(graph, *product, BinaryKind::kMultiply)) {
    return std::nullopt;
  }
  const Operator* root = factor<graph::Unary>(graph, *product, x);
  if (root == nullptr || root->arithmetic != graph::Arithmetic::kBlocks ||
      std::get<graph::Unary>(root->kind).kind != graph::UnaryKind::kReciprocalSqrt || graph.tensor(x).shape != shape) {
    return std::nullopt;
  }
  const Operator* sum = producer_of<graph::Binary>(graph, root->inputs[0]);
  if (sum == nullptr || !is_float(graph, *sum, BinaryKind::kAdd)) {
    return std::nullopt;
  }
  const TensorId of_squares = beside_constant(graph, *sum, 1, epsilon);
  const Operator* mean = producer_of<graph::Reduce>(graph, of_squares);
  const Operator* square = mean == nullptr ? nullptr : producer_of<graph::Binary>(graph, mean->inputs[0]);
  if (square == nullptr || mean->arithmetic != graph::Arithmetic::kBlocks ||
      !is_float(graph, *square, BinaryKind::kMultiply) || square->inputs[0] != x || square->inputs[1] != x) {
    return std::nullopt;
  }
  const float added = graph::elements<float>(graph::constant_value(graph.tensor(epsilon)))[0];
  KernelSteps steps(graph, op);
  compiler::KernelCall call{"normalize_rows"};
  call.source = [n = shape.back(), added](int dim, int) { return normalize_rows(dim, n, added); };
  KernelLayer kernel{std::move(call)};
  const Grid rows = rows_of(shape);
  kernel.constants.emplace(1, ConstantOperand{*graph.tensor(gain).constant, Grid{1, rows.channels}.image(kWordBytes)});
  return steps.finish(
      steps.append("normalize_rows", std::move(kernel), {{x, rows.image(kWordBytes)}}, rows.image(kWordBytes)));
}

}  // namespace systole::network

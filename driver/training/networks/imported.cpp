// SPDX-License-Identifier: Apache-2.0
#include "imported.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "attributes.hpp"
#include "batch_rules.hpp"
#include "freeze.hpp"
#include "infer.hpp"
#include "network_writer.hpp"
#include "numbered_names.hpp"
#include "systole/execute.hpp"
#include "weight_parameters.hpp"

namespace systole::training {

using graph::Shape;
using graph::TensorId;
namespace {

using graph::ElementType;
using graph::kNoTensor;

/// Copies a graph operator by operator, with `batch` for the first axis of what depends on the input.
class Copy {
 public:
  Copy(const graph::Graph& from, const NetworkOptions& options)
      : from_(from),
        options_(options),
        batch_(options.batch),
        w_(network_, options.seed, options.micro_batch, "batch"),
        ids_(from.tensors.size(), kNoTensor) {}

  Network run() {
    if (!from_.states.empty()) {
      throw graph::GraphError(
          fmt::format("'{}' keeps variables from sample to sample; such networks are not trained", from_.name));
    }
    network_.graph.name = from_.name;
    varies_.assign(from_.tensors.size(), false);
    for (const TensorId input : from_.inputs) {
      const graph::Tensor& tensor = from_.tensor(input);
      Shape shape = tensor.shape;
      shape.at(0) = batch_;
      network_.inputs.push_back(w_.input(tensor.name, tensor.type, shape));
      id(input) = network_.inputs.back();
      varies_[at(input)] = true;
    }
    for (const graph::Operator& op : from_.operators) {
      copy(op);
    }
    if (network_.parameters.empty()) {
      throw graph::GraphError(
          fmt::format("'{}' has no weights, which are its float32 constants of more than one element and those that "
                      "products take, so that nothing of it can be trained",
                      from_.name));
    }
    const TensorId scores = id(from_.outputs.at(0));
    network_.scores = w_.reshape(scores, {batch_, graph::count(from_.tensor(from_.outputs[0]).shape)});
    return std::move(network_);
  }

 private:
  static std::size_t at(TensorId tensor) { return static_cast<std::size_t>(tensor); }
  TensorId& id(TensorId tensor) { return ids_[at(tensor)]; }

  /// Whether constants of one element, too, are weights or a bias here: operands of a product, or added to one.
  bool takes_weights(const graph::Operator& op) const {
    const auto* binary = std::get_if<graph::Binary>(&op.kind);
    return is_product(op.kind) || std::holds_alternative<graph::BatchNormalize>(op.kind) ||
           (binary != nullptr && binary->kind == graph::BinaryKind::kAdd &&
            std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return products_.count(id) != 0; }));
  }

  /// `among_weights`: an operand of an operator that takes weights. A number without axes is none: it is part of a
  /// function, such as the 1 of x + 1.
  TensorId taken(TensorId tensor, bool among_weights) {
    if (tensor == kNoTensor || id(tensor) != kNoTensor) {
      return tensor == kNoTensor ? tensor : id(tensor);
    }
    const graph::Tensor& constant = from_.tensor(tensor);
    const graph::Value value = graph::constant_value(constant);
    const bool is_weight = among_weights && !constant.shape.empty();
    if (constant.type == ElementType::kFloat32 && (is_weight || graph::count(constant.shape) > 1)) {
      const std::string name = name_of(constant);
      id(tensor) = w_.input(name, value.type, value.shape);
      network_.parameters.push_back({{name, value}, id(tensor)});
    } else {
      id(tensor) = w_.constant(value);
    }
    return id(tensor);
  }

  /// That of the file's weight which the constant is, or is made of.
  std::string name_of(const graph::Tensor& constant) {
    const std::string name(graph::without_number(constant.name));
    return names_.insert(name).second ? name : constant.name;
  }

  /// The shape with the samples' number in front.
  Shape of_batch(const graph::Operator& op, TensorId output) const {
    Shape shape = from_.tensor(output).shape;
    if (shape.empty() || shape[0] != 1) {
      throw graph::GraphError(
          fmt::format("{}: {} has no first axis of 1 for the samples, so that only a batch of 1 can "
                      "be trained",
                      title(op), title(from_.tensor(output))));
    }
    shape[0] = batch_;
    return shape;
  }

  void copy(const graph::Operator& op) {
    const bool varies = std::any_of(op.inputs.begin(), op.inputs.end(),
                                    [&](TensorId tensor) { return tensor != kNoTensor && varies_[at(tensor)]; });
    if (varies && batch_ > 1) {
      check_samples(op);
    }
    if (varies && compose(op)) {
      return;
    }
    const bool weights = takes_weights(op);
    if (is_product(op.kind)) {
      products_.insert(op.outputs[0]);
    }
    graph::Operator copied = op;
    for (TensorId& tensor : copied.inputs) {
      const TensorId old = std::exchange(tensor, taken(tensor, weights));
      if (varies && std::holds_alternative<graph::Concat>(op.kind) && !varies_[at(old)]) {
        Shape shape = w_.shape(tensor);
        shape.at(0) = batch_;
        tensor = w_.broadcast(tensor, shape);
      }
    }
    copied.arithmetic = graph::Arithmetic::kOnnx;
    for (TensorId& tensor : copied.outputs) {
      const TensorId old = tensor;
      graph::Tensor result = from_.tensor(old);
      if (varies) {
        result.shape = of_batch(op, old);
      }
      tensor = add_tensor(network_.graph, std::move(result));
      id(old) = tensor;
      varies_[at(old)] = varies;
    }
    check(copied);
    network_.graph.operators.push_back(std::move(copied));
  }

  /// What a training computes otherwise than a network that is run. Returns false for other operators.
  bool compose(const graph::Operator& op) {
    const bool normalizes = std::holds_alternative<graph::BatchNormalize>(op.kind);
    const auto* dropout = std::get_if<graph::Dropout>(&op.kind);
    if (!normalizes && dropout == nullptr) {
      return false;
    }
    const TensorId x = id(op.inputs[0]), result = normalizes          ? normalized(op, x)
                                                  : options_.training ? w_.dropped(x, double{dropout->ratio})
                                                                      : x;
    if (normalizes) {
      network_.graph.tensor(result).name = from_.tensor(op.outputs[0]).name;
    }
    id(op.outputs[0]) = result;
    varies_[at(op.outputs[0])] = true;
    return true;
  }

  TensorId normalized(const graph::Operator& op, TensorId x) {
    const auto& kind = std::get<graph::BatchNormalize>(op.kind);
    std::vector<TensorId> given;
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      given.push_back(taken(op.inputs[i], true));
    }
    const bool frozen = are_statistics_frozen(options_.frozen, w_.tensor(given[2]).name, w_.tensor(given[3]).name);
    const BatchNormalization norm{given[0], given[1], given[2], given[3], double{kind.epsilon}, double{kind.momentum}};
    return w_.batch_normalization(norm, x, options_.training && !frozen);
  }

  /// The operator computes every position of the first axis by itself.
  void check_samples(const graph::Operator& op) const {
    graph::BatchedOperands operands;
    for (const TensorId tensor : op.inputs) {
      operands.push_back(tensor == kNoTensor ? graph::BatchedOperand{}
                                             : graph::BatchedOperand{from_.tensor(tensor).shape, varies_[at(tensor)]});
    }
    const std::string refusal = graph::batch_refusal(op.kind, operands, from_.tensor(op.outputs.at(0)).shape);
    if (!refusal.empty()) {
      throw graph::GraphError(fmt::format("{}: {}, so that only a batch of 1 can be trained", title(op), refusal));
    }
  }

  /// With more samples, the operator gives the shapes that were expected.
  void check(const graph::Operator& op) const {
    const std::vector<Shape> shapes = graph::output_shapes(network_.graph, op);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (shapes[i] != network_.graph.tensor(op.outputs[i]).shape) {
        throw graph::GraphError(
            fmt::format("{}: its first axis is not the samples', so that only a batch of 1 can be "
                        "trained",
                        title(op)));
      }
    }
  }

  const graph::Graph& from_;
  const NetworkOptions& options_;
  const std::int64_t batch_;
  Network network_;
  NetworkWriter w_;
  std::vector<TensorId> ids_;    ///< in the copy
  std::vector<bool> varies_;     ///< depends on the input
  std::set<std::string> names_;  ///< of parameters
  std::set<TensorId> products_;  ///< results of products, in the file's graph
};

}  // namespace

void check_trainable(const graph::Graph& graph) {
  if (graph.inputs.empty() || graph.outputs.size() != 1) {
    throw graph::GraphError(
        fmt::format("'{}' has {} inputs and {} outputs; a network of one output, and inputs of one sample, can be "
                    "trained",
                    graph.name, graph.inputs.size(), graph.outputs.size()));
  }
  const auto is_sample = [](const graph::Tensor& tensor) { return !tensor.shape.empty() && tensor.shape[0] == 1; };
  const graph::Tensor& output = graph.tensor(graph.outputs[0]);
  if (!is_sample(output) || output.type != ElementType::kFloat32) {
    throw graph::GraphError(
        fmt::format("'{}' computes {}; expected float32 outputs of one sample, [1,...]", graph.name, title(output)));
  }
  for (const TensorId id : graph.inputs) {
    const graph::Tensor& input = graph.tensor(id);
    const bool known =
        input.type == ElementType::kFloat32 || input.type == ElementType::kInt32 || input.type == ElementType::kInt64;
    if (!is_sample(input) || !known || input.quantization) {
      throw graph::GraphError(fmt::format("'{}' takes {}; expected one sample, [1,...], of float32, int32 or int64",
                                          graph.name, title(input)));
    }
  }
}

Network imported(const graph::Graph& graph, const NetworkOptions& options) {
  check_trainable(graph);
  return Copy(graph, options).run();
}

}  // namespace systole::training

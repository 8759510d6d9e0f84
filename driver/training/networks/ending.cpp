// SPDX-License-Identifier: Apache-2.0
#include "ending.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "attributes.hpp"
#include "graph_builder.hpp"
#include "imported.hpp"
#include "indexed_graph.hpp"
#include "simplify.hpp"

namespace systole::training {

using graph::GraphBuilder;
using graph::Shape;
using graph::TensorId;
namespace {

using graph::Operator;

/// The operator that computes the tensor, through operators that only pass it on; null for an input or a constant.
const Operator* maker_of(const graph::IndexedGraph& graph, TensorId id) {
  const Operator* made = graph.maker(id);
  const auto* unary = made == nullptr ? nullptr : std::get_if<graph::Unary>(&made->kind);
  const bool passes = made != nullptr && (std::holds_alternative<graph::Reshape>(made->kind) ||
                                          (unary != nullptr && unary->kind == graph::UnaryKind::kIdentity));
  return passes ? maker_of(graph, made->inputs.at(0)) : made;
}

LastOperator kind_of(const graph::Graph& graph, const Operator* op, std::int64_t outputs) {
  if (op == nullptr) {
    return LastOperator::kOther;
  }
  if (const auto* softmax = std::get_if<graph::Softmax>(&op->kind)) {
    const Shape& shape = graph.tensor(op->inputs[0]).shape;
    const int axis = softmax->axis < 0 ? softmax->axis + static_cast<int>(shape.size()) : softmax->axis;
    return softmax->beta == 1 && shape.at(static_cast<std::size_t>(axis)) == outputs ? LastOperator::kSoftmax
                                                                                     : LastOperator::kOther;
  }
  const auto* unary = std::get_if<graph::Unary>(&op->kind);
  return unary != nullptr && unary->kind == graph::UnaryKind::kSigmoid ? LastOperator::kSigmoid : LastOperator::kOther;
}

const char* words_for(LossKind loss) {
  switch (loss) {
    case LossKind::kBinary: return "binary cross entropy";
    case LossKind::kMeanSquare: return "mean square";
    case LossKind::kHuber: return "Huber loss";
    default: return "cross entropy";
  }
}

LossKind usual_loss(LastOperator last, std::int64_t outputs, bool classes) {
  switch (last) {
    case LastOperator::kSoftmax: return LossKind::kCrossEntropy;
    case LastOperator::kSigmoid: return LossKind::kBinary;
    default: return classes && outputs > 1 ? LossKind::kCrossEntropy : LossKind::kMeanSquare;
  }
}

}  // namespace

bool takes_scores(LastOperator last, LossKind loss) {
  return (last == LastOperator::kSoftmax && loss == LossKind::kCrossEntropy) ||
         (last == LastOperator::kSigmoid && loss == LossKind::kBinary);
}

std::string text_of(LastOperator last, LossKind loss, std::int64_t outputs, const std::string& operator_name) {
  if (takes_scores(last, loss)) {
    return fmt::format("{} of the {} before {}", words_for(loss), outputs == 1 ? "score" : "scores", operator_name);
  }
  if (loss == LossKind::kBinary) {
    return outputs == 1 ? "binary cross entropy of the network's output as a score, whose sigmoid is the probability"
                        : "binary cross entropy of the network's outputs as scores, whose sigmoids are probabilities";
  }
  return last == LastOperator::kOther && loss == LossKind::kCrossEntropy
             ? std::string()
             : fmt::format("{} of the network's {}", words_for(loss), outputs == 1 ? "output" : "outputs");
}

LossKind loss_after(LastOperator last, std::int64_t outputs, bool classes, std::optional<LossKind> wanted,
                    const std::string& name) {
  const LossKind loss = wanted ? *wanted : usual_loss(last, outputs, classes);
  if (last == LastOperator::kSoftmax && outputs == 1) {
    throw graph::GraphError(
        fmt::format("'{}' ends in a softmax over one output, which is always 1, so that nothing can be learned; end it "
                    "in Sigmoid, or without either, for --loss binary or --loss mean-square",
                    name));
  }
  if (loss == LossKind::kCrossEntropy && outputs == 1) {
    throw graph::GraphError(
        fmt::format("'{}' has one output, whose softmax is always 1, so that cross entropy would learn nothing; use "
                    "--loss binary for labels 0 and 1, or --loss mean-square for numbers",
                    name));
  }
  if (loss == LossKind::kBinary && last == LastOperator::kSoftmax) {
    throw graph::GraphError(fmt::format(
        "'{}' ends in a softmax, but --loss binary takes scores or a sigmoid; use --loss cross-entropy", name));
  }
  return loss;
}

Ending ending_of(graph::Graph graph, bool classes, std::optional<LossKind> wanted) {
  check_trainable(graph);
  remove_unused(graph);
  const TensorId output = graph.outputs.at(0);
  const Shape shape = graph.tensor(output).shape;
  const std::int64_t outputs = graph::count(shape);
  const bool is_row = shape.back() == outputs;
  const Operator* op = maker_of(graph::IndexedGraph(graph), output);
  const LastOperator last = is_row ? kind_of(graph, op, outputs) : LastOperator::kOther;
  Ending ending{graph, {}, loss_after(last, outputs, classes && is_row, wanted, graph.name), outputs, {}};
  if (ending.loss == LossKind::kCrossEntropy && !is_row) {
    throw graph::GraphError(
        fmt::format("'{}' computes outputs of shape {}; the cross entropy takes scores of classes, "
                    "[1,...,1,classes]",
                    graph.name, graph::to_string(shape)));
  }
  ending.text = text_of(last, ending.loss, outputs, op == nullptr ? std::string() : title(*op));
  if (takes_scores(last, ending.loss)) {
    const TensorId scores = op->inputs.at(0);
    graph.outputs = {graph.tensor(scores).shape == shape ? scores
                                                         : GraphBuilder(graph, "scores").reshape(scores, shape)};
    remove_unused(graph);
  }
  ending.scores = std::move(graph);
  return ending;
}

}  // namespace systole::training

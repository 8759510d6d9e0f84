// SPDX-License-Identifier: Apache-2.0
#include "int8_eligibility.hpp"

#include <algorithm>

#include "attributes.hpp"
#include "indexed_graph.hpp"
#include "infer.hpp"
#include "rewrite.hpp"

namespace systole::quantizer {
namespace {

using graph::BinaryKind;
using graph::Graph;
using graph::Operator;
using graph::ReduceKind;
using graph::UnaryKind;

/// Why a float32 operator has no int8 form in TensorFlow Lite's arithmetic; empty if it has one.
class Refusal {
 public:
  Refusal(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

  std::string operator()(const graph::Conv2d&) const { return weighted(); }
  std::string operator()(const graph::Dense&) const { return weighted(); }
  std::string operator()(const graph::MatMul&) const {
    return op_.inputs.size() > 2 && op_.inputs[2] != graph::kNoTensor ? "a product of computed matrices with a bias"
                                                                      : "";
  }
  std::string operator()(const graph::Binary& op) const {
    return op.kind == BinaryKind::kDivide || op.kind == BinaryKind::kPower ? no_form(graph::name_of(op.kind)) : "";
  }
  std::string operator()(const graph::Unary& op) const {
    switch (op.kind) {
      case UnaryKind::kRelu:
      case UnaryKind::kRelu6:
      case UnaryKind::kClip:
      case UnaryKind::kHardSwish:
      case UnaryKind::kSigmoid:
      case UnaryKind::kTanh:
      case UnaryKind::kElu:
      case UnaryKind::kGelu:
      case UnaryKind::kErf:
      case UnaryKind::kSoftplus:
      case UnaryKind::kHardSigmoid:
      case UnaryKind::kAbs:
      case UnaryKind::kIdentity: return "";
      case UnaryKind::kLeakyRelu: return op.alpha >= 0 ? "" : "a negative slope";
      default: return no_form(graph::name_of(op.kind));
    }
  }
  std::string operator()(const graph::Reduce& op) const {
    return op.kind == ReduceKind::kProduct ? no_form(graph::name_of(op.kind)) : "";
  }
  std::string operator()(const graph::Softmax& op) const {
    const std::size_t rank = graph_.tensor(op_.inputs[0]).shape.size();
    if (op.logarithm) {
      return "the logarithm of a softmax";
    }
    return graph::axis_of(op.axis, rank) + 1 == rank ? "" : "a softmax over another axis than the last";
  }
  std::string operator()(const graph::LayerNormalize&) const {
    return graph_.tensor(op_.inputs[1]).constant && graph_.tensor(op_.inputs[2]).constant
               ? ""
               : "factors or summands that are not constant";
  }
  std::string operator()(const graph::LocalResponse& op) const {
    return op.bias > 0 && op.factor >= 0 ? "" : "a response whose base may be 0";
  }
  std::string operator()(const graph::Convert&) const { return "converts between types"; }
  template <class Other>
  std::string operator()(const Other&) const {
    return "";
  }

 private:
  std::string weighted() const { return is_weighted(graph_, op_) ? "" : "weights or bias that are not constant"; }
  static std::string no_form(const char* name) { return std::string("no int8 form of ").append(name); }

  const Graph& graph_;
  const Operator& op_;
};

/// Except the condition of a selection and the indices of a gathering.
bool all_float(const Graph& graph, const Operator& op) {
  const auto is_float = [&](graph::TensorId id) {
    return id == graph::kNoTensor || graph.tensor(id).type == graph::ElementType::kFloat32;
  };
  const std::ptrdiff_t conditions = std::holds_alternative<graph::Select>(op.kind) ? 1 : 0;
  const std::ptrdiff_t indices = std::holds_alternative<graph::Gather>(op.kind) ? 1 : 0;
  return std::all_of(op.inputs.begin() + conditions, op.inputs.end() - indices, is_float) &&
         std::all_of(op.outputs.begin(), op.outputs.end(), is_float);
}

bool multiplies(const Operator& op) {
  return std::holds_alternative<graph::Conv2d>(op.kind) || std::holds_alternative<graph::Dense>(op.kind) ||
         std::holds_alternative<graph::MatMul>(op.kind);
}

/// A gathering from a table, such as one of embeddings.
bool looks_up(const Graph& graph, const Operator& op) {
  return std::holds_alternative<graph::Gather>(op.kind) && graph.tensor(op.inputs[0]).constant;
}

bool moves(const Operator& op) {
  const auto* unary = std::get_if<graph::Unary>(&op.kind);
  return std::holds_alternative<graph::Reshape>(op.kind) || std::holds_alternative<graph::Transpose>(op.kind) ||
         std::holds_alternative<graph::Slice>(op.kind) || std::holds_alternative<graph::Split>(op.kind) ||
         (unary != nullptr && unary->kind == UnaryKind::kIdentity);
}

/// Whether the tensor, possibly after operators that only move its elements, is used only as a graph output.
bool only_leaves(const graph::IndexedGraph& graph, graph::TensorId id) {
  const std::vector<std::size_t>& readers = graph.readers(id);
  return std::all_of(readers.begin(), readers.end(), [&](std::size_t reader) {
    const Operator& op = graph.op(reader);
    return moves(op) && std::all_of(op.outputs.begin(), op.outputs.end(),
                                    [&](graph::TensorId made) { return only_leaves(graph, made); });
  });
}

}  // namespace

std::vector<Form> choose_forms(const Graph& graph, bool int8_softmax, const Obstacles& obstacles) {
  std::vector<bool> quantized(graph.tensors.size());
  const auto at = [](graph::TensorId id) { return static_cast<std::size_t>(id); };
  for (const graph::TensorId id : graph.inputs) {
    quantized[at(id)] = true;
  }
  const graph::IndexedGraph indexed(graph);
  std::vector<Form> forms;
  for (const Operator& op : graph.operators) {
    Form form;
    form.reason = all_float(graph, op) ? std::visit(Refusal(graph, op), op.kind) : "operands that are not float32";
    if (form.reason.empty() && !int8_softmax && std::holds_alternative<graph::Softmax>(op.kind) &&
        only_leaves(indexed, op.outputs[0])) {
      form.reason = "a final softmax, whose small values float32 keeps; int8 on request";
    }
    if (const auto obstacle = obstacles.find(forms.size()); form.reason.empty() && obstacle != obstacles.end()) {
      form.reason = obstacle->second;
    }
    const auto is_int8 = [&](graph::TensorId id) { return id != graph::kNoTensor && quantized[at(id)]; };
    const bool reached =
        multiplies(op) || looks_up(graph, op) || std::any_of(op.inputs.begin(), op.inputs.end(), is_int8);
    if (form.reason.empty() && !reached) {
      form.reason = "all operands are float32 here";
    }
    form.int8 = form.reason.empty();
    for (const graph::TensorId id : op.outputs) {
      quantized[at(id)] = form.int8;
    }
    forms.push_back(std::move(form));
  }
  return forms;
}

std::size_t int8_operands(const Graph& graph, const Operator& op) {
  return is_weighted(graph, op) || std::holds_alternative<graph::LayerNormalize>(op.kind) ? 1 : op.inputs.size();
}

bool keeps_quantization(const Operator& op) {
  if (const auto* binary = std::get_if<graph::Binary>(&op.kind)) {
    return binary->kind == BinaryKind::kMinimum || binary->kind == BinaryKind::kMaximum;
  }
  if (const auto* reduce = std::get_if<graph::Reduce>(&op.kind)) {
    return reduce->kind == ReduceKind::kMin || reduce->kind == ReduceKind::kMax;
  }
  return !multiplies(op) && !std::holds_alternative<graph::Unary>(op.kind) &&
         !std::holds_alternative<graph::Softmax>(op.kind) && !std::holds_alternative<graph::L2Normalize>(op.kind) &&
         !std::holds_alternative<graph::LayerNormalize>(op.kind) &&
         !std::holds_alternative<graph::LocalResponse>(op.kind) && !std::holds_alternative<graph::Convert>(op.kind);
}

}  // namespace systole::quantizer

// SPDX-License-Identifier: Apache-2.0
#include "negligible.hpp"

#include <algorithm>

#include "indexed_graph.hpp"
#include "rewrite.hpp"

namespace systole::quantizer {
namespace {

using graph::BinaryKind;
using graph::Graph;
using graph::Operator;
using graph::TensorId;

bool is_float(const Graph& graph, TensorId id) {
  return id != graph::kNoTensor && graph.tensor(id).type == graph::ElementType::kFloat32;
}

/// Bounds that are valid for both.
Bounds widest(const Bounds& a, const Bounds& b) { return {std::min(a.floor, b.floor), std::max(a.ceiling, b.ceiling)}; }

/// Propagates bounds from the outputs of a graph to its inputs.
class Finder {
 public:
  Finder(const Graph& graph, const Observations& observations, const std::map<TensorId, Range>& softmax_ranges)
      : graph_(graph), observations_(observations), softmax_ranges_(softmax_ranges) {}

  std::map<TensorId, Bounds> run() {
    for (const TensorId id : graph_.outputs) {
      bounds_[id] = {};
    }
    for (auto op = graph_.operators.rbegin(); op != graph_.operators.rend(); ++op) {
      for (std::size_t i = 0; i < op->inputs.size(); ++i) {
        if (is_float(graph_, op->inputs[i])) {
          narrow(op->inputs[i], of_operand(*op, i));
        }
      }
    }
    for (auto entry = bounds_.begin(); entry != bounds_.end();) {
      entry = entry->second.none() ? bounds_.erase(entry) : std::next(entry);
    }
    return std::move(bounds_);
  }

 private:
  /// Accounts for one more reader of the tensor.
  void narrow(TensorId id, const Bounds& bounds) {
    const auto [place, is_new] = bounds_.try_emplace(id, bounds);
    if (!is_new) {
      place->second = widest(place->second, bounds);
    }
  }

  Bounds of_result(const Operator& op) const {
    Bounds result;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      const auto found = bounds_.find(op.outputs[i]);
      const Bounds bounds = found == bounds_.end() ? Bounds{} : found->second;
      result = i == 0 ? bounds : widest(result, bounds);
    }
    return result;
  }

  Bounds of_operand(const Operator& op, std::size_t operand) const {
    if (std::holds_alternative<graph::Softmax>(op.kind)) {
      const auto range = softmax_ranges_.find(op.inputs[0]);
      return range == softmax_ranges_.end() ? Bounds{} : Bounds{range->second.low, Bounds{}.ceiling};
    }
    const Bounds result = of_result(op);
    if (result.none()) {
      return {};
    }
    if (const auto* binary = std::get_if<graph::Binary>(&op.kind)) {
      return binary->activation == Activation::kNone ? of_operand(*binary, op, operand, result) : Bounds{};
    }
    const auto* unary = std::get_if<graph::Unary>(&op.kind);
    const bool moves =
        std::holds_alternative<graph::Select>(op.kind) || std::holds_alternative<graph::Reshape>(op.kind) ||
        std::holds_alternative<graph::Transpose>(op.kind) || std::holds_alternative<graph::Slice>(op.kind) ||
        std::holds_alternative<graph::Concat>(op.kind) || std::holds_alternative<graph::Split>(op.kind) ||
        (unary != nullptr && unary->kind == graph::UnaryKind::kIdentity);
    return moves ? result : Bounds{};
  }

  Bounds of_operand(const graph::Binary& binary, const Operator& op, std::size_t operand, const Bounds& result) const {
    const Statistics other = values_of(graph_, observations_, op.inputs[1 - operand]);
    if (!is_float(graph_, op.outputs[0]) || other.plus_infinite() + other.not_numbers() != 0) {
      return {};
    }
    switch (binary.kind) {
      case BinaryKind::kMinimum:
      case BinaryKind::kMaximum: return result;
      case BinaryKind::kAdd: return {result.floor - other.max(), result.ceiling - other.min()};
      case BinaryKind::kSubtract:
        return operand == 0 ? Bounds{result.floor + other.min(), result.ceiling + other.max()}
                            : Bounds{other.min() - result.ceiling, other.max() - result.floor};
      case BinaryKind::kMultiply: return scaled(result, op.inputs[1 - operand]);
      default: return {};
    }
  }

  /// Bounds of an operand that is multiplied by one number.
  Bounds scaled(const Bounds& result, TensorId other) const {
    const graph::Tensor& tensor = graph_.tensor(other);
    if (!tensor.constant || graph::count(tensor.shape) != 1) {
      return {};
    }
    const double factor = double{floats_of(tensor).front()};
    if (factor == 0) {
      return {};
    }
    return factor > 0 ? Bounds{result.floor / factor, result.ceiling / factor}
                      : Bounds{result.ceiling / factor, result.floor / factor};
  }

  const Graph& graph_;
  const Observations& observations_;
  const std::map<TensorId, Range>& softmax_ranges_;
  std::map<TensorId, Bounds> bounds_;
};

}  // namespace

Statistics values_of(const Graph& graph, const Observations& observations, TensorId id) {
  if (graph.tensor(id).constant) {
    Statistics values;
    values.add(floats_of(graph.tensor(id)));
    return values;
  }
  const auto found = observations.find(id);
  return found == observations.end() ? Statistics{} : found->second.values;
}

std::map<TensorId, Range> softmax_ranges(const Graph& graph, const Observations& observations) {
  const graph::IndexedGraph indexed(graph);
  std::map<TensorId, Range> result;
  for (const auto& [id, observed] : observations) {
    const std::vector<std::size_t>& readers = indexed.readers(id);
    const bool alone =
        observed.rows && !indexed.is_output(id) && std::all_of(readers.begin(), readers.end(), [&](std::size_t reader) {
          return std::holds_alternative<graph::Softmax>(graph.operators[reader].kind);
        });
    if (const auto range = alone ? softmax_range(*observed.rows) : std::nullopt) {
      result[id] = *range;
    }
  }
  return result;
}

std::map<TensorId, Bounds> negligible(const Graph& graph, const Observations& observations,
                                      const std::map<TensorId, Range>& softmax_ranges) {
  return Finder(graph, observations, softmax_ranges).run();
}

std::map<std::size_t, TensorId> masked_operands(const Graph& graph, const Observations& observations,
                                                const std::map<TensorId, Bounds>& bounds) {
  const auto is_mask = [&](TensorId id) {
    const auto found = bounds.find(id);
    if (found == bounds.end()) {
      return false;
    }
    const Statistics values = values_of(graph, observations, id);
    const std::vector<Statistics::Group> groups = values.groups();
    return values.not_numbers() == 0 && std::all_of(groups.begin(), groups.end(), [&](const Statistics::Group& group) {
             return group.value == 0 || group.value <= found->second.floor || group.value >= found->second.ceiling;
           });
  };
  std::map<std::size_t, TensorId> result;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const Operator& op = graph.operators[i];
    const auto* binary = std::get_if<graph::Binary>(&op.kind);
    const bool adds = binary != nullptr && binary->kind == BinaryKind::kAdd;
    if ((!adds && (binary == nullptr || binary->kind != BinaryKind::kSubtract)) || bounds.count(op.outputs[0]) == 0) {
      continue;
    }
    for (const std::size_t mask : adds ? std::vector<std::size_t>{1, 0} : std::vector<std::size_t>{1}) {
      if (result.count(i) == 0 && is_mask(op.inputs[mask]) && bounds.count(op.inputs[1 - mask]) != 0) {
        result[i] = op.inputs[1 - mask];
      }
    }
  }
  return result;
}

}  // namespace systole::quantizer

// SPDX-License-Identifier: Apache-2.0
#include "index_limit.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "infer.hpp"
#include "systole/graph_value.hpp"

namespace systole::graph {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

bool holds_indices(const Tensor& tensor) {
  return tensor.type == ElementType::kInt32 || tensor.type == ElementType::kInt64;
}

/// The axis that input `place` of the operator indexes, or kNone.
std::int64_t indexed(const Graph& graph, const Operator& op, std::size_t place) {
  const Shape& data = graph.tensor(op.inputs[0]).shape;
  if (const auto* gather = std::get_if<Gather>(&op.kind); gather != nullptr && place == 1) {
    return data.at(axis_of(gather->axis, data.size()));
  }
  if (const auto* flat = std::get_if<FlatIndex>(&op.kind); flat != nullptr && !flat->shape.empty()) {
    return *std::min_element(flat->shape.begin(), flat->shape.end());
  }
  return std::holds_alternative<Scatter>(op.kind) && place == 1 ? data.at(0) : kNone;
}

/// Whether the outputs are indices that the operator itself produces, whatever the input's elements are.
bool makes_positions(const Operator& op) {
  return std::holds_alternative<FlatIndex>(op.kind) || std::holds_alternative<ArgExtreme>(op.kind) ||
         std::holds_alternative<TopK>(op.kind) || std::holds_alternative<MaxIndices>(op.kind);
}

}  // namespace

std::optional<std::int64_t> index_limit(const Graph& graph, TensorId id) {
  std::vector<bool> follows(graph.tensors.size(), false);
  follows[static_cast<std::size_t>(id)] = holds_indices(graph.tensor(id));
  std::int64_t limit = kNone;
  for (const Operator& op : graph.operators) {  // in topological order
    bool from_it = false;
    for (std::size_t place = 0; place < op.inputs.size(); ++place) {
      if (op.inputs[place] != kNoTensor && follows[static_cast<std::size_t>(op.inputs[place])]) {
        limit = std::min(limit, indexed(graph, op, place));
        from_it = true;
      }
    }
    for (const TensorId output : op.outputs) {
      follows[static_cast<std::size_t>(output)] =
          from_it && !makes_positions(op) && holds_indices(graph.tensor(output));
    }
  }
  return limit == kNone ? std::nullopt : std::optional(limit);
}

}  // namespace systole::graph

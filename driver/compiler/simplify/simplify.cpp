// SPDX-License-Identifier: Apache-2.0
#include "simplify.hpp"

#include <algorithm>

#include "systole/execute.hpp"

namespace systole::graph {
namespace {

constexpr std::uint64_t kMostMacs = std::uint64_t{1} << 28;

std::size_t at(TensorId id) { return static_cast<std::size_t>(id); }

bool compute(Graph& graph, const Operator& op, std::int64_t& left) {
  std::int64_t bytes = 0;
  for (const TensorId id : op.outputs) {
    bytes += count(graph.tensor(id).shape) * static_cast<std::int64_t>(element_size(graph.tensor(id).type));
  }
  if (bytes > left || useful_macs(graph, op) > kMostMacs) {
    return false;
  }
  std::vector<Value> operands;
  operands.reserve(op.inputs.size());
  std::vector<const Value*> inputs;
  for (const TensorId id : op.inputs) {
    if (id != kNoTensor) {
      operands.push_back(constant_value(graph.tensor(id)));
    }
    inputs.push_back(id == kNoTensor ? nullptr : &operands.back());
  }
  try {
    std::vector<Value> results = execute_operator(graph, op, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      graph.tensor(op.outputs[i]).constant = std::make_shared<Bytes>(std::move(results[i].data));
    }
  } catch (const GraphError&) {
    return false;  // unsupported by the host: reported when the graph is run
  }
  left -= bytes;
  return true;
}

}  // namespace

void fold_constants(Graph& graph, std::int64_t most_bytes) {
  std::vector<Operator> left;
  for (Operator& op : graph.operators) {
    const bool constant = std::all_of(op.inputs.begin(), op.inputs.end(),
                                      [&](TensorId id) { return id == kNoTensor || graph.tensor(id).constant; });
    if (!constant || !compute(graph, op, most_bytes)) {
      left.push_back(std::move(op));
    }
  }
  graph.operators = std::move(left);
}

void remove_unused(Graph& graph) {
  std::vector<bool> used(graph.tensors.size());
  for (const TensorId id : graph.outputs) {
    used[at(id)] = true;
  }
  std::vector<Operator> kept;
  for (std::size_t i = graph.operators.size(); i-- > 0;) {
    Operator& op = graph.operators[i];
    if (std::none_of(op.outputs.begin(), op.outputs.end(), [&](TensorId id) { return used[at(id)]; })) {
      continue;
    }
    for (const TensorId id : op.inputs) {
      if (id != kNoTensor) {
        used[at(id)] = true;
      }
    }
    for (const TensorId id : op.outputs) {
      used[at(id)] = true;
    }
    kept.push_back(std::move(op));
  }
  std::reverse(kept.begin(), kept.end());
  graph.operators = std::move(kept);
  for (const TensorId id : graph.inputs) {
    used[at(id)] = true;
  }
  std::vector<TensorId> renamed(graph.tensors.size(), kNoTensor);
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) {
      renamed[i] = static_cast<TensorId>(tensors.size());
      tensors.push_back(std::move(graph.tensors[i]));
    }
  }
  graph.tensors = std::move(tensors);
  const auto rename = [&](std::vector<TensorId>& ids) {
    for (TensorId& id : ids) {
      id = id == kNoTensor ? id : renamed[at(id)];
    }
  };
  for (Operator& op : graph.operators) {
    rename(op.inputs);
    rename(op.outputs);
  }
  rename(graph.inputs);
  rename(graph.outputs);
}

void simplify(Graph& graph, std::int64_t most_bytes, Transformations& transformations) {
  fold_constants(graph, most_bytes);
  if (transformations.on(Transformation::kMoveTransposes)) {
    transformations.count(Transformation::kMoveTransposes, move_transposes(graph));
  }
  if (transformations.on(Transformation::kSplitTransposes)) {
    transformations.count(Transformation::kSplitTransposes, split_transposes(graph));
  }
  fold_constants(graph, most_bytes);  // transpositions of constants
  remove_unused(graph);
}

void simplify(Graph& graph, std::int64_t most_bytes) {
  Transformations all;
  simplify(graph, most_bytes, all);
}

}  // namespace systole::graph

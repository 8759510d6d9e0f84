// SPDX-License-Identifier: Apache-2.0
#include "simplify.hpp"

#include <algorithm>

#include "systole/batch.hpp"
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

int fold_constants(Graph& graph, std::int64_t most_bytes) {
  const std::size_t before = graph.operators.size();
  std::vector<Operator> left;
  for (Operator& op : graph.operators) {
    const bool constant = std::all_of(op.inputs.begin(), op.inputs.end(),
                                      [&](TensorId id) { return id == kNoTensor || graph.tensor(id).constant; });
    if (!constant || !compute(graph, op, most_bytes)) {
      left.push_back(std::move(op));
    }
  }
  graph.operators = std::move(left);
  return static_cast<int>(before - graph.operators.size());
}

int remove_unused(Graph& graph) {
  const std::size_t before = graph.operators.size();
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
  return static_cast<int>(before - graph.operators.size());
}

const GraphPass kFoldConstants{Transformation::kFoldConstants,
                               [](GraphSubject& s) -> std::int64_t { return fold_constants(s.graph, s.most_bytes); }};
const GraphPass kMoveTransposes{Transformation::kMoveTransposes,
                                [](GraphSubject& s) -> std::int64_t { return move_transposes(s.graph); }};
const GraphPass kSplitTransposes{Transformation::kSplitTransposes,
                                 [](GraphSubject& s) -> std::int64_t { return split_transposes(s.graph); }};
const GraphPass kRemoveUnused{Transformation::kRemoveUnused,
                              [](GraphSubject& s) -> std::int64_t { return remove_unused(s.graph); }};
const GraphPass kBatch{Transformation::kBatch, [](GraphSubject& s) -> std::int64_t {
                         s.graph = batched(s.graph, s.samples);
                         return 1;
                       }};
const GraphPass kLegalize{Transformation::kLegalize, [](GraphSubject& s) -> std::int64_t { return legalize(s.graph); }};

void simplify(Graph& graph, std::int64_t most_bytes, Transformations& transformations) {
  GraphSubject subject{graph, most_bytes};
  // Transpositions of constants are folded at the end.
  run_passes({kFoldConstants, kMoveTransposes, kSplitTransposes, kFoldConstants, kRemoveUnused}, subject,
             transformations);
}

void simplify(Graph& graph, std::int64_t most_bytes) {
  Transformations all;
  simplify(graph, most_bytes, all);
}

}  // namespace systole::graph

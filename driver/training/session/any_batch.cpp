// SPDX-License-Identifier: Apache-2.0
#include "any_batch.hpp"

#include <algorithm>

#include "batch_rules.hpp"

namespace systole::training {
namespace {

using graph::TensorId;

bool is_sample(const graph::Tensor& tensor) { return !tensor.shape.empty() && tensor.shape[0] == 1; }

class AnyBatch {
 public:
  explicit AnyBatch(const graph::Graph& graph) : graph_(graph), varies_(graph.tensors.size(), false) {}

  std::vector<bool> run() {
    for (const TensorId id : graph_.inputs) {
      mark(id);
    }
    const auto is_for_any = [&](const graph::Operator& op) { return takes(op); };
    const auto is_border = [&](TensorId id) { return varies(id) && is_sample(graph_.tensor(id)); };
    const bool any = std::all_of(graph_.operators.begin(), graph_.operators.end(), is_for_any) &&
                     std::all_of(graph_.inputs.begin(), graph_.inputs.end(), is_border) &&
                     std::all_of(graph_.outputs.begin(), graph_.outputs.end(), is_border);
    return any ? varies_ : std::vector<bool>();
  }

 private:
  void mark(TensorId id) { varies_[static_cast<std::size_t>(id)] = true; }
  bool varies(TensorId id) const { return id != graph::kNoTensor && varies_[static_cast<std::size_t>(id)]; }

  /// Whether the operator takes a batch; marks its results, if they depend on the sample.
  bool takes(const graph::Operator& op) {
    if (std::none_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return varies(id); })) {
      return true;
    }
    graph::BatchedOperands operands;
    for (const TensorId id : op.inputs) {
      operands.push_back(id == graph::kNoTensor ? graph::BatchedOperand{}
                                                : graph::BatchedOperand{graph_.tensor(id).shape, varies(id)});
    }
    const graph::Shape& output = graph_.tensor(op.outputs.at(0)).shape;
    if (output.empty() || !graph::batch_refusal(op.kind, operands, output).empty()) {
      return false;
    }
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const bool repeated =
          op.inputs[i] != graph::kNoTensor && !varies(op.inputs[i]) && is_repeated(op.kind, i, operands, output);
      if (repeated && !(std::holds_alternative<graph::Concat>(op.kind) && is_sample(graph_.tensor(op.inputs[i])))) {
        return false;
      }
    }
    std::for_each(op.outputs.begin(), op.outputs.end(), [&](TensorId id) { mark(id); });
    return true;
  }

  const graph::Graph& graph_;
  std::vector<bool> varies_;
};

}  // namespace

std::vector<bool> batch_tensors(const graph::Graph& graph) { return AnyBatch(graph).run(); }

}  // namespace systole::training

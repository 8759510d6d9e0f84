// SPDX-License-Identifier: Apache-2.0
#include "systole/batch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "attributes.hpp"
#include "batch_rules.hpp"
#include "graph_builder.hpp"
#include "infer.hpp"

namespace systole::graph {
namespace {

class Batcher {
 public:
  Batcher(const Graph& graph, std::int64_t samples) : before_(graph), after_(graph), samples_(samples) {
    varies_.assign(graph.tensors.size(), false);
  }

  Graph run() {
    if (!before_.states.empty()) {
      throw GraphError(fmt::format("'{}' keeps variables from sample to sample, so samples cannot be computed at once",
                                   before_.name));
    }
    for (const TensorId id : before_.inputs) {
      lengthen(id, "an input");
    }
    for (std::size_t i = 0; i < before_.operators.size(); ++i) {
      const Operator& op = before_.operators[i];
      if (std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return varies(id); })) {
        rewrite(op, after_.operators[i]);
      }
    }
    for (const TensorId id : before_.outputs) {
      if (!varies(id)) {
        throw GraphError(fmt::format("{} is the same for every sample; it cannot be computed for a batch",
                                     title(before_.tensor(id))));
      }
    }
    validate(after_);
    return std::move(after_);
  }

 private:
  bool varies(TensorId id) const { return id != kNoTensor && varies_[static_cast<std::size_t>(id)]; }

  void lengthen(TensorId id, const char* what) {
    Tensor& tensor = after_.tensor(id);
    if (tensor.shape.empty()) {
      throw GraphError(fmt::format("{}, {}, has no axes; a batch needs a first one", title(tensor), what));
    }
    tensor.shape[0] *= samples_;
    if (tensor.quantization && tensor.quantization->per_channel() && tensor.quantization->axis == 0) {
      throw GraphError(fmt::format("{} has scales along its first axis, which is that of the samples", title(tensor)));
    }
    varies_[static_cast<std::size_t>(id)] = true;
  }

  void rewrite(const Operator& op, Operator& result) {
    BatchedOperands operands;
    for (const TensorId id : op.inputs) {
      operands.push_back(id == kNoTensor ? BatchedOperand{} : BatchedOperand{before_.tensor(id).shape, varies(id)});
    }
    const Shape& output = before_.tensor(op.outputs.at(0)).shape;
    const std::string refusal = batch_refusal(op.kind, operands, output);
    if (!refusal.empty()) {
      throw GraphError(fmt::format("{} cannot be computed for {} samples at once: {}", title(op), samples_, refusal));
    }
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] != kNoTensor && !varies(op.inputs[i]) && is_repeated(op.kind, i, operands, output)) {
        result.inputs[i] = repeated(op, op.inputs[i]);
      }
    }
    for (const TensorId id : op.outputs) {
      lengthen(id, "a result");
    }
    const std::vector<Shape> shapes = output_shapes(after_, result);
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      if (shapes[i] != after_.tensor(op.outputs[i]).shape) {
        throw GraphError(fmt::format("{}: {} samples of {} are not {}", title(op), samples_,
                                     title(before_.tensor(op.outputs[i])), to_string(shapes[i])));
      }
    }
  }

  /// A constant with the rows of all samples.
  TensorId repeated(const Operator& op, TensorId id) {
    const auto found = repeated_.find(id);
    if (found != repeated_.end()) {
      return found->second;
    }
    Tensor tensor = before_.tensor(id);
    if (!tensor.constant) {
      throw GraphError(fmt::format("{} cannot be computed for {} samples at once: {} is computed and the same for all",
                                   title(op), samples_, title(tensor)));
    }
    auto bytes = std::make_shared<Bytes>();
    for (std::int64_t i = 0; i < samples_; ++i) {
      bytes->insert(bytes->end(), tensor.constant->begin(), tensor.constant->end());
    }
    tensor.shape[0] *= samples_;
    tensor.constant = std::move(bytes);
    tensor.name += " (repeated)";
    return repeated_[id] = add_tensor(after_, std::move(tensor));
  }

  const Graph& before_;
  Graph after_;
  const std::int64_t samples_;
  std::vector<bool> varies_;               // tensors of `before_` that depend on the inputs
  std::map<TensorId, TensorId> repeated_;  // constants
};

}  // namespace

Graph batched(const Graph& graph, std::int64_t samples) {
  if (samples < 1) {
    throw GraphError(fmt::format("a batch of {} samples; it has at least 1", samples));
  }
  return samples == 1 ? graph : Batcher(graph, samples).run();
}

std::vector<Value> stacked(const std::vector<std::vector<Value>>& samples) {
  std::vector<Value> result = samples.at(0);
  for (Value& value : result) {
    value.shape.at(0) *= static_cast<std::int64_t>(samples.size());
  }
  for (std::size_t i = 1; i < samples.size(); ++i) {
    for (std::size_t k = 0; k < result.size(); ++k) {
      const Bytes& more = samples[i].at(k).data;
      result[k].data.insert(result[k].data.end(), more.begin(), more.end());
    }
  }
  return result;
}

std::vector<std::vector<Value>> unstacked(const std::vector<Value>& values, std::int64_t samples) {
  std::vector<std::vector<Value>> result(static_cast<std::size_t>(samples));
  for (const Value& value : values) {
    Shape shape = value.shape;
    shape.at(0) /= samples;
    const auto size = static_cast<std::ptrdiff_t>(value.data.size()) / static_cast<std::ptrdiff_t>(samples);
    auto from = value.data.begin();
    for (std::vector<Value>& sample : result) {
      sample.push_back({value.type, shape, Bytes(from, from + size)});
      from += size;
    }
  }
  return result;
}

}  // namespace systole::graph

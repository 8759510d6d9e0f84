// SPDX-License-Identifier: Apache-2.0
#include "systole/array.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "graph_builder.hpp"
#include "systole/errors.hpp"

namespace systole {

class Array::Recording {
 public:
  explicit Recording(const std::string& name) : builder_(graph_, name) { graph_.name = name; }

  graph::GraphBuilder& builder() { return builder_; }
  graph::Graph& graph() { return graph_; }

 private:
  graph::Graph graph_;
  graph::GraphBuilder builder_;
};

graph::Shape Array::shape() const { return recording_->builder().shape(id_); }
graph::ElementType Array::type() const { return recording_->builder().type(id_); }

Array Array::unary(graph::UnaryKind kind, float alpha, float beta) const {
  return {recording_, recording_->builder().unary(kind, id_, alpha, beta)};
}

Array Array::binary(graph::BinaryKind kind, const Array& other) const {
  if (recording_ != other.recording_) {
    throw InvalidArgument(fmt::format("{}: arrays of two functions", recording_->graph().name));
  }
  if (type() != other.type()) {
    throw graph::GraphError(fmt::format("{}: operands of {} and {}; both must have one type", recording_->graph().name,
                                        graph::name_of(type()), graph::name_of(other.type())));
  }
  return {recording_, recording_->builder().binary(kind, id_, other.id_)};
}

Array Array::number(double value) const { return {recording_, recording_->builder().scalar(id_, value)}; }

Array Array::reduce(graph::ReduceKind kind, std::vector<int> axes, bool keep_dimensions) const {
  const int rank = static_cast<int>(shape().size());
  if (axes.empty()) {
    axes = graph::all_axes(shape().size());
  }
  for (int& axis : axes) {
    if (axis < -rank || axis >= rank) {
      throw graph::GraphError(fmt::format("{}: axis {} of an array of {} axes; the range is {} .. {}",
                                          recording_->graph().name, axis, rank, -rank, rank - 1));
    }
    axis += axis < 0 ? rank : 0;
  }
  return {recording_, recording_->builder().reduce(kind, id_, std::move(axes), keep_dimensions)};
}

Array Array::reshape(const graph::Shape& to) const { return {recording_, recording_->builder().reshape(id_, to)}; }

Array Array::transpose(std::vector<int> permutation) const {
  return {recording_, recording_->builder().transpose(id_, std::move(permutation))};
}

Array Array::matmul(const Array& other) const { return {recording_, recording_->builder().product(id_, other.id_)}; }

Array Array::select(const Array& a, const Array& b) const {
  return {recording_, recording_->builder().select(id_, a.id_, b.id_)};
}

std::vector<Array> Array::of(const graph::Graph& graph, const std::vector<Array>& inputs) {
  if (!graph.states.empty() || inputs.size() != graph.inputs.size() || inputs.empty()) {
    throw graph::GraphError(
        fmt::format("'{}' has {} inputs and {} states, given are {} arrays; expected as many as it "
                    "has inputs, one or more, and no states",
                    graph.name, graph.inputs.size(), graph.states.size(), inputs.size()));
  }
  const std::shared_ptr<Recording>& recording = inputs[0].recording_;
  graph::Graph& to = recording->graph();
  const std::string prefix = fmt::format("{}.{}", graph.name, to.tensors.size());  // no other graph has it
  std::map<graph::TensorId, graph::TensorId> ids{{graph::kNoTensor, graph::kNoTensor}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const graph::Tensor& wanted = graph.tensor(graph.inputs[i]);
    if (inputs[i].recording_ != recording) {
      throw InvalidArgument(fmt::format("{}: arrays of two functions", to.name));
    }
    if (inputs[i].type() != wanted.type || inputs[i].shape() != wanted.shape) {
      throw graph::GraphError(fmt::format("'{}': its input '{}' is {} of {}, the array {} of {}", graph.name,
                                          wanted.name, graph::to_string(wanted.shape), graph::name_of(wanted.type),
                                          graph::to_string(inputs[i].shape()), graph::name_of(inputs[i].type())));
    }
    ids[graph.inputs[i]] = inputs[i].id();
  }
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (ids.emplace(static_cast<graph::TensorId>(i), static_cast<graph::TensorId>(to.tensors.size())).second) {
      to.tensors.push_back(graph.tensors[i]);
      to.tensors.back().name = fmt::format("{}/{}", prefix, graph.tensors[i].name);
    }
  }
  const auto replace = [&](graph::TensorId& id) { id = ids.at(id); };
  for (graph::Operator op : graph.operators) {
    op.name = fmt::format("{}/{}", prefix, op.name);
    std::for_each(op.inputs.begin(), op.inputs.end(), replace);
    std::for_each(op.outputs.begin(), op.outputs.end(), replace);
    to.operators.push_back(std::move(op));
  }
  std::vector<Array> results;
  for (const graph::TensorId id : graph.outputs) {
    results.emplace_back(recording, ids.at(id));
  }
  return results;
}

graph::Graph record(const std::string& name, const std::vector<ArrayType>& inputs, const ArrayFunction& function) {
  constexpr std::size_t kLetters = 26;
  const auto recording = std::make_shared<Array::Recording>(name);
  std::vector<Array> operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string input =
        inputs.size() > kLetters ? fmt::format("input{}", i) : std::string(1, static_cast<char>('a' + i));
    operands.emplace_back(recording, recording->builder().input(input, inputs[i].type, inputs[i].shape));
  }
  const std::vector<Array> results = function(operands);
  if (results.empty()) {
    throw InvalidArgument(fmt::format("{}: the function has no result", name));
  }
  for (const Array& result : results) {
    const auto& given = recording->graph().inputs;
    if (std::find(given.begin(), given.end(), result.id()) != given.end()) {
      throw InvalidArgument(fmt::format("{}: the function returns an operand as it is", name));
    }
    recording->graph().outputs.push_back(result.id());
  }
  validate(recording->graph());
  return recording->graph();
}

}  // namespace systole

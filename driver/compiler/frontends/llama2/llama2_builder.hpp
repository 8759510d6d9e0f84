// SPDX-License-Identifier: Apache-2.0
// Builds float32 graphs operator by operator, in the arithmetic of ONNX, which the device has.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "llama2_checkpoint.hpp"
#include "systole/graph.hpp"

namespace systole::llama2 {

class Builder {
 public:
  explicit Builder(std::string name) { graph_.name = std::move(name); }

  /// The names of the operators that follow begin with this.
  void begin(std::string prefix) { prefix_ = std::move(prefix); }
  std::string name(const std::string& part) const { return prefix_ + part; }
  const graph::Shape& shape(graph::TensorId id) const { return graph_.tensor(id).shape; }
  /// The products that follow, functions of one tensor, means and softmax are in this arithmetic; at first in ONNX's.
  void set_arithmetic(graph::Arithmetic arithmetic) { arithmetic_ = arithmetic; }

  graph::TensorId input(const std::string& name, graph::Shape shape);
  graph::TensorId weights_input(const std::string& name, graph::Shape shape);  ///< see graph::Tensor::as_weights
  graph::TensorId constant(graph::Shape shape, Weights values);
  graph::TensorId number(float value);                                            ///< a constant of one element
  graph::TensorId numbers(graph::Shape shape, const std::vector<float>& values);  ///< a constant

  /// The shape of the result is the first operand's, if none is given.
  graph::TensorId binary(graph::BinaryKind kind, graph::TensorId lhs, graph::TensorId rhs, graph::Shape shape = {});
  graph::TensorId unary(graph::UnaryKind kind, graph::TensorId x);
  graph::TensorId softmax(graph::TensorId x);  ///< along the last axis
  graph::TensorId mean(graph::TensorId x);     ///< along the last axis, which stays, with length 1
  graph::TensorId dense(graph::TensorId x, graph::TensorId weights);
  graph::TensorId product(graph::TensorId a, graph::TensorId b, bool transpose_b);
  graph::TensorId reshape(graph::TensorId x, graph::Shape shape);  ///< x itself where it has the shape
  graph::TensorId transpose(graph::TensorId x, const std::vector<int>& permutation);
  graph::TensorId concat(graph::TensorId first, graph::TensorId second, int axis);
  graph::TensorId pad_before(graph::TensorId x, std::int64_t zeros);      ///< along the last axis
  std::pair<graph::TensorId, graph::TensorId> halves(graph::TensorId x);  ///< of the last axis
  /// Parts of the last axis, of these sizes.
  std::vector<graph::TensorId> split(graph::TensorId x, const std::vector<std::int64_t>& sizes);
  /// These elements of all.
  graph::TensorId gather(graph::TensorId x, const std::vector<std::int32_t>& elements, graph::Shape shape);

  /// The same with neighbouring parts of as many elements exchanged.
  graph::TensorId exchanged(graph::TensorId x, std::int64_t part);

  /// The graph with these outputs. The builder is empty afterwards.
  graph::Graph finish(std::vector<graph::TensorId> outputs);

 private:
  graph::TensorId tensor(const std::string& name, graph::Shape shape, Weights values = nullptr);
  graph::TensorId append(const char* origin, graph::OperatorKind kind, std::vector<graph::TensorId> inputs,
                         graph::Shape shape, graph::Arithmetic arithmetic = graph::Arithmetic::kOnnx);

  graph::Graph graph_;
  graph::Arithmetic arithmetic_ = graph::Arithmetic::kOnnx;
  std::string prefix_;
};

}  // namespace systole::llama2

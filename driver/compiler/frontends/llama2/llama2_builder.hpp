// SPDX-License-Identifier: Apache-2.0
// Builds float32 graphs operator by operator, in the arithmetic of ONNX, which the device has.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph_builder.hpp"
#include "llama2_checkpoint.hpp"

namespace systole::llama2 {

class Builder : public graph::GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;

  /// The names of the operators that follow begin with this.
  void begin(std::string prefix) { prefix_ = std::move(prefix); }
  std::string name(const std::string& part) const { return prefix_ + part; }
  /// The products that follow, functions of one tensor, means and softmax are in this arithmetic; at first in ONNX's.
  void set_arithmetic(graph::Arithmetic arithmetic) { arithmetic_ = arithmetic; }

  graph::TensorId input(const std::string& name, const graph::Shape& shape);
  graph::TensorId weights_input(const std::string& name, const graph::Shape& shape);  ///< see graph::Tensor::as_weights
  graph::TensorId constant(const graph::Shape& shape, Weights values);
  graph::TensorId number(float value) { return numbers({1}, {value}); }                  ///< a constant of one element
  graph::TensorId numbers(const graph::Shape& shape, const std::vector<float>& values);  ///< a constant

  graph::TensorId binary(graph::BinaryKind kind, graph::TensorId lhs, graph::TensorId rhs);
  graph::TensorId unary(graph::UnaryKind kind, graph::TensorId x);
  graph::TensorId mean(graph::TensorId x);  ///< along the last axis, which stays, with length 1
  /// Along the last axis.
  graph::TensorId softmax(graph::TensorId x) { return append_as("Softmax", graph::Softmax{}, {x}, arithmetic_); }
  graph::TensorId dense(graph::TensorId x, graph::TensorId weights) {
    return append_as("Gemm", graph::Dense{}, {x, weights}, arithmetic_);
  }
  /// Rows of int8, and the size of a step of each: 127 steps are the greatest magnitude.
  struct Steps {
    graph::TensorId values = graph::kNoTensor, size = graph::kNoTensor;
  };
  Steps in_steps(graph::TensorId x);
  /// The product of such rows, in steps, with a matrix of float32, each of whose rows is rounded to steps of its own.
  graph::TensorId int8_dense(graph::TensorId steps, const graph::Shape& shape, const graph::Bytes& matrix);
  graph::TensorId product(graph::TensorId a, graph::TensorId b, bool transpose_b) {
    return append_as("MatMul", graph::MatMul{false, transpose_b}, {a, b}, arithmetic_);
  }
  graph::TensorId pad_before(graph::TensorId x, std::int64_t zeros);      ///< along the last axis
  std::pair<graph::TensorId, graph::TensorId> halves(graph::TensorId x);  ///< of the last axis
  using GraphBuilder::split;
  /// Parts of the last axis, of these sizes.
  std::vector<graph::TensorId> split(graph::TensorId x, const std::vector<std::int64_t>& sizes);
  /// These elements of all.
  graph::TensorId gather(graph::TensorId x, const std::vector<std::int32_t>& elements, const graph::Shape& shape);

  /// The same with neighbouring parts of as many elements exchanged.
  graph::TensorId exchanged(graph::TensorId x, std::int64_t part);

 private:
  std::string constant_name() override;
  std::string operator_name(const std::string& origin) override;

  graph::TensorId append_as(const char* origin, graph::OperatorKind kind, std::vector<graph::TensorId> inputs,
                            graph::Arithmetic arithmetic);

  graph::Arithmetic arithmetic_ = graph::Arithmetic::kOnnx;
  std::string prefix_;
};

}  // namespace systole::llama2

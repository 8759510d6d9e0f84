// SPDX-License-Identifier: Apache-2.0
// Graphs of one quantized operator, with scales and constants drawn from a seed.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "systole/graph.hpp"

namespace systole::shapes {

class OneOperator {
 public:
  explicit OneOperator(std::uint64_t seed, graph::Arithmetic arithmetic = graph::Arithmetic::kTfLite)
      : random_(seed), arithmetic_(arithmetic) {}

  /// An 8-bit graph input with a random scale around `scale` and a random zero point.
  graph::TensorId input(const graph::Shape& shape, float scale = 0.05F,
                        graph::ElementType type = graph::ElementType::kInt8);
  /// Another input with the same quantization.
  graph::TensorId input_like(graph::TensorId other, const graph::Shape& shape);
  /// A constant with the same quantization.
  graph::TensorId constant_like(graph::TensorId other, const graph::Shape& shape);
  /// The result; sums of `depth` products fill its range. With `like`, it has that tensor's quantization.
  graph::TensorId output(const graph::Shape& shape, double scale = 0.05, graph::TensorId like = graph::kNoTensor,
                         graph::ElementType type = graph::ElementType::kInt8);
  /// A graph input of kBool.
  graph::TensorId truth_input(const graph::Shape& shape);
  /// A result without a scale.
  graph::TensorId plain(graph::ElementType type);
  /// Gives the tensor another type, without a scale.
  void make_plain(graph::TensorId id, graph::ElementType type);
  /// A graph input, and a constant, without a scale.
  graph::TensorId plain_input(graph::ElementType type, const graph::Shape& shape);
  graph::TensorId plain_constant(graph::ElementType type, const graph::Shape& shape);
  /// A constant of one element, below 256.
  graph::TensorId plain_number(graph::ElementType type, int number);
  /// A result without a scale, with this shape.
  graph::TensorId shaped(graph::ElementType type, const graph::Shape& shape);
  /// A result with the given quantization.
  graph::TensorId output(graph::Quantization quantization, graph::ElementType type = graph::ElementType::kInt8);
  /// Constant int8, symmetric: one scale, or one for each index of the first axis.
  graph::TensorId weights(const graph::Shape& shape, bool per_channel);
  /// The same with 8 bits of either type, and zero points.
  graph::TensorId asymmetric_weights(const graph::Shape& shape, bool per_channel, graph::ElementType type);
  /// Gives the tensor the quantization of another; returns it.
  graph::TensorId requantized(graph::TensorId id, graph::TensorId like);
  /// Constant int64 below `size`: random, or one `repeated`.
  graph::TensorId indices(int count, int size, bool repeated);
  /// Constant int32 or int64.
  graph::TensorId bias(int channels, graph::TensorId input, graph::TensorId weights,
                       graph::ElementType type = graph::ElementType::kInt32);
  /// Constant of random bits with a random scale around `scale` and a random zero point.
  graph::TensorId constant_of(graph::ElementType type, const graph::Shape& shape, float scale);
  /// Constant float32 around 0, of this magnitude.
  graph::TensorId real_constant(const graph::Shape& shape, float magnitude);
  /// Gives the tensor the zero point 0; returns it.
  graph::TensorId symmetric(graph::TensorId id);
  void set_quantization(graph::TensorId id, graph::Quantization quantization);
  /// Constant int8 with a random scale and zero point.
  graph::TensorId constant(const graph::Shape& shape);
  /// The same with this scale.
  graph::TensorId constant(const graph::Shape& shape, float scale);
  /// Constant int16, symmetric, with this scale.
  graph::TensorId constant16(const graph::Shape& shape, float scale);

  /// Scale of results that fill the range when `depth` products of input and weights are summed.
  double scale_of_sums(graph::TensorId input, graph::TensorId weights, double depth);

  /// Of the operators that follow.
  void set_arithmetic(graph::Arithmetic arithmetic) { arithmetic_ = arithmetic; }
  /// An operator before the last one; returns its result.
  graph::TensorId apply(graph::OperatorKind kind, std::vector<graph::TensorId> inputs, graph::TensorId output);
  /// The graph; the shapes of its result are inferred, and incompatible operands give a GraphError.
  graph::Graph finish(graph::OperatorKind kind, std::vector<graph::TensorId> inputs,
                      std::vector<graph::TensorId> outputs);
  graph::Graph finish(graph::OperatorKind kind, std::vector<graph::TensorId> inputs, graph::TensorId output) {
    return finish(std::move(kind), std::move(inputs), std::vector<graph::TensorId>{output});
  }

  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int within(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  graph::TensorId add(graph::Tensor tensor);
  void append(graph::OperatorKind kind, std::vector<graph::TensorId> inputs, std::vector<graph::TensorId> outputs);
  /// A zero point of the type.
  int point(graph::ElementType type);

  std::mt19937_64 random_;
  graph::Arithmetic arithmetic_;
  graph::Graph graph_;
};

}  // namespace systole::shapes

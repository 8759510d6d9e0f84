// SPDX-License-Identifier: Apache-2.0
// Normalizations, made of reductions and arithmetic; a batch normalization is a factor and a summand per channel.
#include <fmt/core.h>

#include "import/onnx/operators.hpp"

namespace systole::graph::onnx_file {
namespace {

std::vector<int> axes_from(std::size_t first, std::size_t rank) {
  std::vector<int> axes;
  for (std::size_t i = first; i < rank; ++i) {
    axes.push_back(static_cast<int>(i));
  }
  return axes;
}

struct Centered {
  TensorId values, mean, inverse_deviation;
};

/// x less its mean over the axes, and 1 / sqrt(variance + epsilon).
Centered center(Translation& t, TensorId x, const std::vector<int>& axes, double epsilon) {
  const TensorId mean = reduce(t, ReduceKind::kMean, x, axes, true);
  const TensorId centered = t.binary(BinaryKind::kSubtract, x, mean);
  const TensorId variance = reduce(t, ReduceKind::kMean, t.binary(BinaryKind::kMultiply, centered, centered), axes, true);
  const TensorId deviation = t.unary(UnaryKind::kSqrt, t.binary(BinaryKind::kAdd, variance, t.scalar(epsilon, x)));
  return {centered, mean, t.unary(UnaryKind::kReciprocal, deviation)};
}

/// A value per channel as a tensor that broadcasts against N,C,...
TensorId per_channel(Translation& t, TensorId id, std::size_t rank) {
  if (t.shape(id).size() != 1 || rank < 2) {
    t.fail(fmt::format("'{}' has shape {}; it takes a value per channel", t.tensor(id).name, to_string(t.shape(id))));
  }
  Shape shape(rank - 1, 1);
  shape[0] = t.shape(id)[0];
  return t.reshape(id, shape);
}

}  // namespace

void batch_normalization(Translation& t) {
  if (t.integer("training_mode", 0) != 0 || (t.opset() < 7 && t.integer("is_test", 0) == 0) || t.wants_output(1)) {
    t.refuse(OnnxRefusal::kTraining, "is in training mode; export the model for inference");
  }
  const TensorId x = t.input(0);
  const std::size_t rank = t.shape(x).size();
  for (std::size_t i = 1; i < 5; ++i) {
    t.bind(t.input(i));
  }
  const TensorId variance = t.input(4);
  const TensorId epsilon = t.scalar(double{t.real("epsilon", 1e-5F)}, variance);
  const TensorId deviation = t.unary(UnaryKind::kSqrt, t.binary(BinaryKind::kAdd, variance, epsilon));
  const TensorId factor = t.binary(BinaryKind::kDivide, t.input(1), deviation);
  const TensorId summand = t.binary(BinaryKind::kSubtract, t.input(2), t.binary(BinaryKind::kMultiply, t.input(3), factor));
  t.result(t.binary(BinaryKind::kAdd, t.binary(BinaryKind::kMultiply, x, per_channel(t, factor, rank)), per_channel(t, summand, rank)));
}

void instance_normalization(Translation& t) {
  const TensorId x = t.input(0);
  const std::size_t rank = t.shape(x).size();
  const Centered c = center(t, x, axes_from(2, rank), double{t.real("epsilon", 1e-5F)});
  const TensorId scaled = t.binary(BinaryKind::kMultiply, t.binary(BinaryKind::kMultiply, c.values, c.inverse_deviation), per_channel(t, t.input(1), rank));
  t.result(t.binary(BinaryKind::kAdd, scaled, per_channel(t, t.input(2), rank)));
}

void layer_normalization(Translation& t) {
  const TensorId x = t.input(0);
  const std::size_t rank = t.shape(x).size();
  const Centered c = center(t, x, axes_from(t.axis(t.integer("axis", -1), rank), rank), double{t.real("epsilon", 1e-5F)});
  TensorId y = t.binary(BinaryKind::kMultiply, t.binary(BinaryKind::kMultiply, c.values, c.inverse_deviation), t.input(1));
  if (t.has_input(2)) {
    y = t.binary(BinaryKind::kAdd, y, t.input(2));
  }
  t.result(y);
  t.result(c.mean, 1);
  t.result(c.inverse_deviation, 2);
}

void mean_variance_normalization(Translation& t) {
  const TensorId x = t.input(0);
  std::vector<int> axes;
  for (const std::int64_t axis : t.integers("axes").value_or(std::vector<std::int64_t>{0, 2, 3})) {
    axes.push_back(static_cast<int>(t.axis(axis, t.shape(x).size())));
  }
  constexpr double kEpsilon = 1e-18;  // the definition adds 1e-9 to the deviation
  const Centered c = center(t, x, axes, kEpsilon);
  t.result(t.binary(BinaryKind::kMultiply, c.values, c.inverse_deviation));
}

}  // namespace systole::graph::onnx_file

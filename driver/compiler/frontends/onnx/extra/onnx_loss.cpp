// SPDX-License-Identifier: Apache-2.0
// Loss functions, for inference only.
#include <fmt/core.h>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

/// Negative log likelihood of log probabilities [N,C,...] and classes [N,...]: per sample, or their weighted mean or
/// sum.
TensorId likelihood_loss(Translation& t, TensorId logarithms, TensorId classes, TensorId weights) {
  const Shape shape = t.shape(logarithms);
  Shape expected = shape;
  if (shape.size() >= 2) {
    expected.erase(expected.begin() + 1);
  }
  if (shape.size() < 2 || t.shape(classes) != expected) {
    t.fail(fmt::format("target has shape {}, scores have shape {}; expected the shape of the scores without axis 1",
                       to_string(t.shape(classes)), to_string(shape)));
  }
  const std::string reduction = t.text("reduction", "mean");
  if (reduction != "none" && reduction != "mean" && reduction != "sum") {
    t.fail(fmt::format("reduction '{}'; expected none, mean or sum", reduction));
  }
  // One-hot encoding: the ignored class has no entry, and so no loss.
  Shape column = shape;
  column[1] = 1;
  const TensorId index = t.reshape(cast(t, classes, ElementType::kInt64), column);
  const TensorId place = t.count_along(ElementType::kInt64, 1, shape.size(), shape[1]);
  TensorId hot = t.test(BinaryKind::kEqual, index, place);
  if (t.has("ignore_index")) {
    const TensorId ignored = t.scalar(static_cast<double>(t.integer("ignore_index", 0)), index);
    const TensorId counts =
        t.emit(Unary{UnaryKind::kNot}, {t.test(BinaryKind::kEqual, index, ignored)}, ElementType::kBool);
    hot = t.test(BinaryKind::kAnd, hot, counts);
  }
  TensorId weight = t.scalar(1, logarithms);
  if (weights != kNoTensor) {
    Shape along(shape.size(), 1);
    along[1] = shape[1];
    weight = t.reshape(weights, along);
  }
  const TensorId zero = t.scalar(0, logarithms);
  const TensorId chosen =
      reduce(t, ReduceKind::kSum, t.select(hot, t.binary(BinaryKind::kMultiply, logarithms, weight), zero), {1}, false);
  const TensorId loss = t.unary(UnaryKind::kNegate, chosen);
  if (reduction == "none") {
    return loss;
  }
  std::vector<int> all;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    all.push_back(static_cast<int>(i));
  }
  const TensorId sum = reduce(t, ReduceKind::kSum, loss, all, false);
  if (reduction == "sum") {
    return sum;
  }
  std::vector<int> all_of_hot = all;
  all_of_hot.push_back(static_cast<int>(expected.size()));
  return t.binary(BinaryKind::kDivide, sum,
                  reduce(t, ReduceKind::kSum, t.select(hot, weight, zero), all_of_hot, false));
}

}  // namespace

void negative_log_likelihood(Translation& t) {
  t.result(likelihood_loss(t, t.input(0), t.input(1), t.optional_input(2)));
}

void softmax_cross_entropy(Translation& t) {
  Softmax softmax;
  softmax.axis = 1;
  softmax.logarithm = true;
  const TensorId logarithms = t.emit(softmax, {t.input(0)}, t.tensor(t.input(0)).type);
  t.result(likelihood_loss(t, logarithms, t.input(1), t.optional_input(2)), 0);
  t.result(logarithms, 1);
}

}  // namespace systole::graph::onnx_file

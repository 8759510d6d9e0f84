// SPDX-License-Identifier: Apache-2.0
#include "loss.hpp"

#include <numeric>
#include <vector>

namespace systole::training {

using graph::BinaryKind;
using graph::ElementType;
using graph::ReduceKind;

Loss cross_entropy(GraphWriter& w, TensorId scores, TensorId labels) {
  const Shape shape = w.shape(scores);
  const std::int64_t samples = shape.at(0), classes = shape.at(1);
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(classes));
  std::iota(numbers.begin(), numbers.end(), 0);
  const TensorId each = w.constant(make_value(ElementType::kInt32, {1, classes}, numbers));
  const TensorId is_label = w.binary(BinaryKind::kEqual, w.reshape(labels, {samples, 1}), each);
  const TensorId logarithms = w.append(graph::Softmax{-1, 1, true}, {scores});
  const TensorId of_labels = w.masked(is_label, logarithms);
  const TensorId sum = w.reduce(ReduceKind::kSum, of_labels, {0, 1}, false);
  const TensorId answers = w.append(graph::ArgExtreme{true, 1, false, false}, {scores}, ElementType::kInt32);
  const TensorId is_right = w.binary(BinaryKind::kEqual, answers, labels);
  const TensorId ones = w.select(is_right, w.scalar(scores, 1), w.scalar(scores, 0));
  return {w.unary(graph::UnaryKind::kNegate, sum), w.reduce(ReduceKind::kSum, ones, {0}, false)};
}

}  // namespace systole::training

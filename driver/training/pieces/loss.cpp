// SPDX-License-Identifier: Apache-2.0
#include "loss.hpp"

#include <limits>
#include <numeric>
#include <vector>

namespace systole::training {
namespace {

using graph::BinaryKind;
using graph::ElementType;
using graph::ReduceKind;
using graph::UnaryKind;

/// The losses of a batch, and what they share.
class Batch {
 public:
  Batch(GraphBuilder& w, TensorId scores, TensorId labels)
      : w_(w), scores_(scores), labels_(labels), samples_(w.shape(scores).at(0)), outputs_(w.shape(scores).at(1)) {}

  Loss cross_entropy() {
    if (outputs_ == 1) {
      throw graph::GraphError("the cross entropy of one output is 0 whatever it is; use another loss");
    }
    const TensorId is_label = this->is_label();
    const TensorId logarithms = w_.append(graph::Softmax{-1, 1, true}, {scores_});
    const TensorId sum = w_.reduce(ReduceKind::kSum, w_.masked(is_label, logarithms), {0, 1}, false);
    const TensorId ones = ones_of_several();
    return {w_.unary(UnaryKind::kNegate, sum), w_.reduce(ReduceKind::kSum, ones, {0}, false)};
  }

  Loss binary() {
    const TensorId is_label = this->is_label();
    // 1 - sigmoid(score) is the sigmoid of the opposite score.
    const TensorId wrong = w_.select(is_label, w_.unary(UnaryKind::kNegate, scores_), scores_);
    const TensorId sum = mean_over_outputs(w_.unary(UnaryKind::kSoftplus, wrong));
    return {sum, outputs_ == 1 ? count(w_.less(wrong, w_.scalar(scores_, 0))) : right_of_several()};
  }

  Loss mean_square() {
    const TensorId difference = w_.subtract(scores_, target());
    const TensorId sum = mean_over_outputs(w_.multiply(difference, difference));
    constexpr double kHalf = 0.5;
    return {sum, outputs_ == 1 ? count(w_.less(w_.unary(UnaryKind::kAbs, difference), w_.scalar(scores_, kHalf)))
                               : right_of_several()};
  }

 private:
  TensorId integers(const Shape& shape, const std::vector<std::int32_t>& values) {
    return w_.constant(make_value(ElementType::kInt32, shape, values));
  }

  TensorId column() { return w_.reshape(labels_, {samples_, 1}); }

  /// [N,C]: whether the output is the label's. That of one output is 1.
  TensorId is_label() {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(outputs_));
    std::iota(numbers.begin(), numbers.end(), outputs_ == 1 ? 1 : 0);
    const TensorId each = integers({1, outputs_}, numbers);
    return w_.binary(BinaryKind::kEqual, column(), each);
  }

  /// [N,C], what the outputs should be.
  TensorId target() {
    if (outputs_ == 1) {
      return w_.append(graph::Convert{}, {column()}, w_.type(scores_));
    }
    const TensorId is_label = this->is_label();
    const TensorId one = w_.scalar(scores_, 1), zero = w_.scalar(scores_, 0);
    return w_.select(is_label, one, zero);
  }

  /// The same numbers, but 0 for what is no sample. `values` is [N,C].
  TensorId of_samples(TensorId values) {
    const TensorId none = integers({1, 1}, {-1});
    const TensorId is_none = w_.binary(BinaryKind::kEqual, column(), none);
    return w_.select(is_none, w_.scalar(values, 0), values);
  }

  TensorId mean_over_outputs(TensorId losses) {
    const TensorId sum = w_.reduce(ReduceKind::kSum, of_samples(losses), {0, 1}, false);
    return outputs_ == 1 ? sum : w_.scaled(sum, 1 / static_cast<double>(outputs_));
  }

  /// How many of [N,1] are true.
  TensorId count(TensorId is_right) {
    const TensorId one = w_.scalar(scores_, 1), zero = w_.scalar(scores_, 0);
    const TensorId ones = w_.select(is_right, one, zero);
    return w_.reduce(ReduceKind::kSum, of_samples(ones), {0, 1}, false);
  }

  /// [N]: 1 where the greatest score is the label's, else 0.
  TensorId ones_of_several() {
    const TensorId answers = w_.append(graph::ArgExtreme{true, 1, false, false}, {scores_}, ElementType::kInt32);
    const TensorId is_right = w_.binary(BinaryKind::kEqual, answers, labels_);
    return w_.select(is_right, w_.scalar(scores_, 1), w_.scalar(scores_, 0));
  }

  TensorId right_of_several() { return w_.reduce(ReduceKind::kSum, ones_of_several(), {0}, false); }

  GraphBuilder& w_;
  const TensorId scores_, labels_;
  const std::int64_t samples_, outputs_;
};

}  // namespace

std::string name_of(LossKind kind) {
  switch (kind) {
    case LossKind::kBinary: return "binary";
    case LossKind::kMeanSquare: return "mean-square";
    default: return "cross-entropy";
  }
}

Loss loss_of(GraphBuilder& w, LossKind kind, TensorId scores, TensorId labels) {
  Batch batch(w, scores, labels);
  switch (kind) {
    case LossKind::kBinary: return batch.binary();
    case LossKind::kMeanSquare: return batch.mean_square();
    default: return batch.cross_entropy();
  }
}

std::int64_t greatest_label(LossKind kind, std::int64_t outputs) {
  if (outputs > 1) {
    return outputs - 1;
  }
  return kind == LossKind::kMeanSquare ? std::numeric_limits<std::int32_t>::max() : 1;
}

}  // namespace systole::training

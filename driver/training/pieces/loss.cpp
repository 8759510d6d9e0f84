// SPDX-License-Identifier: Apache-2.0
#include "loss.hpp"

#include <fmt/core.h>

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
  Batch(GraphBuilder& w, const Loss& loss, TensorId scores, TensorId targets)
      : w_(w),
        loss_(loss),
        scores_(scores),
        targets_(targets),
        samples_(w.shape(scores).at(0)),
        outputs_(w.shape(scores).at(1)),
        classes_(w.type(targets) == ElementType::kInt32) {}

  LossTerms cross_entropy() {
    if (outputs_ == 1) {
      throw graph::GraphError("the cross entropy of one output is 0 whatever it is; use another loss");
    }
    const TensorId is_class = this->is_one();
    const TensorId logarithms = w_.append(graph::Softmax{-1, 1, true}, {scores_});
    const TensorId weighted =
        smooth() || weighs() ? w_.multiply(shares(is_class), logarithms) : w_.masked(is_class, logarithms);
    const TensorId sum = w_.reduce(ReduceKind::kSum, weighted, {0, 1}, false);
    const TensorId ones = ones_of_right();
    return {w_.unary(UnaryKind::kNegate, sum), w_.reduce(ReduceKind::kSum, ones, {0}, false)};
  }

  LossTerms binary() {
    const TensorId is_one = this->is_one();
    // 1 - sigmoid(score) is the sigmoid of the opposite score.
    const TensorId wrong = w_.select(is_one, w_.unary(UnaryKind::kNegate, scores_), scores_);
    TensorId losses = w_.unary(UnaryKind::kSoftplus, wrong);
    if (smooth()) {  // a share of the opposite label's loss, softplus(-x) = softplus(x) - x
      losses = w_.subtract(losses, w_.scaled(wrong, loss_.label_smoothing / 2));
    }
    if (weighs()) {
      losses = w_.multiply(losses, label_weights(is_one));
    }
    const TensorId sum = mean_over_outputs(losses);
    return {sum, classes_ ? class_metric() : share_of_true(w_.less(wrong, w_.scalar(scores_, 0)))};
  }

  LossTerms mean_square() {
    const TensorId difference = w_.subtract(scores_, target());
    return of_difference(difference, w_.multiply(difference, difference));
  }

  LossTerms huber() {
    const TensorId difference = w_.subtract(scores_, target());
    const TensorId size = w_.unary(UnaryKind::kAbs, difference);
    const TensorId limited = w_.binary(BinaryKind::kMinimum, size, w_.scalar(size, loss_.huber_delta));
    constexpr double kHalf = 0.5;
    return of_difference(difference, w_.multiply(limited, w_.subtract(size, w_.scaled(limited, kHalf))));
  }

 private:
  bool smooth() const { return loss_.label_smoothing > 0; }
  bool weighs() const { return !loss_.class_weights.empty(); }

  TensorId integers(const Shape& shape, const std::vector<std::int32_t>& values) {
    return w_.constant(make_value(ElementType::kInt32, shape, values));
  }

  TensorId column() { return w_.reshape(targets_, {samples_, 1}); }

  /// [N,C]: whether the target of the output is 1.
  TensorId is_one() {
    if (!classes_) {
      constexpr double kHalf = 0.5;
      return w_.less(w_.scalar(targets_, kHalf), targets_);
    }
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(outputs_));
    std::iota(numbers.begin(), numbers.end(), 0);
    const TensorId each = integers({1, outputs_}, numbers);
    return w_.binary(BinaryKind::kEqual, column(), each);
  }

  /// [N,1] or [N,C]: whether it is no sample.
  TensorId is_none() {
    return classes_ ? w_.binary(BinaryKind::kEqual, column(), integers({1, 1}, {-1}))
                    : w_.less(targets_, w_.scalar(targets_, std::numeric_limits<float>::lowest()));
  }

  /// [N,C], what the outputs should be.
  TensorId target() {
    if (!classes_) {
      return targets_;
    }
    const TensorId is_class = this->is_one();
    const TensorId one = w_.scalar(scores_, 1), zero = w_.scalar(scores_, 0);
    return w_.select(is_class, one, zero);
  }

  /// The same numbers, but 0 for what is no sample. `values` is [N,C].
  TensorId of_samples(TensorId values) {
    const TensorId none = is_none();
    return w_.select(none, w_.scalar(values, 0), values);
  }

  TensorId mean_over_outputs(TensorId losses) {
    const TensorId sum = w_.reduce(ReduceKind::kSum, of_samples(losses), {0, 1}, false);
    return outputs_ == 1 ? sum : w_.scaled(sum, 1 / static_cast<double>(outputs_));
  }

  /// Mean over the outputs of what is true of [N,C].
  TensorId share_of_true(TensorId is_true) {
    const TensorId one = w_.scalar(scores_, 1), zero = w_.scalar(scores_, 0);
    return mean_over_outputs(w_.select(is_true, one, zero));
  }

  LossTerms of_difference(TensorId difference, TensorId losses) {
    const TensorId sum = mean_over_outputs(losses);
    return {sum, classes_ ? class_metric() : mean_over_outputs(w_.unary(UnaryKind::kAbs, difference))};
  }

  /// [N]: 1 where the greatest score is the class's, else 0.
  TensorId ones_of_right() {
    const TensorId answers = w_.append(graph::ArgExtreme{true, 1, false, false}, {scores_}, ElementType::kInt32);
    const TensorId is_right = w_.binary(BinaryKind::kEqual, answers, targets_);
    return w_.select(is_right, w_.scalar(scores_, 1), w_.scalar(scores_, 0));
  }

  TensorId class_metric() { return w_.reduce(ReduceKind::kSum, ones_of_right(), {0}, false); }

  void check_weights(std::size_t wanted, const char* of) const {
    if (loss_.class_weights.size() != wanted) {
      throw graph::GraphError(fmt::format("class weights: {} are given; there are {} {}, and one weight for each",
                                          loss_.class_weights.size(), wanted, of));
    }
  }

  /// [N,C]: the weights of the logarithms.
  TensorId shares(TensorId is_class) {
    const auto outputs = static_cast<std::size_t>(outputs_);
    std::vector<double> weights = loss_.class_weights;
    if (weighs()) {
      check_weights(outputs, "classes");
    } else {
      weights.assign(outputs, 1);
    }
    const double other = loss_.label_smoothing / static_cast<double>(outputs_);
    std::vector<double> ones, others;
    for (const double weight : weights) {
      ones.push_back(weight * (1 - loss_.label_smoothing + other));
      others.push_back(weight * other);
    }
    const TensorId one = w_.numbers(scores_, {1, outputs_}, ones);
    if (!smooth()) {
      return w_.masked(is_class, one);
    }
    return of_samples(w_.select(is_class, one, w_.numbers(scores_, {1, outputs_}, others)));
  }

  /// Of 0 and 1 of one output, and of the samples' classes, [N,1]; of several labels, [1,C].
  TensorId label_weights(TensorId is_one) {
    if (outputs_ > 1) {
      check_weights(static_cast<std::size_t>(outputs_), classes_ ? "classes" : "outputs");
      const TensorId each = w_.numbers(scores_, {1, outputs_}, loss_.class_weights);
      return classes_ ? w_.reduce(ReduceKind::kSum, w_.masked(is_one, each), {1}) : each;
    }
    check_weights(2, "classes, 0 and 1");
    return w_.select(is_one, w_.scalar(scores_, loss_.class_weights[1]), w_.scalar(scores_, loss_.class_weights[0]));
  }

  GraphBuilder& w_;
  const Loss& loss_;
  const TensorId scores_, targets_;
  const std::int64_t samples_, outputs_;
  const bool classes_;
};

}  // namespace

std::string name_of(LossKind kind) {
  switch (kind) {
    case LossKind::kBinary: return "binary";
    case LossKind::kMeanSquare: return "mean-square";
    case LossKind::kHuber: return "huber";
    default: return "cross-entropy";
  }
}

LossTerms loss_of(GraphBuilder& w, const Loss& loss, TensorId scores, TensorId targets) {
  Batch batch(w, loss, scores, targets);
  switch (loss.kind) {
    case LossKind::kBinary: return batch.binary();
    case LossKind::kMeanSquare: return batch.mean_square();
    case LossKind::kHuber: return batch.huber();
    default: return batch.cross_entropy();
  }
}

}  // namespace systole::training

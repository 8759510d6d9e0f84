// SPDX-License-Identifier: Apache-2.0
// Normalizations, composed of reductions and arithmetic; a batch normalization is a factor and a summand per channel.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "onnx_operators.hpp"

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

/// x minus its mean over the axes, and 1 / sqrt(variance + epsilon).
Centered center(Translation& t, TensorId x, const std::vector<int>& axes, double epsilon) {
  const TensorId mean = reduce(t, ReduceKind::kMean, x, axes, true);
  const TensorId centered = t.binary(BinaryKind::kSubtract, x, mean);
  const TensorId variance =
      reduce(t, ReduceKind::kMean, t.binary(BinaryKind::kMultiply, centered, centered), axes, true);
  const TensorId deviation = t.unary(UnaryKind::kSqrt, t.binary(BinaryKind::kAdd, variance, t.scalar(epsilon, x)));
  return {centered, mean, t.unary(UnaryKind::kReciprocal, deviation)};
}

/// Fails unless there is a value per channel of `x`, which is N,C,...
void check_per_channel(const Translation& t, TensorId id, TensorId x) {
  const Shape& image = t.shape(x);
  if (image.size() < 2 || t.shape(id).size() != 1 || t.shape(id)[0] != image[1]) {
    t.fail(
        fmt::format("'{}' has shape {}, its input '{}' has shape {}; expected one value per channel, "
                    "axis 1 of N,C,...",
                    t.tensor(id).name, to_string(t.shape(id)), t.tensor(x).name, to_string(image)));
  }
}

/// A value per channel, shaped to broadcast against `x`.
TensorId per_channel(Translation& t, TensorId id, TensorId x) {
  check_per_channel(t, id, x);
  Shape shape(t.shape(x).size() - 1, 1);
  shape[0] = t.shape(id)[0];
  return t.reshape(id, shape);
}

}  // namespace

namespace {

/// Training mode: uses the batch's own mean and variance, and updates the running ones.
void normalization_by_batch(Translation& t) {
  const TensorId x = t.input(0);
  const std::size_t rank = t.shape(x).size();
  std::vector<int> axes = axes_from(0, rank);
  if (rank < 2) {
    t.fail(fmt::format("input has shape {}; expected N,C,...", to_string(t.shape(x))));
  }
  axes.erase(axes.begin() + 1);
  const Centered c = center(t, x, axes, double{t.real("epsilon", 1e-5F)});
  const TensorId scaled =
      t.binary(BinaryKind::kMultiply, t.binary(BinaryKind::kMultiply, c.values, c.inverse_deviation),
               per_channel(t, t.input(1), x));
  t.result(t.binary(BinaryKind::kAdd, scaled, per_channel(t, t.input(2), x)), 0);
  const double momentum = double{t.real("momentum", 0.9F)};
  const auto moved_on = [&](std::size_t given, TensorId of_batch) {
    const TensorId before = t.binary(BinaryKind::kMultiply, t.input(given), t.scalar(momentum, t.input(given)));
    const TensorId now = t.reshape(of_batch, t.shape(t.input(given)));
    return t.binary(BinaryKind::kAdd, before, t.binary(BinaryKind::kMultiply, now, t.scalar(1 - momentum, now)));
  };
  t.result(moved_on(3, c.mean), 1);
  t.result(moved_on(4, reduce(t, ReduceKind::kMean, t.binary(BinaryKind::kMultiply, c.values, c.values), axes, true)),
           2);
}

/// For a training: one operator, which has the channels in the last axis.
void normalization_to_train(Translation& t) {
  if (t.wants_output(1) || t.wants_output(2)) {
    t.refuse(OnnxRefusal::kTraining,
             "gives its running statistics to other operators, but a training keeps them itself; leave them out");
  }
  const TensorId x = t.plain(t.input(0));
  std::vector<TensorId> operands = {x};
  for (std::size_t i = 1; i < 5; ++i) {
    t.bind(t.input(i));
    check_per_channel(t, t.input(i), x);
    operands.push_back(t.plain(t.input(i)));
    if (!t.is_constant(operands.back())) {
      t.refuse(OnnxRefusal::kTraining, fmt::format("takes '{}', which is computed; a training takes scale, bias and "
                                                   "running statistics that are constants of the file",
                                                   t.tensor(operands.back()).name));
    }
  }
  const std::size_t rank = t.shape(x).size();
  std::vector<int> last = axes_from(1, rank), second = axes_from(0, rank - 1);
  last.insert(last.begin(), 0);
  std::rotate(last.begin() + 1, last.begin() + 2, last.end());
  second.insert(second.begin() + 1, static_cast<int>(rank) - 1);
  operands[0] = t.transpose(x, last);
  const BatchNormalize kind{t.real("epsilon", 1e-5F), t.real("momentum", 0.9F)};
  t.result(t.transpose(t.emit(kind, operands, t.tensor(x).type), second));
}

}  // namespace

void batch_normalization(Translation& t) {
  if (t.trains()) {
    normalization_to_train(t);
    return;
  }
  if (t.integer("training_mode", 0) != 0) {
    normalization_by_batch(t);
    return;
  }
  if ((t.opset() < 7 && t.integer("is_test", 0) == 0) || t.wants_output(1)) {
    t.refuse(OnnxRefusal::kTraining, "is in training mode; export the model for inference");
  }
  const TensorId x = t.input(0);
  const auto channels = [&](std::size_t i) {
    t.bind(t.input(i));
    return per_channel(t, t.input(i), x);
  };
  const TensorId scale = channels(1);
  const TensorId bias = channels(2);
  const TensorId mean = channels(3);
  const TensorId variance = channels(4);
  const TensorId epsilon = t.scalar(double{t.real("epsilon", 1e-5F)}, variance);
  const TensorId deviation = t.unary(UnaryKind::kSqrt, t.binary(BinaryKind::kAdd, variance, epsilon));
  const TensorId factor = t.binary(BinaryKind::kDivide, scale, deviation);
  const TensorId summand = t.binary(BinaryKind::kSubtract, bias, t.binary(BinaryKind::kMultiply, mean, factor));
  t.result(t.binary(BinaryKind::kAdd, t.binary(BinaryKind::kMultiply, x, factor), summand));
}

void instance_normalization(Translation& t) {
  const TensorId x = t.input(0);
  const std::size_t rank = t.shape(x).size();
  const Centered c = center(t, x, axes_from(2, rank), double{t.real("epsilon", 1e-5F)});
  const TensorId scaled =
      t.binary(BinaryKind::kMultiply, t.binary(BinaryKind::kMultiply, c.values, c.inverse_deviation),
               per_channel(t, t.input(1), x));
  t.result(t.binary(BinaryKind::kAdd, scaled, per_channel(t, t.input(2), x)));
}

namespace {

/// Factors and summands may have fewer dimensions than x and sizes of 1, but no others.
void check_shape(const Translation& t, TensorId result, TensorId x) {
  if (t.shape(result) != t.shape(x)) {
    t.fail(
        fmt::format("scale or bias makes an input of shape {} one of {}; expected shapes that broadcast to the input's",
                    to_string(t.shape(x)), to_string(t.shape(result))));
  }
}

/// Whether there is a value of float32 for each element of the last axis of x.
bool is_per_element(const Translation& t, TensorId id, TensorId x) {
  return t.tensor(id).type == ElementType::kFloat32 && t.shape(id) == Shape{t.shape(x).back()};
}

TensorId with_parameters(Translation& t, const Centered& c, TensorId factors, TensorId summands) {
  const TensorId y =
      t.binary(BinaryKind::kMultiply, t.binary(BinaryKind::kMultiply, c.values, c.inverse_deviation), factors);
  const TensorId result = summands == kNoTensor ? y : t.binary(BinaryKind::kAdd, y, summands);
  check_shape(t, result, c.values);
  return result;
}

}  // namespace

TensorId layer_normalized(Translation& t, TensorId x, TensorId factors, TensorId summands, float epsilon) {
  const std::size_t rank = t.shape(x).size();
  const bool one_operator = t.tensor(x).type == ElementType::kFloat32 && rank > 0 && is_per_element(t, factors, x) &&
                            (summands == kNoTensor || is_per_element(t, summands, x));
  if (!one_operator) {
    return with_parameters(t, center(t, x, axes_from(rank - 1, rank), double{epsilon}), factors, summands);
  }
  if (summands == kNoTensor) {
    const std::vector<double> zeros(static_cast<std::size_t>(t.shape(x).back()));
    summands = t.numbers(ElementType::kFloat32, {t.shape(x).back()}, zeros);
  }
  return t.emit(LayerNormalize{epsilon}, {x, factors, summands}, ElementType::kFloat32);
}

void layer_normalization(Translation& t) {
  const TensorId x = t.input(0);
  const std::size_t rank = t.shape(x).size();
  const std::size_t axis = t.axis(t.integer("axis", -1), rank);
  const float epsilon = t.real("epsilon", 1e-5F);
  if (axis + 1 == rank && !t.wants_output(1) && !t.wants_output(2)) {
    t.result(layer_normalized(t, x, t.input(1), t.optional_input(2), epsilon));
    return;
  }
  const Centered c = center(t, x, axes_from(axis, rank), double{epsilon});
  t.result(with_parameters(t, c, t.input(1), t.optional_input(2)));
  t.result(c.mean, 1);
  t.result(c.inverse_deviation, 2);
}

/// Group normalization: each group of channels by its own mean and deviation; a factor and summand per channel, before
/// operator set 21 per group.
void group_normalization(Translation& t) {
  const TensorId x = t.input(0);
  const Shape shape = t.shape(x);
  const std::int64_t groups = t.needed_integer("num_groups");
  if (shape.size() < 2 || groups < 1 || shape[1] % groups != 0) {
    t.fail(
        fmt::format("num_groups {} for an input of shape {}; it must divide the number of channels, axis 1 of N,C,...",
                    groups, to_string(shape)));
  }
  const std::int64_t of_group = shape[1] / groups;
  const TensorId grouped = t.reshape(x, {shape[0], groups, count(shape) / (shape[0] * groups)});
  const Centered c = center(t, grouped, {2}, double{t.real("epsilon", 1e-5F)});
  const TensorId normalized = t.reshape(t.binary(BinaryKind::kMultiply, c.values, c.inverse_deviation), shape);
  const auto of_channels = [&](std::size_t i) {
    if (t.opset() >= 21) {
      return per_channel(t, t.input(i), x);
    }
    if (t.shape(t.input(i)) != Shape{groups}) {
      t.fail(fmt::format("'{}' has shape {}; expected one value for each of {} groups", t.tensor(t.input(i)).name,
                         to_string(t.shape(t.input(i))), groups));
    }
    return per_channel(t, t.reshape(expand(t, t.reshape(t.input(i), {groups, 1}), {groups, of_group}), {shape[1]}), x);
  };
  const TensorId scale = of_channels(1);
  t.result(t.binary(BinaryKind::kAdd, t.binary(BinaryKind::kMultiply, normalized, scale), of_channels(2)));
}

TensorId root_mean_square_normalized(Translation& t, TensorId x, TensorId factors, std::int64_t axis, float epsilon) {
  const std::size_t rank = t.shape(x).size();
  const std::vector<int> axes = axes_from(t.axis(axis, rank), rank);
  const TensorId mean = reduce(t, ReduceKind::kMean, t.binary(BinaryKind::kMultiply, x, x), axes, true);
  const TensorId root = t.unary(UnaryKind::kSqrt, t.binary(BinaryKind::kAdd, mean, t.scalar(double{epsilon}, x)));
  const TensorId result = t.binary(BinaryKind::kMultiply, t.binary(BinaryKind::kDivide, x, root), factors);
  check_shape(t, result, x);
  return result;
}

void root_mean_square_normalization(Translation& t) {
  t.result(root_mean_square_normalized(t, t.input(0), t.input(1), t.integer("axis", -1), t.real("epsilon", 1e-5F)));
}

namespace {

/// The sums of up to `size` channels around each, in which channels outside of it have no part: a factor of 0 would
/// turn an infinity there into NaN.
TensorId sums_of_neighbours(Translation& t, TensorId x, std::int64_t size) {
  const Shape shape = t.shape(x);
  const std::int64_t before = std::min((size - 1) / 2, shape[1] - 1);
  const std::int64_t after = std::min(size / 2, shape[1] - 1);
  Pad pad{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 0)};
  pad.before[1] = before;
  pad.after[1] = after;
  const TensorId padded = before + after > 0 ? t.move(pad, x) : x;
  TensorId sums = x;
  for (std::int64_t tap = 0; tap <= before + after; ++tap) {
    if (tap != before) {
      Slice slice{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 1)};
      slice.begin[1] = tap;
      sums = t.binary(BinaryKind::kAdd, sums, t.move(slice, padded, shape));
    }
  }
  return sums;
}

}  // namespace

namespace {

/// The same along axis 1, which becomes the last one.
TensorId local_response(Translation& t, const LocalResponse& response, TensorId x) {
  std::vector<int> last = axes_from(1, t.shape(x).size()), back = axes_from(0, t.shape(x).size());
  std::rotate(last.begin(), last.begin() + 1, last.end());
  last.insert(last.begin(), 0);
  std::rotate(back.begin() + 1, back.end() - 1, back.end());
  const TensorId turned = last.size() == 2 ? x : t.transpose(x, last);
  const TensorId result = t.emit(response, {turned}, ElementType::kFloat32);
  return last.size() == 2 ? result : t.transpose(result, back);
}

}  // namespace

/// Divides each element by a power of the mean square of its neighbouring channels.
void local_response_normalization(Translation& t) {
  const TensorId x = t.input(0);
  const Shape shape = t.shape(x);
  const std::int64_t size = t.needed_integer("size");
  constexpr std::int64_t kMaxSize = 1024, kMostInKernel = 8;
  if (shape.size() < 2 || size < 1) {
    t.fail(fmt::format("size {} for an input of shape {}; expected N,C,... and a size of at least 1", size,
                       to_string(shape)));
  }
  if (size > kMaxSize) {
    t.refuse(OnnxRefusal::kTooLarge, fmt::format("size {}; at most {} is supported", size, kMaxSize));
  }
  const double factor = double{t.real("alpha", 1e-4F)} / static_cast<double>(size);
  const float bias = t.real("bias", 1.0F), beta = t.real("beta", 0.75F);
  if (t.tensor(x).type == ElementType::kFloat32 && size <= kMostInKernel) {
    const auto most = [&](std::int64_t neighbours) { return static_cast<int>(std::min(neighbours, shape[1] - 1)); };
    t.result(local_response(t, {most((size - 1) / 2), most(size / 2), static_cast<float>(factor), bias, beta}, x));
    return;
  }
  const TensorId sums = sums_of_neighbours(t, t.binary(BinaryKind::kMultiply, x, x), size);
  const TensorId base =
      t.binary(BinaryKind::kAdd, t.binary(BinaryKind::kMultiply, sums, t.scalar(factor, x)), t.scalar(double{bias}, x));
  t.result(t.binary(BinaryKind::kDivide, x, t.binary(BinaryKind::kPower, base, t.scalar(double{beta}, x))));
}

/// Rows divided by their norm; 0 where the norm is 0.
void lp_normalization(Translation& t) {
  const TensorId x = t.input(0);
  const int axis = static_cast<int>(t.axis(t.integer("axis", -1), t.shape(x).size()));
  const std::int64_t p = t.integer("p", 2);
  if (p != 1 && p != 2) {
    t.fail(fmt::format("p is {}; expected 1 or 2", p));
  }
  const TensorId powers = p == 1 ? t.unary(UnaryKind::kAbs, x) : t.binary(BinaryKind::kMultiply, x, x);
  const TensorId sum = reduce(t, ReduceKind::kSum, powers, {axis}, true);
  const TensorId norm = p == 1 ? sum : t.unary(UnaryKind::kSqrt, sum);
  const TensorId is_zero = t.test(BinaryKind::kEqual, norm, t.scalar(0, norm));
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  t.result(t.binary(BinaryKind::kDivide, x, t.select(is_zero, t.scalar(kInfinite, norm), norm)));
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

// SPDX-License-Identifier: Apache-2.0
// Normalizations, composed of reductions and arithmetic; a batch normalization is a factor and a summand per channel.
#include <fmt/core.h>

#include <algorithm>

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

/// A value per channel, shaped to broadcast against `x`, which is N,C,...
TensorId per_channel(Translation& t, TensorId id, TensorId x) {
  const Shape& image = t.shape(x);
  if (image.size() < 2 || t.shape(id).size() != 1 || t.shape(id)[0] != image[1]) {
    t.fail(
        fmt::format("'{}' has shape {}, its input '{}' has shape {}; expected one value per channel, "
                    "axis 1 of N,C,...",
                    t.tensor(id).name, to_string(t.shape(id)), t.tensor(x).name, to_string(image)));
  }
  Shape shape(image.size() - 1, 1);
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

}  // namespace

void batch_normalization(Translation& t) {
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

/// Of float32 along the last axis, values per channel; the mean and the deviation are no results.
bool is_plain(const Translation& t, std::size_t axis) {
  const Shape& shape = t.shape(t.input(0));
  const auto is_float = [&](std::size_t i) { return t.tensor(t.input(i)).type == ElementType::kFloat32; };
  const auto per_channel = [&](std::size_t i) { return is_float(i) && t.shape(t.input(i)) == Shape{shape.back()}; };
  return axis + 1 == shape.size() && is_float(0) && per_channel(1) && (!t.has_input(2) || per_channel(2)) &&
         !t.wants_output(1) && !t.wants_output(2);
}

}  // namespace

void layer_normalization(Translation& t) {
  const TensorId x = t.input(0);
  const std::size_t rank = t.shape(x).size();
  const std::size_t axis = t.axis(t.integer("axis", -1), rank);
  const float epsilon = t.real("epsilon", 1e-5F);
  if (is_plain(t, axis)) {
    const std::vector<double> zeros(static_cast<std::size_t>(t.shape(x).back()));
    const TensorId summands =
        t.has_input(2) ? t.input(2) : t.numbers(ElementType::kFloat32, {t.shape(x).back()}, zeros);
    t.result(t.emit(LayerNormalize{epsilon}, {x, t.input(1), summands}, ElementType::kFloat32));
    return;
  }
  const Centered c = center(t, x, axes_from(axis, rank), double{epsilon});
  TensorId y =
      t.binary(BinaryKind::kMultiply, t.binary(BinaryKind::kMultiply, c.values, c.inverse_deviation), t.input(1));
  if (t.has_input(2)) {
    y = t.binary(BinaryKind::kAdd, y, t.input(2));
  }
  t.result(y);
  t.result(c.mean, 1);
  t.result(c.inverse_deviation, 2);
}

namespace {

/// 16-bit floats are normalized as float32, unless the node says otherwise.
TensorId stashed(Translation& t, TensorId x) {
  const ElementType type = t.tensor(x).type;
  const bool small = type == ElementType::kFloat16 || type == ElementType::kBfloat16;
  return small && t.integer("stash_type", 1) == 1 ? cast(t, x, ElementType::kFloat32) : x;
}

}  // namespace

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
  const TensorId grouped = t.reshape(stashed(t, x), {shape[0], groups, count(shape) / (shape[0] * groups)});
  const Centered c = center(t, grouped, {2}, double{t.real("epsilon", 1e-5F)});
  const TensorId normalized =
      cast(t, t.reshape(t.binary(BinaryKind::kMultiply, c.values, c.inverse_deviation), shape), t.tensor(x).type);
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

/// x divided by the root mean square over the axes starting at `axis`.
void root_mean_square_normalization(Translation& t) {
  const TensorId input = t.input(0);
  const TensorId x = stashed(t, input);
  const std::size_t rank = t.shape(x).size();
  const std::vector<int> axes = axes_from(t.axis(t.integer("axis", -1), rank), rank);
  const TensorId mean = reduce(t, ReduceKind::kMean, t.binary(BinaryKind::kMultiply, x, x), axes, true);
  const TensorId root =
      t.unary(UnaryKind::kSqrt, t.binary(BinaryKind::kAdd, mean, t.scalar(double{t.real("epsilon", 1e-5F)}, x)));
  const TensorId normalized = cast(t, t.binary(BinaryKind::kDivide, x, root), t.tensor(input).type);
  t.result(t.binary(BinaryKind::kMultiply, normalized, t.input(1)));
}

/// Divides each element by a power of the mean square of its neighbouring channels, computed as a product with a band
/// matrix of ones.
void local_response_normalization(Translation& t) {
  const TensorId x = t.input(0);
  const Shape shape = t.shape(x);
  const std::int64_t size = t.needed_integer("size");
  constexpr std::int64_t kMostChannels = 4096;
  if (shape.size() < 2 || shape[1] > kMostChannels || size < 1) {
    t.fail(fmt::format(
        "size {} for an input of shape {}; expected N,C,... with at most {} channels, and a size of at least 1", size,
        to_string(shape), kMostChannels));
  }
  const std::int64_t channels = shape[1];
  std::vector<double> band(static_cast<std::size_t>(channels * channels));
  for (std::int64_t to = 0; to < channels; ++to) {
    for (std::int64_t from = std::max<std::int64_t>(0, to - (size - 1) / 2); from < channels && from - to <= size / 2;
         ++from) {
      band[static_cast<std::size_t>(to * channels + from)] = 1;
    }
  }
  std::vector<int> last = axes_from(0, shape.size());
  last.erase(last.begin() + 1);
  last.push_back(1);
  std::vector<int> second = axes_from(0, shape.size() - 1);
  second.insert(second.begin() + 1, static_cast<int>(shape.size()) - 1);
  const TensorId squares = t.transpose(t.binary(BinaryKind::kMultiply, x, x), last);
  const ElementType type = t.tensor(x).type;
  const TensorId sums =
      t.transpose(t.emit(Dense{}, {squares, t.numbers(type, {channels, channels}, band)}, type), second);
  const double factor = double{t.real("alpha", 1e-4F)} / static_cast<double>(size);
  const TensorId base = t.binary(BinaryKind::kAdd, t.binary(BinaryKind::kMultiply, sums, t.scalar(factor, x)),
                                 t.scalar(double{t.real("bias", 1.0F)}, x));
  t.result(
      t.binary(BinaryKind::kDivide, x, t.binary(BinaryKind::kPower, base, t.scalar(double{t.real("beta", 0.75F)}, x))));
}

/// Rows divided by their norm.
void lp_normalization(Translation& t) {
  const TensorId x = t.input(0);
  const int axis = static_cast<int>(t.axis(t.integer("axis", -1), t.shape(x).size()));
  const std::int64_t p = t.integer("p", 2);
  if (p != 1 && p != 2) {
    t.fail(fmt::format("p is {}; expected 1 or 2", p));
  }
  const TensorId powers = p == 1 ? t.unary(UnaryKind::kAbs, x) : t.binary(BinaryKind::kMultiply, x, x);
  const TensorId sum = reduce(t, ReduceKind::kSum, powers, {axis}, true);
  t.result(t.binary(BinaryKind::kDivide, x, p == 1 ? sum : t.unary(UnaryKind::kSqrt, sum)));
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

// SPDX-License-Identifier: Apache-2.0
#include "network_writer.hpp"

#include <cmath>

namespace systole::training {

TensorId NetworkWriter::parameter(const std::string& name, const graph::Value& value) {
  const TensorId id = input(name, value.type, value.shape);
  network_.parameters.push_back({{name, value}, id});
  return id;
}

TensorId NetworkWriter::drawn(const std::string& name, const Shape& shape, double bound) {
  std::vector<float> values(static_cast<std::size_t>(graph::count(shape)));
  for (float& value : values) {
    const double fraction = std::ldexp(static_cast<double>(random_() >> 11), -53);
    value = static_cast<float>(bound * (2 * fraction - 1));
  }
  return parameter(name, make_value(ElementType::kFloat32, shape, values));
}

TensorId NetworkWriter::filled(const std::string& name, const Shape& shape, float value) {
  const std::vector<float> values(static_cast<std::size_t>(graph::count(shape)), value);
  return parameter(name, make_value(ElementType::kFloat32, shape, values));
}

TensorId NetworkWriter::weights(const std::string& name, const Shape& shape, Initial initial, std::int64_t outputs) {
  const std::int64_t inputs = graph::count(shape) / shape[0];
  const std::int64_t fan = initial == Initial::kHe ? inputs : inputs + outputs;
  return drawn(name, shape, std::sqrt(6.0 / static_cast<double>(fan)));
}

TensorId NetworkWriter::convolution(const std::string& name, TensorId x, std::int64_t outputs, int kernel, int stride,
                                    Initial initial) {
  const Shape filter = {outputs, kernel, kernel, shape(x)[3]};
  const TensorId w = weights(name + ".weight", filter, initial, outputs * kernel * kernel);
  const TensorId bias = filled(name + ".bias", {outputs}, 0);
  return append(graph::Conv2d{{kernel, kernel, stride, stride}, 1, Activation::kNone}, {x, w, bias});
}

TensorId NetworkWriter::dense(const std::string& name, TensorId x, std::int64_t outputs, Initial initial) {
  const TensorId w = weights(name + ".weight", {outputs, shape(x).back()}, initial, outputs);
  return append(graph::Dense{}, {x, w, filled(name + ".bias", {outputs}, 0)});
}

TensorId NetworkWriter::layer_normalization(const std::string& name, TensorId x) {
  const Shape channels = {shape(x).back()};
  const TensorId factor = filled(name + ".weight", channels, 1);
  return append(graph::LayerNormalize{}, {x, factor, filled(name + ".bias", channels, 0)});
}

TensorId NetworkWriter::running(const std::string& name, float first, TensorId now, bool training) {
  constexpr double kMomentum = 0.9;
  const Shape channels = {shape(now).back()};
  const TensorId before = filled(name, channels, first);
  if (!training) {
    return before;
  }
  network_.parameters.back().next = add(scaled(before, kMomentum), scaled(reshape(now, channels), 1 - kMomentum));
  return now;
}

TensorId NetworkWriter::batch_normalization(const std::string& name, TensorId x, bool training) {
  constexpr double kEpsilon = 1e-5;
  const Shape channels = {shape(x).back()};
  std::vector<int> axes = graph::all_axes(shape(x).size() - 1);
  const TensorId factor = filled(name + ".weight", channels, 1);
  const TensorId summand = filled(name + ".bias", channels, 0);
  const auto mean_of = [&](TensorId values) { return reduce(graph::ReduceKind::kMean, values, axes); };
  const TensorId mean = running(name + ".mean", 0, mean_of(x), training);
  const TensorId centered = subtract(x, mean);
  const TensorId variance = running(name + ".variance", 1, mean_of(multiply(centered, centered)), training);
  const TensorId deviation = unary(graph::UnaryKind::kSqrt, plus(variance, kEpsilon));
  return add(multiply(divide(centered, deviation), factor), summand);
}

TensorId NetworkWriter::dropped(TensorId x, double rate) {
  if (rate > 0 && network_.random.seed == graph::kNoTensor) {
    const auto number = [&](const char* name) { return input(name, ElementType::kUint32, {}); };
    network_.random = {number("seed"), number("step"), micro_batch_ ? number("first_sample") : graph::kNoTensor};
  }
  return dropout(*this, x, rate, dropouts_++, network_.random);
}

TensorId NetworkWriter::max_pool(TensorId x, int size) {
  return append(graph::Pool{graph::PoolKind::kMax, {size, size, size, size}, false, Activation::kNone}, {x});
}

}  // namespace systole::training

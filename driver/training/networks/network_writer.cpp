// SPDX-License-Identifier: Apache-2.0
#include "network_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
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

void NetworkWriter::move(TensorId statistic, TensorId now, double momentum) {
  const auto parameter = std::find_if(network_.parameters.begin(), network_.parameters.end(),
                                      [&](const Parameter& one) { return one.input == statistic; });
  if (parameter == network_.parameters.end()) {
    throw graph::GraphError(
        fmt::format("'{}': is the running statistic of a batch normalization, but {}; a training takes a constant of "
                    "float32",
                    tensor(statistic).name, tensor(statistic).constant ? name_of(type(statistic)) : "computed"));
  }
  if (parameter->next != graph::kNoTensor) {
    throw graph::GraphError(fmt::format(
        "'{}': the running statistic of two batch normalizations, which would move it twice in a step; give "
        "each its own, or freeze it",
        parameter->variable.name));
  }
  parameter->next = add(scaled(statistic, momentum), scaled(now, 1 - momentum));
}

TensorId NetworkWriter::batch_normalization(const std::string& name, TensorId x, bool by_batch) {
  const Shape channels = {shape(x).back()};
  const TensorId scale = filled(name + ".weight", channels, 1), bias = filled(name + ".bias", channels, 0);
  const TensorId mean = filled(name + ".mean", channels, 0), variance = filled(name + ".variance", channels, 1);
  return batch_normalization(BatchNormalization{scale, bias, mean, variance}, x, by_batch);
}

TensorId NetworkWriter::batch_normalization(const BatchNormalization& norm, TensorId x, bool by_batch) {
  const auto deviation = [&](TensorId variance) {
    return unary(graph::UnaryKind::kSqrt, plus(variance, norm.epsilon));
  };
  if (!by_batch) {
    const TensorId factor = divide(norm.scale, deviation(norm.variance));
    return add(multiply(x, factor), subtract(norm.bias, multiply(norm.mean, factor)));
  }
  const Shape channels = {shape(x).back()};
  const std::vector<int> axes = graph::all_axes(shape(x).size() - 1);
  const auto values = static_cast<double>(graph::count(shape(x)) / channels[0]);
  if (values == 1) {
    throw graph::GraphError(
        fmt::format("'{}': a batch has one value for each channel, so that its deviation is 0; take a --batch of 2 or "
                    "more for each of the --micro-batches, or freeze the running statistics",
                    tensor(norm.mean).name));
  }
  const auto mean_of = [&](TensorId each) { return reduce(graph::ReduceKind::kMean, each, axes); };
  const TensorId mean = mean_of(x), centered = subtract(x, mean), variance = mean_of(multiply(centered, centered));
  move(norm.mean, reshape(mean, channels), norm.momentum);
  move(norm.variance, scaled(reshape(variance, channels), values / (values - 1)), norm.momentum);
  return add(multiply(divide(centered, deviation(variance)), norm.scale), norm.bias);
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

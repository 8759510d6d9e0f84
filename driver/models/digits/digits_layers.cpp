// SPDX-License-Identifier: Apache-2.0
#include "digits_layers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "convolution.hpp"
#include "matmul.hpp"
#include "pooling.hpp"
#include "systole/errors.hpp"

namespace systole::digits {
namespace {

std::size_t size_of(const std::array<int, 3>& shape) {
  return static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(shape[2]);
}

Window sliding_of(const Layer& layer) {
  return {layer.kernel[0],  layer.kernel[1],  layer.stride[0],  layer.stride[1], 1, 1,
          layer.padding[0], layer.padding[1], layer.padding[2], layer.padding[3]};
}

Window window_of(const Layer& layer) {
  return {layer.kernel[0],  layer.kernel[1],  layer.stride[0],  layer.stride[1], 1, 1,
          layer.padding[0], layer.padding[1], layer.padding[2], layer.padding[3]};
}

golden::Tensor8 to_golden(const HostTensor8& t) {
  return {golden::NhwcShape{t.batch, t.height, t.width, t.channels}, t.data};
}

HostTensor8 from_golden(golden::Tensor8 t) {
  return {t.shape.batch, t.shape.height, t.shape.width, t.shape.channels, std::move(t.data)};
}

}  // namespace

HostTensor8 shaped(HostTensor8 tensor, const std::array<int, 3>& shape) {
  if (tensor.data.size() != size_of(shape) * static_cast<std::size_t>(tensor.batch)) {
    throw InvalidArgument(fmt::format("{} values for {} pictures of {}x{}x{}", tensor.data.size(), tensor.batch,
                                      shape[0], shape[1], shape[2]));
  }
  tensor.height = shape[0];
  tensor.width = shape[1];
  tensor.channels = shape[2];
  return tensor;
}

HostTensor8 as_input(const Network& network, const Pictures& pictures, std::size_t first, std::size_t count) {
  const auto [height, width, channels] = network.input_shape;
  if (pictures.height != height || pictures.width != width || channels != 1) {
    throw InvalidArgument(fmt::format("pictures of {}x{}, the network takes {}x{}x{}", pictures.height, pictures.width,
                                      height, width, channels));
  }
  HostTensor8 input{static_cast<int>(count), height, width, channels, {}};
  input.data.reserve(count * size_of(network.input_shape));
  for (std::size_t i = first; i < first + count; ++i) {
    for (const std::uint8_t pixel : pictures.pixels.at(i)) {
      input.data.push_back(static_cast<std::int8_t>(pixel + network.input_zero_point));
    }
  }
  return input;
}

Computed<std::int8_t> offload(Device& device, const Layer& layer, const HostTensor8& input, const RunOptions& options) {
  const Requantize requantize{layer.scale, layer.output_zero_point, static_cast<std::int8_t>(layer.clamp_min),
                              static_cast<std::int8_t>(layer.clamp_max), Rounding::kDouble};
  switch (layer.kind) {
    case LayerKind::kConv:
      return conv2d(device, input, layer.weights, layer.output_shape[2], layer.bias,
                    {sliding_of(layer), 1, layer.input_zero_point}, requantize, options);
    case LayerKind::kMaxPool:
      return max_pool(device, input, sliding_of(layer), requantize.clamp_min, requantize.clamp_max, options);
    case LayerKind::kDense: {
      auto computed = dense(device, input.data, layer.weights, input.batch, layer.input_shape[2], layer.output_shape[2],
                            layer.bias, layer.input_zero_point, requantize, options);
      computed.tensor.batch = input.batch;
      computed.tensor = shaped(std::move(computed.tensor), layer.output_shape);
      return computed;
    }
  }
  throw InternalError("unknown kind of layer");
}

HostTensor8 reference(const Layer& layer, const HostTensor8& input) {
  const Requantize stage{layer.scale, layer.output_zero_point, static_cast<std::int8_t>(layer.clamp_min),
                         static_cast<std::int8_t>(layer.clamp_max), Rounding::kDouble};
  switch (layer.kind) {
    case LayerKind::kConv: {
      const golden::Tensor8 weights(
          golden::NhwcShape{layer.output_shape[2], layer.kernel[0], layer.kernel[1], layer.input_shape[2]},
          layer.weights);
      return from_golden(golden::conv2d(to_golden(input), weights, layer.bias,
                                        {window_of(layer), 1, layer.input_zero_point, 0}, stage));
    }
    case LayerKind::kMaxPool:
      return from_golden(golden::max_pool(to_golden(input), window_of(layer), {stage.clamp_min, stage.clamp_max}));
    case LayerKind::kDense: {
      const golden::Matrix8 weights(layer.output_shape[2], layer.input_shape[2], layer.weights);
      const auto output = golden::dense(golden::Matrix8(input.batch, layer.input_shape[2], input.data), weights,
                                        layer.bias, stage, layer.input_zero_point);
      return shaped({input.batch, 1, 1, 1, output.data}, layer.output_shape);
    }
  }
  throw InternalError("unknown kind of layer");
}

std::vector<int> answers_of(const HostTensor8& output) {
  std::vector<int> answers;
  const auto classes = static_cast<std::ptrdiff_t>(output.data.size()) / output.batch;
  for (auto first = output.data.begin(); first != output.data.end(); first += classes) {
    answers.push_back(static_cast<int>(std::max_element(first, first + classes) - first));
  }
  return answers;
}

}  // namespace systole::digits

// SPDX-License-Identifier: Apache-2.0
#include "constant_weights.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "bytes.hpp"
#include "refused.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using graph::Tensor;

/// How many int8 values are needed for a sum of `value`.
int parts_of(int value) { return value < 0 ? (-value + 127) / 128 : (value + 126) / 127; }

std::vector<int> zero_points_of(const Tensor& weights) {
  std::vector<int> points;
  for (const std::int32_t point :
       weights.quantization ? weights.quantization->zero_point : std::vector<std::int32_t>{0}) {
    points.push_back(as_int8(weights, point));
  }
  return points;
}

}  // namespace

int as_int8(const Tensor& tensor, std::int32_t value) {
  return tensor.type == graph::ElementType::kUint8 ? value - 128 : value;
}

std::vector<std::int8_t> constant_bytes(const Tensor& tensor) {
  std::vector<std::int8_t> bytes(tensor.constant->size());
  const std::uint8_t toggle = toggle_of(tensor.type);
  std::transform(tensor.constant->begin(), tensor.constant->end(), bytes.begin(),
                 [toggle](std::uint8_t byte) { return static_cast<std::int8_t>(byte ^ toggle); });
  return bytes;
}

std::shared_ptr<const graph::Bytes> shared_bytes(const Tensor& tensor) {
  if (tensor.type == graph::ElementType::kInt8) {
    return tensor.constant;
  }
  graph::Bytes bytes = *tensor.constant;
  toggle(tensor.type, bytes);
  return std::make_shared<const graph::Bytes>(std::move(bytes));
}

void set_weights(ConvLayer& conv, const std::vector<std::int16_t>& values) {
  conv.parts = 1;
  for (const int value : values) {
    conv.parts = std::max(conv.parts, parts_of(value));
  }
  graph::Bytes weights(values.size() * static_cast<std::size_t>(conv.parts));
  for (std::size_t i = 0; i < values.size(); ++i) {
    int left = values[i];
    for (std::size_t part = 0; part < static_cast<std::size_t>(conv.parts); ++part) {
      const int taken = std::clamp(left, -128, 127);
      left -= taken;
      weights[part * values.size() + i] = static_cast<std::uint8_t>(taken);
    }
  }
  conv.weights = std::make_shared<const graph::Bytes>(std::move(weights));
}

void require_sizes(const Window& s) {
  for (const int size : {s.kernel_h, s.kernel_w, s.stride_h, s.stride_w, s.dilation_h, s.dilation_w}) {
    require(size <= 255, "a kernel, stride or dilation above 255");
  }
}

ConvLayer weighted_layer(const graph::Graph& graph, const graph::Operator& op, ConvLayer conv,
                         const std::optional<Requantize>& requantize) {
  const Tensor& weights = graph.tensor(op.inputs[1]);
  require_type(weights, {graph::ElementType::kInt8, graph::ElementType::kUint8}, "int8 or uint8");
  require(weights.constant != nullptr, "weights that are not constant");
  require_sizes(conv.options.window);
  if (op.inputs.size() > 2 && op.inputs[2] != graph::kNoTensor) {
    const Tensor& bias = graph.tensor(op.inputs[2]);
    require(bias.constant != nullptr && bias.type == graph::ElementType::kInt32, "a bias that is not constant int32");
    conv.bias = graph::elements<std::int32_t>(graph::constant_value(bias));
  }
  const std::vector<int> zero_points = zero_points_of(weights);
  if (std::all_of(zero_points.begin(), zero_points.end(), [](int point) { return point == 0; })) {
    conv.weights = shared_bytes(weights);
  } else {
    const std::vector<std::int8_t> bytes = constant_bytes(weights);
    std::vector<std::int16_t> values(bytes.begin(), bytes.end());
    const std::size_t of_output = values.size() / static_cast<std::size_t>(weights.shape[0]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::int16_t>(values[i] - zero_points[zero_points.size() == 1 ? 0 : i / of_output]);
    }
    set_weights(conv, values);
  }
  conv.raw = !requantize;
  conv.requantize = requantize.value_or(Requantize{});
  return conv;
}

}  // namespace systole::network

// SPDX-License-Identifier: Apache-2.0
#include "quantized_values.hpp"

#include <algorithm>

namespace systole::graph {
namespace {

constexpr std::uint8_t kSign = 0x80;  // XORed to add or subtract 128

int as_int(std::int64_t dimension) { return static_cast<int>(dimension); }  // tensors are below 2^31 bytes

std::int32_t signed_zero_point(const Tensor& tensor, std::int32_t zero_point) {
  return tensor.type == ElementType::kUint8 ? zero_point - 128 : zero_point;
}

}  // namespace

std::vector<std::int8_t> as_int8(const Value& value) {
  const std::uint8_t toggle = value.type == ElementType::kUint8 ? kSign : 0;
  std::vector<std::int8_t> result(value.data.size());
  std::transform(value.data.begin(), value.data.end(), result.begin(),
                 [toggle](std::uint8_t byte) { return static_cast<std::int8_t>(byte ^ toggle); });
  return result;
}

Value from_int8(const std::vector<std::int8_t>& data, const Tensor& tensor) {
  const std::uint8_t toggle = tensor.type == ElementType::kUint8 ? kSign : 0;
  Value value{tensor.type, tensor.shape, Bytes(data.size())};
  std::transform(data.begin(), data.end(), value.data.begin(), [toggle](std::int8_t byte) {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(byte) ^ toggle);
  });
  return value;
}

golden::UniformQuantization quantization_of(const Tensor& tensor) {
  return {tensor.quantization->scale.at(0), signed_zero_point(tensor, tensor.quantization->zero_point.at(0))};
}

std::int32_t zero_point_of(const Tensor& tensor) {
  return signed_zero_point(tensor, tensor.quantization ? tensor.quantization->zero_point.at(0) : 0);
}

golden::Clamp clamp_of(Activation activation, const Tensor& output) {
  if (activation == Activation::kNone || !output.quantization) {
    return {};
  }
  const auto same = activation == Activation::kRelu    ? Activation::kRelu
                    : activation == Activation::kRelu6 ? Activation::kRelu6
                                                       : Activation::kReluN1To1;
  return golden::activation_clamp(same, quantization_of(output));
}

golden::Tensor8 tensor8(const Value& value) {
  const Shape& s = value.shape;
  return golden::Tensor8({as_int(s.at(0)), as_int(s.at(1)), as_int(s.at(2)), as_int(s.at(3))}, as_int8(value));
}

golden::Tensor8 flat8(const Value& value) {
  return golden::Tensor8({1, 1, 1, as_int(static_cast<std::int64_t>(value.data.size()))}, as_int8(value));
}

}  // namespace systole::graph

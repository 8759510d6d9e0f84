// SPDX-License-Identifier: Apache-2.0
#include "one_operator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "infer.hpp"
#include "kinds.hpp"

namespace systole::shapes {
namespace {

using graph::ElementType;
using graph::Quantization;
using graph::Tensor;
using graph::TensorId;

template <class Element>
std::shared_ptr<const graph::Bytes> bytes_of(const std::vector<Element>& values) {
  auto bytes = std::make_shared<graph::Bytes>(values.size() * sizeof(Element));
  std::memcpy(bytes->data(), values.data(), bytes->size());
  return bytes;
}

}  // namespace

TensorId OneOperator::add(Tensor tensor) {
  const auto id = static_cast<TensorId>(graph_.tensors.size());
  tensor.name = fmt::format("t{}", id);
  graph_.tensors.push_back(std::move(tensor));
  return id;
}

TensorId OneOperator::input(const graph::Shape& shape, float scale, ElementType type) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape = shape;
  tensor.quantization = Quantization{{static_cast<float>(scale * between(0.5, 2))}, {point(type)}, 0};
  graph_.inputs.push_back(add(std::move(tensor)));
  return graph_.inputs.back();
}

TensorId OneOperator::input_like(TensorId other, const graph::Shape& shape) {
  Tensor tensor = graph_.tensor(other);
  tensor.shape = shape;
  graph_.inputs.push_back(add(std::move(tensor)));
  return graph_.inputs.back();
}

TensorId OneOperator::constant_like(TensorId other, const graph::Shape& shape) {
  const TensorId id = weights(shape, false);
  graph_.tensor(id).quantization = graph_.tensor(other).quantization;
  return id;
}

TensorId OneOperator::output(const graph::Shape& shape, double scale, TensorId like, ElementType type) {
  Tensor tensor;
  tensor.type = like != graph::kNoTensor ? graph_.tensor(like).type : type;
  tensor.shape = shape;
  tensor.quantization = like != graph::kNoTensor
                            ? graph_.tensor(like).quantization
                            : Quantization{{static_cast<float>(scale * between(0.5, 2))}, {point(type)}, 0};
  return add(std::move(tensor));
}

TensorId OneOperator::output(Quantization quantization, ElementType type) {
  Tensor tensor;
  tensor.type = type;
  tensor.quantization = std::move(quantization);
  return add(std::move(tensor));
}

TensorId OneOperator::weights(const graph::Shape& shape, bool per_channel) {
  Tensor tensor;
  tensor.shape = shape;
  std::vector<std::int8_t> values(static_cast<std::size_t>(graph::count(shape)));
  for (std::int8_t& value : values) {
    value = static_cast<std::int8_t>(within(-127, 127));
  }
  tensor.constant = bytes_of(values);
  Quantization quantization;
  for (std::int64_t i = 0; i < (per_channel ? shape[0] : 1); ++i) {
    quantization.scale.push_back(static_cast<float>(0.01 * between(0.5, 2)));
    quantization.zero_point.push_back(0);
  }
  tensor.quantization = std::move(quantization);
  return add(std::move(tensor));
}

TensorId OneOperator::asymmetric_weights(const graph::Shape& shape, bool per_channel, ElementType type) {
  const TensorId id = weights(shape, per_channel);
  Tensor& tensor = graph_.tensor(id);
  tensor.type = type;
  auto bytes = std::make_shared<graph::Bytes>(tensor.constant->size());
  for (std::uint8_t& byte : *bytes) {
    byte = static_cast<std::uint8_t>(within(0, 255));
  }
  tensor.constant = std::move(bytes);
  for (std::int32_t& zero_point : tensor.quantization->zero_point) {
    zero_point = point(type);
  }
  return id;
}

TensorId OneOperator::truth_input(const graph::Shape& shape) {
  graph_.inputs.push_back(plain(ElementType::kBool));
  graph_.tensor(graph_.inputs.back()).shape = shape;
  return graph_.inputs.back();
}

TensorId OneOperator::requantized(TensorId id, TensorId like) {
  graph_.tensor(id).quantization = graph_.tensor(like).quantization;
  return id;
}

TensorId OneOperator::indices(int count, int size, bool repeated) {
  Tensor tensor;
  tensor.type = ElementType::kInt64;
  tensor.shape = {count};
  std::vector<std::int64_t> values(static_cast<std::size_t>(count), within(0, size - 1));
  if (!repeated) {
    std::generate(values.begin(), values.end(), [&] { return within(-size, size - 1); });
  }
  tensor.constant = bytes_of(values);
  return add(std::move(tensor));
}

TensorId OneOperator::plain(ElementType type) {
  Tensor tensor;
  tensor.type = type;
  return add(std::move(tensor));
}

void OneOperator::make_plain(TensorId id, ElementType type) {
  graph_.tensor(id).type = type;
  graph_.tensor(id).quantization.reset();
}

TensorId OneOperator::shaped(ElementType type, const graph::Shape& shape) {
  const TensorId id = plain(type);
  graph_.tensor(id).shape = shape;
  return id;
}

TensorId OneOperator::plain_input(ElementType type, const graph::Shape& shape) {
  graph_.inputs.push_back(shaped(type, shape));
  return graph_.inputs.back();
}

TensorId OneOperator::plain_number(ElementType type, int number) {
  const TensorId id = shaped(type, {1});
  if (type == ElementType::kFloat32) {
    graph_.tensor(id).constant = bytes_of(std::vector<float>{static_cast<float>(number)});
  } else {
    graph::Bytes bytes(graph::element_size(type));
    bytes[0] = static_cast<std::uint8_t>(number);
    graph_.tensor(id).constant = std::make_shared<graph::Bytes>(std::move(bytes));
  }
  return id;
}

TensorId OneOperator::plain_constant(ElementType type, const graph::Shape& shape) {
  const TensorId id = constant_of(type, shape, 1);
  Tensor& tensor = graph_.tensor(id);
  tensor.quantization.reset();
  if (type == ElementType::kFloat32) {
    tensor.constant = std::make_shared<graph::Bytes>(floats(static_cast<std::size_t>(graph::count(shape)), random_));
  } else if (type == ElementType::kBool) {
    auto truths = std::make_shared<graph::Bytes>(*tensor.constant);
    std::for_each(truths->begin(), truths->end(), [](std::uint8_t& byte) { byte &= 1; });
    tensor.constant = std::move(truths);
  }
  return id;
}

TensorId OneOperator::bias(int channels, TensorId input, TensorId weights, ElementType type) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape = {channels};
  std::vector<std::int32_t> values(static_cast<std::size_t>(channels));
  for (std::int32_t& value : values) {
    value = within(-20000, 20000);
  }
  tensor.constant = type == ElementType::kInt64 ? bytes_of(std::vector<std::int64_t>(values.begin(), values.end()))
                                                : bytes_of(values);
  tensor.quantization = Quantization{
      {graph_.tensor(input).quantization->scale[0] * graph_.tensor(weights).quantization->scale[0]}, {0}, 0};
  return add(std::move(tensor));
}

/// Elements of more than a byte have none.
int OneOperator::point(ElementType type) {
  switch (type) {
    case ElementType::kUint8: return within(0, 255);
    case ElementType::kInt8: return within(-128, 127);
    default: return 0;
  }
}

TensorId OneOperator::constant_of(ElementType type, const graph::Shape& shape, float scale) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape = shape;
  auto bytes =
      std::make_shared<graph::Bytes>(static_cast<std::size_t>(graph::count(shape)) * graph::element_size(type));
  std::generate(bytes->begin(), bytes->end(), [&] { return static_cast<std::uint8_t>(within(0, 255)); });
  tensor.constant = std::move(bytes);
  tensor.quantization = Quantization{{static_cast<float>(scale * between(0.5, 2))}, {point(type)}, 0};
  return add(std::move(tensor));
}

TensorId OneOperator::real_constant(const graph::Shape& shape, float magnitude) {
  Tensor tensor;
  tensor.type = ElementType::kFloat32;
  tensor.shape = shape;
  std::vector<float> values(static_cast<std::size_t>(graph::count(shape)));
  std::generate(values.begin(), values.end(), [&] { return static_cast<float>(between(-magnitude, magnitude)); });
  tensor.constant = bytes_of(values);
  return add(std::move(tensor));
}

TensorId OneOperator::symmetric(TensorId id) {
  graph_.tensor(id).quantization->zero_point = {0};
  return id;
}

void OneOperator::set_quantization(TensorId id, Quantization quantization) {
  graph_.tensor(id).quantization = std::move(quantization);
}

TensorId OneOperator::constant(const graph::Shape& shape) {
  Tensor tensor;
  tensor.shape = shape;
  std::vector<std::int8_t> values(static_cast<std::size_t>(graph::count(shape)));
  for (std::int8_t& value : values) {
    value = static_cast<std::int8_t>(within(-128, 127));
  }
  tensor.constant = bytes_of(values);
  tensor.quantization = Quantization{{static_cast<float>(0.05 * between(0.5, 2))}, {within(-128, 127)}, 0};
  return add(std::move(tensor));
}

TensorId OneOperator::constant(const graph::Shape& shape, float scale) {
  const TensorId id = constant(shape);
  graph_.tensor(id).quantization->scale = {scale};
  return id;
}

TensorId OneOperator::constant16(const graph::Shape& shape, float scale) {
  Tensor tensor;
  tensor.type = ElementType::kInt16;
  tensor.shape = shape;
  std::vector<std::int16_t> values(static_cast<std::size_t>(graph::count(shape)));
  for (std::int16_t& value : values) {
    value = static_cast<std::int16_t>(within(-32768, 32767));
  }
  tensor.constant = bytes_of(values);
  tensor.quantization = Quantization{{scale}, {0}, 0};
  return add(std::move(tensor));
}

double OneOperator::scale_of_sums(TensorId input, TensorId weights, double depth) {
  // The standard deviation of a product of operands that are uniform over int8 is about 73^2; two such deviations are
  // 127 steps.
  constexpr double kStepsOfProduct = 73.0 * 73.0 * 2 / 127;
  return graph_.tensor(input).quantization->scale[0] * graph_.tensor(weights).quantization->scale[0] * kStepsOfProduct *
         std::sqrt(depth);
}

void OneOperator::append(graph::OperatorKind kind, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
  graph::Operator op;
  op.name = graph_.operators.empty() ? "op" : fmt::format("op{}", graph_.operators.size());
  op.origin = graph::name_of(kind);
  op.kind = std::move(kind);
  op.arithmetic = arithmetic_;
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  if (Tensor& first = graph_.tensor(op.outputs[0]); first.shape.empty()) {
    first.shape = graph::output_shapes(graph_, op).at(0);
  }
  graph_.operators.push_back(std::move(op));
}

TensorId OneOperator::apply(graph::OperatorKind kind, std::vector<TensorId> inputs, TensorId output) {
  append(std::move(kind), std::move(inputs), {output});
  return output;
}

graph::Graph OneOperator::finish(graph::OperatorKind kind, std::vector<graph::TensorId> inputs,
                                 std::vector<graph::TensorId> outputs) {
  append(std::move(kind), std::move(inputs), outputs);
  graph_.outputs = std::move(outputs);
  graph::validate(graph_);
  return std::move(graph_);
}

}  // namespace systole::shapes

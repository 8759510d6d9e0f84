// SPDX-License-Identifier: Apache-2.0
#include "network_builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

namespace systole::zoo {
namespace {

constexpr float kScale = 0.05F;       // of every tensor that is not constant
constexpr double kSpread = 40;        // steps of a result, typically
constexpr double kInputSpread = 60;   // steps of an operand from its zero point, typically
constexpr double kWeightSpread = 73;  // of uniform int8

std::pair<int, int> padding(int size, int kernel, int stride, Border border) {
  switch (border) {
    case Border::kSame: {
      const int outputs = (size + stride - 1) / stride;
      const int total = std::max(0, (outputs - 1) * stride + kernel - size);
      return {total / 2, total - total / 2};
    }
    case Border::kSymmetric: return {(kernel - 1) / 2, (kernel - 1) / 2};
    case Border::kCeil: return {0, (stride - (size - kernel) % stride) % stride};
    case Border::kValid: break;
  }
  return {0, 0};
}

/// A result of int8, whose shape is open.
graph::Tensor image(Activation activation) {
  const graph::Quantization quantization{{kScale}, {activation == Activation::kNone ? 3 : -128}, 0};
  return {{}, graph::ElementType::kInt8, {}, quantization, nullptr};
}

}  // namespace

Window window(const graph::Shape& from, int kernel_h, int kernel_w, int stride, Border border) {
  Window s;
  s.kernel_h = kernel_h;
  s.kernel_w = kernel_w;
  s.stride_h = s.stride_w = stride;
  std::tie(s.pad_top, s.pad_bottom) = padding(static_cast<int>(from[1]), kernel_h, stride, border);
  std::tie(s.pad_left, s.pad_right) = padding(static_cast<int>(from[2]), kernel_w, stride, border);
  return s;
}

graph::Shape slid(const graph::Shape& from, const Window& s, std::int64_t channels) {
  return {from[0], (from[1] + s.pad_top + s.pad_bottom - s.kernel_h) / s.stride_h + 1,
          (from[2] + s.pad_left + s.pad_right - s.kernel_w) / s.stride_w + 1, channels};
}

std::string NetworkBuilder::operator_name(const std::string& origin) {
  const auto same = std::count_if(graph().operators.begin(), graph().operators.end(),
                                  [&](const graph::Operator& op) { return op.origin == origin; });
  return fmt::format("{}_{}", origin, same + 1);
}

std::string NetworkBuilder::constant_name() { return fmt::format("tensor_{}", graph().tensors.size()); }

TensorId NetworkBuilder::input(const graph::Shape& shape) {
  const TensorId id = GraphBuilder::input(constant_name(), graph::ElementType::kInt8, shape);
  graph().tensor(id).quantization = image(Activation::kNone).quantization;
  return id;
}

TensorId NetworkBuilder::float_picture(std::int64_t side) {
  const TensorId picture = GraphBuilder::input(constant_name(), graph::ElementType::kFloat32, {1, 3, side, side});
  return transpose(append("QUANTIZE", graph::Convert{}, {picture}, image(Activation::kNone), graph::Arithmetic::kOnnx),
                   {0, 2, 3, 1});
}

TensorId NetworkBuilder::weights(const graph::Shape& shape, int taps, const std::string& name) {
  std::uniform_int_distribution<int> value(-127, 127);
  std::uniform_real_distribution<double> stretch(0.7, 1.4);
  std::vector<std::int8_t> values(static_cast<std::size_t>(graph::count(shape)));
  for (std::int8_t& v : values) {
    v = static_cast<std::int8_t>(value(random_));
  }
  graph::Quantization quantization;
  const double typical = kSpread / (kInputSpread * kWeightSpread * std::sqrt(taps));
  for (std::int64_t o = 0; o < shape[0]; ++o) {
    quantization.scale.push_back(static_cast<float>(typical * stretch(random_)));
    quantization.zero_point.push_back(0);
  }
  return add_tensor(graph(), constant_tensor(name + "/weights", make_value(graph::ElementType::kInt8, shape, values),
                                             std::move(quantization)));
}

TensorId NetworkBuilder::bias(int channels, float scale, const std::string& name) {
  std::uniform_int_distribution<std::int32_t> value(-2000, 2000);
  std::vector<std::int32_t> values(static_cast<std::size_t>(channels));
  for (std::int32_t& v : values) {
    v = value(random_);
  }
  return add_tensor(graph(), constant_tensor(name + "/bias", make_value(graph::ElementType::kInt32, {channels}, values),
                                             graph::Quantization{{scale}, {0}, 0}));
}

TensorId NetworkBuilder::append(const char* origin, graph::OperatorKind kind, std::vector<TensorId> inputs,
                                graph::Tensor result, graph::Arithmetic arithmetic) {
  return append_all({{}, origin, std::move(kind), arithmetic, std::move(inputs), {}}, {std::move(result)}).at(0);
}

TensorId NetworkBuilder::weighted(TensorId from, TensorId weights, graph::OperatorKind kind, const char* origin,
                                  Activation activation) {
  const auto channels = static_cast<int>(shape(weights)[0]);
  const TensorId bias_id = bias(channels, kScale * tensor(weights).quantization->scale[0], operator_name(origin));
  return append(origin, std::move(kind), {from, weights, bias_id}, image(activation));
}

TensorId NetworkBuilder::conv(TensorId from, int channels, int kernel_h, int kernel_w, int stride, Border border,
                              Activation activation) {
  const Window s = window(shape(from), kernel_h, kernel_w, stride, border);
  const auto in = static_cast<int>(shape(from)[3]);
  const TensorId w = weights({channels, kernel_h, kernel_w, in}, kernel_h * kernel_w * in, operator_name("CONV_2D"));
  return weighted(from, w, graph::Conv2d{s, 1, activation}, "CONV_2D", activation);
}

TensorId NetworkBuilder::grouped(TensorId from, int channels, int groups, Activation activation) {
  const int in = static_cast<int>(shape(from)[3]) / groups;
  const TensorId w = weights({channels, 1, 1, in}, in, operator_name("CONV_2D"));
  const Window s = window(shape(from), 1, 1, 1, Border::kValid);
  return weighted(from, w, graph::Conv2d{s, groups, activation}, "CONV_2D", activation);
}

TensorId NetworkBuilder::depthwise(TensorId from, int kernel, int stride, Activation activation) {
  const Window s = window(shape(from), kernel, kernel, stride, Border::kSame);
  const auto channels = static_cast<int>(shape(from)[3]);
  const TensorId w = weights({channels, kernel, kernel, 1}, kernel * kernel, operator_name("DEPTHWISE_CONV_2D"));
  return weighted(from, w, graph::Conv2d{s, channels, activation}, "DEPTHWISE_CONV_2D", activation);
}

TensorId NetworkBuilder::dense(TensorId from, int outputs, Activation activation) {
  const auto depth = static_cast<int>(shape(from).back());
  const TensorId w = weights({outputs, depth}, depth, operator_name("FULLY_CONNECTED"));
  return weighted(from, w, graph::Dense{activation}, "FULLY_CONNECTED", activation);
}

TensorId NetworkBuilder::add(TensorId lhs, TensorId rhs, Activation activation) {
  return append("ADD", graph::Binary{graph::BinaryKind::kAdd, activation}, {lhs, rhs}, image(activation));
}

/// A result whose elements are copies of another's, or lie between them, so that it has the same quantization.
graph::Tensor NetworkBuilder::like(TensorId from, const graph::Shape& shape) const {
  return {{}, graph::ElementType::kInt8, shape, tensor(from).quantization, nullptr};
}

TensorId NetworkBuilder::pool(const char* origin, graph::PoolKind kind, TensorId from, const Window& window) {
  return append(origin, graph::Pool{kind, window, false, Activation::kNone}, {from}, like(from));
}

TensorId NetworkBuilder::max_pool(TensorId from, int kernel, int stride, Border border) {
  return pool("MAX_POOL_2D", graph::PoolKind::kMax, from, window(shape(from), kernel, kernel, stride, border));
}

TensorId NetworkBuilder::average_pool(TensorId from, int kernel, int stride, Border border) {
  return pool("AVERAGE_POOL_2D", graph::PoolKind::kAverage, from, window(shape(from), kernel, kernel, stride, border));
}

TensorId NetworkBuilder::global_average_pool(TensorId from) {
  Window s;
  s.kernel_h = static_cast<int>(shape(from)[1]);
  s.kernel_w = static_cast<int>(shape(from)[2]);
  return pool("AVERAGE_POOL_2D", graph::PoolKind::kAverage, from, s);
}

std::pair<TensorId, TensorId> NetworkBuilder::halves(TensorId from) {
  graph::Shape low = shape(from), high = low;
  low.back() /= 2;
  high.back() -= low.back();
  const int axis = static_cast<int>(low.size()) - 1;
  const std::vector<TensorId> parts = append_all(
      {{}, "SPLIT", graph::Split{axis}, graph::Arithmetic::kTfLite, {from}, {}}, {like(from, low), like(from, high)});
  return {parts[0], parts[1]};
}

TensorId NetworkBuilder::concat(const std::vector<TensorId>& parts, int axis) {
  const int at = axis < 0 ? static_cast<int>(shape(parts.front()).size()) + axis : axis;
  return append("CONCATENATION", graph::Concat{at}, parts, image(Activation::kNone));
}

TensorId NetworkBuilder::shuffle(TensorId from, int groups) {
  const graph::Shape picture = shape(from);
  const TensorId grouped = reshape(from, {picture[0], picture[1], picture[2], groups, picture[3] / groups});
  const TensorId exchanged = transpose(grouped, {0, 4, 3, 1, 2});
  return transpose(reshape(exchanged, {picture[0], picture[3], picture[1], picture[2]}), {0, 2, 3, 1});
}

TensorId NetworkBuilder::local_response(TensorId from) {
  constexpr int kReach = 2;  // neighbours on each side
  constexpr float kFactor = 1e-4F / (2 * kReach + 1), kBias = 1, kPower = 0.75F;
  return append("LRN", graph::LocalResponse{kReach, kReach, kFactor, kBias, kPower}, {from}, image(Activation::kNone),
                graph::Arithmetic::kOnnx);
}

TensorId NetworkBuilder::product(TensorId a, TensorId b, bool transpose_b) {
  const auto depth = static_cast<double>(shape(a).back());
  const double typical = kInputSpread * kInputSpread * std::sqrt(depth) * kScale * kScale;
  graph::Tensor result = image(Activation::kNone);
  result.quantization->scale = {static_cast<float>(typical / kSpread)};
  return append("BATCH_MATMUL", graph::MatMul{false, transpose_b}, {a, b}, std::move(result));
}

TensorId NetworkBuilder::transpose(TensorId from, std::vector<int> permutation) {
  return append("TRANSPOSE", graph::Transpose{std::move(permutation)}, {from}, like(from));
}

TensorId NetworkBuilder::slice(TensorId from, std::vector<std::int64_t> begin, const graph::Shape& shape) {
  const std::vector<std::int64_t> step(begin.size(), 1);
  return append("SLICE", graph::Slice{std::move(begin), step}, {from}, like(from, shape));
}

TensorId NetworkBuilder::gelu(TensorId from) {
  return append("GELU", graph::Unary{graph::UnaryKind::kGelu}, {from}, image(Activation::kRelu));
}

TensorId NetworkBuilder::layer_norm(TensorId from) {
  std::uniform_real_distribution<float> factor(0.5F, 2.0F), summand(-0.5F, 0.5F);
  const auto constant = [&](const char* name, std::uniform_real_distribution<float>& value) {
    std::vector<float> values(static_cast<std::size_t>(shape(from).back()));
    std::generate(values.begin(), values.end(), [&] { return value(random_); });
    const graph::Shape channels{shape(from).back()};
    return add_tensor(graph(), constant_tensor(operator_name("LAYER_NORM") + name,
                                               make_value(graph::ElementType::kFloat32, channels, values)));
  };
  const TensorId gamma = constant("/gamma", factor);
  const TensorId beta = constant("/beta", summand);
  return append("LAYER_NORM", graph::LayerNormalize{}, {from, gamma, beta}, image(Activation::kNone));
}

TensorId NetworkBuilder::constant_like(TensorId from, const graph::Shape& shape) {
  std::uniform_int_distribution<int> value(-127, 127);
  std::vector<std::int8_t> values(static_cast<std::size_t>(graph::count(shape)));
  std::generate(values.begin(), values.end(), [&] { return static_cast<std::int8_t>(value(random_)); });
  const TensorId id = constant(make_value(graph::ElementType::kInt8, shape, values));
  graph().tensor(id).quantization = tensor(from).quantization;
  return id;
}

TensorId NetworkBuilder::symmetric(TensorId from) {
  graph().tensor(from).quantization->zero_point = {0};
  return from;
}

TensorId NetworkBuilder::reshape(TensorId from, const graph::Shape& shape) {
  return append("RESHAPE", graph::Reshape{}, {from}, like(from, shape));
}

TensorId NetworkBuilder::flatten(TensorId from) {
  const std::int64_t samples = shape(from)[0];
  return reshape(from, {samples, graph::count(shape(from)) / samples});
}

TensorId NetworkBuilder::softmax(TensorId from, float beta) {
  graph::Tensor result = image(Activation::kNone);
  result.quantization = graph::Quantization{{1.0F / 256}, {-128}, 0};  // as the operator defines it
  return append("SOFTMAX", graph::Softmax{-1, beta}, {from}, std::move(result));
}

}  // namespace systole::zoo

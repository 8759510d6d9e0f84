// SPDX-License-Identifier: Apache-2.0
#include "network_builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
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

template <class Element>
std::shared_ptr<const graph::Bytes> bytes_of(const std::vector<Element>& values) {
  auto bytes = std::make_shared<graph::Bytes>(values.size() * sizeof(Element));
  std::memcpy(bytes->data(), values.data(), bytes->size());
  return bytes;
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

NetworkBuilder::NetworkBuilder(std::string name, std::uint64_t seed) : random_(seed) { graph_.name = std::move(name); }

std::string NetworkBuilder::next_name(const char* origin) {
  const auto same = std::count_if(graph_.operators.begin(), graph_.operators.end(),
                                  [&](const graph::Operator& op) { return op.origin == origin; });
  return fmt::format("{}_{}", origin, same + 1);
}

TensorId NetworkBuilder::image(graph::Shape shape, Activation activation) {
  graph::Tensor tensor;
  tensor.name = fmt::format("tensor_{}", graph_.tensors.size());
  tensor.shape = std::move(shape);
  tensor.quantization = graph::Quantization{{kScale}, {activation == Activation::kNone ? 3 : -128}, 0};
  graph_.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

TensorId NetworkBuilder::input(graph::Shape shape) {
  const TensorId id = image(std::move(shape), Activation::kNone);
  graph_.inputs.push_back(id);
  return id;
}

TensorId NetworkBuilder::real(graph::Shape shape) {
  graph_.tensors.push_back({fmt::format("tensor_{}", graph_.tensors.size()), graph::ElementType::kFloat32,
                            std::move(shape), std::nullopt, nullptr});
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

TensorId NetworkBuilder::real_constant(graph::Shape shape, const std::vector<float>& values) {
  const TensorId id = real(std::move(shape));
  graph_.tensor(id).constant = bytes_of(values);
  return id;
}

TensorId NetworkBuilder::float_picture(std::int64_t side) {
  const graph::Shape shape = {1, 3, side, side};
  graph_.inputs.push_back(real(shape));
  return transpose(append("QUANTIZE", graph::Convert{}, {graph_.inputs.back()}, image(shape, Activation::kNone),
                          graph::Arithmetic::kOnnx),
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
  graph_.tensors.push_back(
      {name + "/weights", graph::ElementType::kInt8, shape, std::move(quantization), bytes_of(values)});
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

TensorId NetworkBuilder::bias(int channels, float scale, const std::string& name) {
  std::uniform_int_distribution<std::int32_t> value(-2000, 2000);
  std::vector<std::int32_t> values(static_cast<std::size_t>(channels));
  for (std::int32_t& v : values) {
    v = value(random_);
  }
  graph_.tensors.push_back(
      {name + "/bias", graph::ElementType::kInt32, {channels}, graph::Quantization{{scale}, {0}, 0}, bytes_of(values)});
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

TensorId NetworkBuilder::append(const char* origin, graph::OperatorKind kind, std::vector<TensorId> inputs,
                                TensorId output, graph::Arithmetic arithmetic) {
  graph_.operators.push_back({next_name(origin), origin, std::move(kind), arithmetic, std::move(inputs), {output}});
  return output;
}

TensorId NetworkBuilder::weighted(TensorId from, TensorId weights, int channels, const graph::Shape& shape,
                                  graph::OperatorKind kind, const char* origin, Activation activation) {
  const TensorId bias_id = bias(channels, kScale * graph_.tensor(weights).quantization->scale[0], next_name(origin));
  return append(origin, std::move(kind), {from, weights, bias_id}, image(shape, activation));
}

TensorId NetworkBuilder::conv(TensorId from, int channels, int kernel_h, int kernel_w, int stride, Border border,
                              Activation activation) {
  const graph::Shape shape = graph_.tensor(from).shape;
  const Window s = window(shape, kernel_h, kernel_w, stride, border);
  const auto in = static_cast<int>(shape[3]);
  const TensorId w = weights({channels, kernel_h, kernel_w, in}, kernel_h * kernel_w * in, next_name("CONV_2D"));
  return weighted(from, w, channels, slid(shape, s, channels), graph::Conv2d{s, 1, activation}, "CONV_2D", activation);
}

TensorId NetworkBuilder::grouped(TensorId from, int channels, int groups, Activation activation) {
  const graph::Shape shape = graph_.tensor(from).shape;
  const int in = static_cast<int>(shape[3]) / groups;
  const TensorId w = weights({channels, 1, 1, in}, in, next_name("CONV_2D"));
  return weighted(from, w, channels, {shape[0], shape[1], shape[2], channels},
                  graph::Conv2d{window(shape, 1, 1, 1, Border::kValid), groups, activation}, "CONV_2D", activation);
}

TensorId NetworkBuilder::depthwise(TensorId from, int kernel, int stride, Activation activation) {
  const graph::Shape shape = graph_.tensor(from).shape;
  const Window s = window(shape, kernel, kernel, stride, Border::kSame);
  const auto channels = static_cast<int>(shape[3]);
  const TensorId w = weights({channels, kernel, kernel, 1}, kernel * kernel, next_name("DEPTHWISE_CONV_2D"));
  return weighted(from, w, channels, slid(shape, s, channels), graph::Conv2d{s, channels, activation},
                  "DEPTHWISE_CONV_2D", activation);
}

TensorId NetworkBuilder::dense(TensorId from, int outputs, Activation activation) {
  graph::Shape shape = graph_.tensor(from).shape;
  const auto depth = static_cast<int>(shape.back());
  shape.back() = outputs;
  const TensorId w = weights({outputs, depth}, depth, next_name("FULLY_CONNECTED"));
  return weighted(from, w, outputs, shape, graph::Dense{activation}, "FULLY_CONNECTED", activation);
}

TensorId NetworkBuilder::add(TensorId lhs, TensorId rhs, Activation activation) {
  const graph::Shape shape = graph_.tensor(lhs).shape;
  return append("ADD", graph::Binary{graph::BinaryKind::kAdd, activation}, {lhs, rhs}, image(shape, activation));
}

/// A tensor whose elements are copies of another's, or lie between them, so that it has the same quantization.
TensorId NetworkBuilder::like(TensorId from, graph::Shape shape) {
  const TensorId output = image(std::move(shape), Activation::kNone);
  graph_.tensor(output).quantization = graph_.tensor(from).quantization;
  return output;
}

TensorId NetworkBuilder::pool(const char* origin, graph::PoolKind kind, TensorId from, const Window& window) {
  const graph::Shape shape = graph_.tensor(from).shape;
  return append(origin, graph::Pool{kind, window, false, Activation::kNone}, {from},
                like(from, slid(shape, window, shape[3])));
}

TensorId NetworkBuilder::max_pool(TensorId from, int kernel, int stride, Border border) {
  return pool("MAX_POOL_2D", graph::PoolKind::kMax, from,
              window(graph_.tensor(from).shape, kernel, kernel, stride, border));
}

TensorId NetworkBuilder::average_pool(TensorId from, int kernel, int stride, Border border) {
  return pool("AVERAGE_POOL_2D", graph::PoolKind::kAverage, from,
              window(graph_.tensor(from).shape, kernel, kernel, stride, border));
}

TensorId NetworkBuilder::global_average_pool(TensorId from) {
  const graph::Shape& shape = graph_.tensor(from).shape;
  Window s;
  s.kernel_h = static_cast<int>(shape[1]);
  s.kernel_w = static_cast<int>(shape[2]);
  return pool("AVERAGE_POOL_2D", graph::PoolKind::kAverage, from, s);
}

std::pair<TensorId, TensorId> NetworkBuilder::halves(TensorId from) {
  graph::Shape shape = graph_.tensor(from).shape;
  const int axis = static_cast<int>(shape.size()) - 1;
  const std::int64_t first = shape.back() / 2, second = shape.back() - first;
  shape.back() = first;
  const TensorId low = like(from, shape);
  shape.back() = second;
  const TensorId high = like(from, shape);
  append("SPLIT", graph::Split{axis}, {from}, low);
  graph_.operators.back().outputs.push_back(high);
  return {low, high};
}

TensorId NetworkBuilder::concat(const std::vector<TensorId>& parts, int axis) {
  graph::Shape shape = graph_.tensor(parts.front()).shape;
  const int at = axis < 0 ? static_cast<int>(shape.size()) + axis : axis;
  std::int64_t& size = shape[static_cast<std::size_t>(at)];
  size = 0;
  for (const TensorId part : parts) {
    size += graph_.tensor(part).shape[static_cast<std::size_t>(at)];
  }
  return append("CONCATENATION", graph::Concat{at}, parts, image(shape, Activation::kNone));
}

TensorId NetworkBuilder::shuffle(TensorId from, int groups) {
  const graph::Shape shape = graph_.tensor(from).shape;
  const TensorId grouped = reshape(from, {shape[0], shape[1], shape[2], groups, shape[3] / groups});
  const TensorId exchanged = transpose(grouped, {0, 4, 3, 1, 2});
  return transpose(reshape(exchanged, {shape[0], shape[3], shape[1], shape[2]}), {0, 2, 3, 1});
}

TensorId NetworkBuilder::local_response(TensorId from) {
  constexpr std::int64_t kReach = 2;  // neighbours on each side
  constexpr float kFactor = 1e-4F / (2 * kReach + 1), kPower = 0.75F;
  const graph::Shape shape = graph_.tensor(from).shape;
  const std::int64_t channels = shape[3];
  std::vector<float> band(static_cast<std::size_t>(channels * channels));
  for (std::int64_t to = 0; to < channels; ++to) {
    for (std::int64_t c = std::max<std::int64_t>(0, to - kReach); c <= std::min(channels - 1, to + kReach); ++c) {
      band[static_cast<std::size_t>(to * channels + c)] = 1;
    }
  }
  const auto append_real = [&](const char* origin, graph::OperatorKind kind, std::vector<TensorId> inputs) {
    return append(origin, std::move(kind), std::move(inputs), real(shape), graph::Arithmetic::kOnnx);
  };
  using graph::Binary, graph::BinaryKind;
  const TensorId x = append_real("DEQUANTIZE", graph::Convert{}, {from});
  const TensorId squares = append_real("LRN", Binary{BinaryKind::kMultiply}, {x, x});
  const TensorId sums = append_real("LRN", graph::Dense{}, {squares, real_constant({channels, channels}, band)});
  const TensorId scaled = append_real("LRN", Binary{BinaryKind::kMultiply}, {sums, real_constant({}, {kFactor})});
  const TensorId base = append_real("LRN", Binary{BinaryKind::kAdd}, {scaled, real_constant({}, {1})});
  const TensorId divisor = append_real("LRN", Binary{BinaryKind::kPower}, {base, real_constant({}, {kPower})});
  const TensorId quotient = append_real("LRN", Binary{BinaryKind::kDivide}, {x, divisor});
  return append("QUANTIZE", graph::Convert{}, {quotient}, image(shape, Activation::kNone), graph::Arithmetic::kOnnx);
}

TensorId NetworkBuilder::product(TensorId a, TensorId b, bool transpose_b) {
  graph::Shape shape = graph_.tensor(a).shape;
  const double typical = kInputSpread * kInputSpread * std::sqrt(static_cast<double>(shape.back())) * kScale * kScale;
  shape.back() = transpose_b ? graph_.tensor(b).shape.end()[-2] : graph_.tensor(b).shape.back();
  const TensorId output = image(std::move(shape), Activation::kNone);
  graph_.tensor(output).quantization->scale = {static_cast<float>(typical / kSpread)};
  return append("BATCH_MATMUL", graph::MatMul{false, transpose_b}, {a, b}, output);
}

TensorId NetworkBuilder::transpose(TensorId from, std::vector<int> permutation) {
  const graph::Shape& shape = graph_.tensor(from).shape;
  graph::Shape turned;
  for (const int axis : permutation) {
    turned.push_back(shape[static_cast<std::size_t>(axis)]);
  }
  return append("TRANSPOSE", graph::Transpose{std::move(permutation)}, {from}, like(from, std::move(turned)));
}

TensorId NetworkBuilder::slice(TensorId from, std::vector<std::int64_t> begin, graph::Shape shape) {
  const std::vector<std::int64_t> step(begin.size(), 1);
  return append("SLICE", graph::Slice{std::move(begin), step}, {from}, like(from, std::move(shape)));
}

TensorId NetworkBuilder::gelu(TensorId from) {
  const graph::Shape shape = graph_.tensor(from).shape;
  return append("GELU", graph::Unary{graph::UnaryKind::kGelu}, {from}, image(shape, Activation::kRelu));
}

TensorId NetworkBuilder::layer_norm(TensorId from) {
  const graph::Shape shape = graph_.tensor(from).shape;
  std::uniform_real_distribution<float> factor(0.5F, 2.0F), summand(-0.5F, 0.5F);
  const auto constant = [&](const char* name, std::uniform_real_distribution<float>& value) {
    std::vector<float> values(static_cast<std::size_t>(shape.back()));
    std::generate(values.begin(), values.end(), [&] { return value(random_); });
    graph_.tensors.push_back(
        {next_name("LAYER_NORM") + name, graph::ElementType::kFloat32, {shape.back()}, std::nullopt, bytes_of(values)});
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  };
  const TensorId gamma = constant("/gamma", factor);
  const TensorId beta = constant("/beta", summand);
  return append("LAYER_NORM", graph::LayerNormalize{}, {from, gamma, beta}, image(shape, Activation::kNone));
}

TensorId NetworkBuilder::constant_like(TensorId from, graph::Shape shape) {
  std::uniform_int_distribution<int> value(-127, 127);
  std::vector<std::int8_t> values(static_cast<std::size_t>(graph::count(shape)));
  std::generate(values.begin(), values.end(), [&] { return static_cast<std::int8_t>(value(random_)); });
  const TensorId id = like(from, std::move(shape));
  graph_.tensor(id).constant = bytes_of(values);
  return id;
}

TensorId NetworkBuilder::symmetric(TensorId from) {
  graph_.tensor(from).quantization->zero_point = {0};
  return from;
}

TensorId NetworkBuilder::reshape(TensorId from, graph::Shape shape) {
  return append("RESHAPE", graph::Reshape{}, {from}, like(from, std::move(shape)));
}

TensorId NetworkBuilder::flatten(TensorId from) {
  const graph::Shape& shape = graph_.tensor(from).shape;
  return reshape(from, {shape[0], graph::count(shape) / shape[0]});
}

TensorId NetworkBuilder::softmax(TensorId from, float beta) {
  const TensorId output = image(graph_.tensor(from).shape, Activation::kNone);
  graph_.tensor(output).quantization = graph::Quantization{{1.0F / 256}, {-128}, 0};  // as the operator defines it
  return append("SOFTMAX", graph::Softmax{-1, beta}, {from}, output);
}

graph::Graph NetworkBuilder::finish(TensorId output) {
  graph_.outputs = {output};
  graph::validate(graph_);
  return std::exchange(graph_, {});
}

}  // namespace systole::zoo

// SPDX-License-Identifier: Apache-2.0
// Float graphs with random constants, layer by layer.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph_builder.hpp"
#include "systole/execute.hpp"
#include "systole/quantizer.hpp"

namespace systole::quantizer::test {

using graph::Graph;
using graph::Operator;
using graph::Shape;
using graph::TensorId;
using graph::Value;

class FloatNetwork : private graph::GraphBuilder {
 public:
  explicit FloatNetwork(std::uint32_t seed) : GraphBuilder(std::string()), random_(seed) {}

  using GraphBuilder::shape;

  TensorId input(const Shape& shape) {
    return GraphBuilder::input("input" + dot_number(), graph::ElementType::kFloat32, shape);
  }
  TensorId constant(const Shape& shape, const std::vector<float>& values) {
    return GraphBuilder::constant(graph::make_value(graph::ElementType::kFloat32, shape, values));
  }
  /// Of kBool.
  TensorId condition(const Shape& shape, const std::vector<std::uint8_t>& values) {
    return GraphBuilder::constant(graph::make_value(graph::ElementType::kBool, shape, values));
  }
  /// Of kInt32.
  TensorId indices(const Shape& shape, const std::vector<std::int32_t>& values) {
    return GraphBuilder::constant(graph::make_value(graph::ElementType::kInt32, shape, values));
  }
  /// Values between -magnitude and magnitude.
  TensorId random_constant(const Shape& shape, float magnitude) {
    return constant(shape, uniform(shape, -magnitude, magnitude));
  }
  /// Values between low and high.
  TensorId random_constant(const Shape& shape, float low, float high) {
    return constant(shape, uniform(shape, low, high));
  }

  TensorId conv(TensorId from, int channels, int kernel, int stride = 1, int pad = 0, int groups = 1,
                Activation activation = Activation::kNone) {
    graph::Conv2d op;
    op.window.kernel_h = op.window.kernel_w = kernel;
    op.window.stride_h = op.window.stride_w = stride;
    op.window.pad_top = op.window.pad_bottom = op.window.pad_left = op.window.pad_right = pad;
    op.groups = groups;
    op.activation = activation;
    const std::int64_t depth = shape(from)[3] / groups;
    const float magnitude = std::sqrt(3.0F / static_cast<float>(kernel * kernel * depth));  // keeps the variance
    const TensorId weights = random_constant({channels, kernel, kernel, depth}, magnitude);
    return add(op, {from, weights, random_constant({channels}, 0.2F)});
  }
  TensorId dense(TensorId from, int outputs) {
    const std::int64_t depth = shape(from).back();
    const TensorId weights = random_constant({outputs, depth}, std::sqrt(3.0F / static_cast<float>(depth)));
    return add(graph::Dense{}, {from, weights, random_constant({outputs}, 0.2F)});
  }
  /// A factor and a summand per channel.
  TensorId batch_normalization(TensorId from) {
    const std::int64_t channels = shape(from).back();
    const TensorId scaled =
        add(graph::Binary{graph::BinaryKind::kMultiply}, {from, random_constant({channels}, 0.5F, 1.5F)});
    return add(graph::Binary{graph::BinaryKind::kAdd}, {scaled, random_constant({channels}, 0.3F)});
  }
  TensorId unary(graph::UnaryKind kind, TensorId from, float alpha = 0, float beta = 0) {
    return add(graph::Unary{kind, alpha, beta}, {from});
  }
  TensorId pool(graph::PoolKind kind, TensorId from, int kernel, int stride) {
    graph::Pool op;
    op.kind = kind;
    op.window.kernel_h = op.window.kernel_w = kernel;
    op.window.stride_h = op.window.stride_w = stride;
    return add(op, {from});
  }
  TensorId flatten(TensorId from) {
    return add(graph::Reshape{}, {from}, {{shape(from)[0], graph::count(shape(from)) / shape(from)[0]}});
  }

  TensorId add(graph::OperatorKind kind, std::vector<TensorId> inputs, const std::vector<Shape>& given = {{}}) {
    std::vector<graph::Tensor> results;
    for (const Shape& shape : given) {
      results.push_back({{}, graph::ElementType::kFloat32, shape, {}, nullptr});
    }
    return append_all({{}, {}, std::move(kind), graph::Arithmetic::kTfLite, std::move(inputs), {}}, std::move(results))
        .at(0);
  }

  /// A copy, so that the network may grow further.
  Graph finish(std::vector<TensorId> outputs) {
    graph().outputs = std::move(outputs);
    validate(graph());
    return graph();
  }

  std::vector<float> uniform(const Shape& shape, float low, float high) {
    std::uniform_real_distribution<float> distribution(low, high);
    std::vector<float> values(static_cast<std::size_t>(graph::count(shape)));
    for (float& value : values) {
      value = distribution(random_);
    }
    return values;
  }
  /// Samples with values between -1 and 1.
  std::vector<Sample> samples(std::size_t count) {
    std::vector<Sample> result(count);
    for (Sample& sample : result) {
      for (const TensorId id : graph().inputs) {
        sample.push_back(graph::make_value(graph::ElementType::kFloat32, shape(id), uniform(shape(id), -1, 1)));
      }
    }
    return result;
  }
  std::mt19937& random() { return random_; }

 private:
  std::string dot_number() const { return "." + std::to_string(graph().tensors.size()); }
  std::string constant_name() override { return "constant" + dot_number(); }
  std::string result_name(const Operator& op, std::size_t) override { return op.name + dot_number(); }
  std::string operator_name(const std::string& origin) override {
    return origin + std::to_string(graph().operators.size());
  }

  std::mt19937 random_;
};

inline std::vector<std::string> kinds(const Graph& graph) {
  std::vector<std::string> result;
  for (const Operator& op : graph.operators) {
    result.emplace_back(graph::name_of(op.kind));
  }
  return result;
}

inline std::vector<float> run(const Graph& graph, const Sample& sample) {
  return graph::elements<float>(execute(graph, sample).at(0));
}

/// Ratio of signal to noise in dB over all samples.
inline double signal_to_noise(const Graph& graph, const Graph& other, const std::vector<Sample>& samples) {
  LayerReport sum;
  for (const Sample& sample : samples) {
    const std::vector<float> wanted = run(graph, sample);
    const std::vector<float> got = run(other, sample);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      sum.signal += std::pow(double{wanted[i]}, 2);
      sum.noise += std::pow(double{got[i]} - double{wanted[i]}, 2);
    }
  }
  return sum.signal_to_noise();
}

/// A network of 3 to 8 random layers on an image of 8x8 or so, ending in a dense layer.
inline Graph random_network(FloatNetwork& network) {
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(network.random());
  };
  TensorId at = network.input({1, pick(6, 9), pick(6, 9), pick(1, 4)});
  const int layers = pick(2, 6);
  for (int i = 0; i < layers; ++i) {
    const auto channels = static_cast<int>(network.shape(at)[3]);
    switch (pick(0, 6)) {
      case 0: at = network.conv(at, pick(1, 8), 3, pick(1, 2), 1); break;
      case 1: at = network.batch_normalization(network.conv(at, pick(1, 8), 1)); break;
      case 2: at = network.conv(at, channels * pick(1, 2), 3, 1, 1, channels, Activation::kRelu); break;
      case 3:
        at = network.shape(at)[1] >= 2 && network.shape(at)[2] >= 2
                 ? network.pool(graph::PoolKind(pick(0, 1)), at, 2, 1)
                 : at;
        break;
      case 4: at = network.unary(graph::UnaryKind::kRelu, network.batch_normalization(at)); break;
      case 5:
        at = network.add(graph::Binary{graph::BinaryKind::kAdd}, {at, network.conv(at, channels, 3, 1, 1)});
        break;
      default: at = network.unary(graph::UnaryKind::kClip, network.conv(at, pick(2, 5), 1), -0.7F, 2); break;
    }
  }
  return network.finish({network.dense(network.flatten(at), pick(2, 6))});
}

}  // namespace systole::quantizer::test

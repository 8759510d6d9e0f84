// SPDX-License-Identifier: Apache-2.0
// Works of float32 whose products are in block floating point, as `--precision mx` makes them of a float network.
#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "network_builder.hpp"
#include "systole/zoo.hpp"

namespace systole::zoo {
namespace {

using graph::Arithmetic;
using graph::Shape;

/// Weights are random, of a size that keeps results near those of the layer before.
class FloatBuilder : public graph::GraphBuilder {
 public:
  FloatBuilder(std::string name, std::uint64_t seed) : GraphBuilder(std::move(name)), random_(seed) {}

  TensorId input(const Shape& shape) { return GraphBuilder::input("input_0", graph::ElementType::kFloat32, shape); }
  /// With zeros of (kernel - 1) / 2 on every side.
  TensorId conv(TensorId from, int channels, int kernel, int stride, float scale = 1) {
    const TensorId filter = weights({channels, kernel, kernel, shape(from)[3]}, scale);
    return product("conv", graph::Conv2d{window(shape(from), kernel, kernel, stride, Border::kSymmetric)},
                   {from, filter, weights({channels}, scale)});
  }
  TensorId dense(TensorId from, int outputs) {
    return product("dense", graph::Dense{}, {from, weights({outputs, shape(from).back()}, 1)});
  }
  TensorId relu(TensorId from) { return append("relu", graph::Unary{graph::UnaryKind::kRelu}, {from}); }
  TensorId add(TensorId a, TensorId b) { return append("add", graph::Binary{graph::BinaryKind::kAdd}, {a, b}); }
  TensorId max_pool(TensorId from, int kernel, int stride) {
    const Window s = window(shape(from), kernel, kernel, stride, Border::kSymmetric);
    return append("max_pool", graph::Pool{graph::PoolKind::kMax, s}, {from});
  }
  /// The mean of each channel: one row.
  TensorId mean(TensorId from) {
    return append("mean", graph::Reduce{graph::ReduceKind::kMean, {1, 2}, false}, {from});
  }

 private:
  std::string constant_name() override { return fmt::format("weights_{}", graph().tensors.size()); }
  std::string operator_name(const std::string& origin) override {
    return fmt::format("{}_{}", origin, graph().operators.size());
  }
  std::string result_name(const graph::Operator& op, std::size_t) override {
    return fmt::format("{}_{}", op.origin, graph().tensors.size());
  }

  TensorId weights(const Shape& shape, float scale) {
    const std::int64_t elements = graph::count(shape);
    const float most = scale * std::sqrt(6.0F * static_cast<float>(shape[0]) / static_cast<float>(elements));
    std::vector<float> values(static_cast<std::size_t>(elements));
    for (float& value : values) {  // bits of the generator, the same on every machine
      value = most * (static_cast<float>(random_() >> 40U) * 0x1p-23F - 1);
    }
    return constant(make_value(graph::ElementType::kFloat32, shape, values));
  }
  TensorId append(const char* origin, graph::OperatorKind kind, std::vector<TensorId> inputs,
                  Arithmetic arithmetic = Arithmetic::kOnnx) {
    return append_all({{}, origin, std::move(kind), arithmetic, std::move(inputs), {}},
                      {{{}, graph::ElementType::kFloat32, {}, std::nullopt, nullptr}})
        .at(0);
  }
  TensorId product(const char* origin, graph::OperatorKind kind, std::vector<TensorId> inputs) {
    return append(origin, std::move(kind), std::move(inputs), Arithmetic::kBlocks);
  }

  std::mt19937_64 random_;
};

/// As the int8 network's; the last convolution is small, so that sums do not grow from block to block.
TensorId bottleneck(FloatBuilder& net, TensorId from, int width, int stride, bool project) {
  constexpr float kSmall = 0.3F;
  TensorId x = net.relu(net.conv(from, width, 1, 1));
  x = net.relu(net.conv(x, width, 3, stride));
  const TensorId shortcut = project ? net.conv(from, 4 * width, 1, stride) : from;
  return net.relu(net.add(net.conv(x, 4 * width, 1, 1, kSmall), shortcut));
}

}  // namespace

graph::Graph resnet50_mx(std::uint64_t seed) {
  struct Stage {
    int width, blocks, stride;
  };
  FloatBuilder net("resnet50_mx", seed);
  TensorId x = net.max_pool(net.relu(net.conv(net.input({1, 224, 224, 3}), 64, 7, 2)), 3, 2);
  for (const Stage& stage : {Stage{64, 3, 1}, Stage{128, 4, 2}, Stage{256, 6, 2}, Stage{512, 3, 2}}) {
    for (int block = 0; block < stage.blocks; ++block) {
      x = bottleneck(net, x, stage.width, block == 0 ? stage.stride : 1, block == 0);
    }
  }
  return net.finish({net.dense(net.mean(x), 1000)});
}

graph::Graph matmul_512_mx(std::uint64_t seed) {
  FloatBuilder net("matmul_512_mx", seed);
  return net.finish({net.dense(net.input({512, 512}), 512)});
}

graph::Graph conv3x3_28x28x128_mx(std::uint64_t seed) {
  FloatBuilder net("conv3x3_28x28x128_mx", seed);
  return net.finish({net.conv(net.input({1, 28, 28, 128}), 128, 3, 1)});
}

}  // namespace systole::zoo

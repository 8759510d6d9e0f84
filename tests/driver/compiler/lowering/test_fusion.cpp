// SPDX-License-Identifier: Apache-2.0
// Layers that are fused, and layers that must not be.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "seed.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

using graph::TensorId;

constexpr int kZeroPoint = -5;

class Chain {
 public:
  Chain() { graph_.inputs = {last_ = tensor({1, 6, 6, 8})}; }

  Chain& pad(double value) {
    graph::Pad pad;
    pad.before = {0, 1, 1, 0};
    pad.after = {0, 1, 0, 0};
    pad.value = value;
    return add(pad, {1, 8, 7, 8});
  }
  Chain& pool(graph::PoolKind kind, const graph::Shape& result) {
    Window s;
    s.kernel_h = s.kernel_w = 2;
    s.stride_h = s.stride_w = 1;
    return add(graph::Pool{kind, s, false, Activation::kNone}, result);
  }
  Chain& depthwise(const graph::Shape& result) {
    const TensorId weights = tensor({8, 3, 3, 1});
    graph_.tensor(weights).quantization->zero_point = {0};
    graph_.tensor(weights).constant = std::make_shared<const graph::Bytes>(graph::Bytes(72, 3));
    Window s;
    s.kernel_h = s.kernel_w = 3;
    return add(graph::Conv2d{s, 8, Activation::kNone}, result, weights);
  }
  Chain& unary(graph::UnaryKind kind) { return add(graph::Unary{kind, 0.1F, 0}, graph_.tensor(last_).shape); }
  Chain& subtract_input() {
    return add(graph::Binary{graph::BinaryKind::kSubtract, Activation::kNone}, graph_.tensor(last_).shape,
               graph_.inputs[0]);
  }

  /// Runs the graph on the functional model and expects the host's bytes; returns the layers of the device's program.
  std::vector<std::string> layers() {
    graph_.outputs = {last_};
    graph::validate(graph_);
    BackendOptions options;
    options.configuration = "tiny";
    Device device = Device::open(options, "model");
    Network network(device, graph_);
    std::mt19937_64 random(test::seed());
    graph::Value value{graph::ElementType::kInt8, {1, 6, 6, 8}, graph::Bytes(288)};
    for (std::uint8_t& byte : value.data) {
      byte = static_cast<std::uint8_t>(random());
    }
    RunOptions checked;
    checked.check = true;
    EXPECT_EQ(network.run({value}, checked).at(0).data, graph::execute(graph_, {value}).at(0).data);
    EXPECT_EQ(network.steps().size(), 1U);
    std::vector<std::string> names;
    for (const LayerReport& layer : network.steps().at(0).layers) {
      names.push_back(layer.name);
    }
    return names;
  }

 private:
  TensorId tensor(const graph::Shape& shape) {
    graph::Tensor result;
    result.name = std::string("t").append(std::to_string(graph_.tensors.size()));
    result.shape = shape;
    result.quantization = graph::Quantization{{0.1F}, {kZeroPoint}, 0};
    graph_.tensors.push_back(std::move(result));
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }
  Chain& add(graph::OperatorKind kind, const graph::Shape& shape, TensorId second = graph::kNoTensor) {
    graph::Operator op;
    op.name = std::string("op").append(std::to_string(graph_.operators.size()));
    op.kind = std::move(kind);
    op.inputs = {last_};
    if (second != graph::kNoTensor) {
      op.inputs.push_back(second);
    }
    op.outputs = {last_ = tensor(shape)};
    graph_.operators.push_back(std::move(op));
    return *this;
  }

  graph::Graph graph_;
  TensorId last_ = graph::kNoTensor;
};

using Names = std::vector<std::string>;
using graph::PoolKind;
using graph::UnaryKind;

TEST(Fusion, MergesPaddingIntoConvolution) {
  EXPECT_EQ(Chain().pad(0).depthwise({1, 6, 5, 8}).layers(), Names{"op1"});
  EXPECT_EQ(Chain().pad(1).depthwise({1, 6, 5, 8}).layers().size(), 2U) << "one is not zero";
}

TEST(Fusion, MergesPaddingIntoPool) {
  EXPECT_EQ(Chain().pad(0).pool(PoolKind::kAverage, {1, 7, 6, 8}).layers(), Names{"op1"});
  EXPECT_EQ(Chain().pad(-100).pool(PoolKind::kMax, {1, 7, 6, 8}).layers(), Names{"op1"});
  EXPECT_EQ(Chain().pad(0).pool(PoolKind::kMax, {1, 7, 6, 8}).layers().size(), 2U)
      << "zero is larger than the smallest";
}

TEST(Fusion, ComposesTables) {
  EXPECT_EQ(Chain().unary(UnaryKind::kLeakyRelu).unary(UnaryKind::kHardSwish).unary(UnaryKind::kRelu).layers(),
            Names{"op2"});
}

TEST(Fusion, MergesTableIntoConvolution) {
  EXPECT_EQ(Chain().depthwise({1, 4, 4, 8}).unary(UnaryKind::kHardSwish).layers(), Names{"op0 + op1"});
  EXPECT_EQ(Chain()
                .depthwise({1, 4, 4, 8})
                .unary(UnaryKind::kLeakyRelu)
                .depthwise({1, 2, 2, 8})
                .unary(UnaryKind::kHardSwish)
                .layers(),
            (Names{"op0 + op1", "op2 + op3"}))
      << "each with a table of its own";
}

TEST(Fusion, SubtractionAddsComplement) {
  EXPECT_EQ(Chain().unary(UnaryKind::kHardSwish).subtract_input().layers(), (Names{"op0", "op1/complement", "op1"}));
}

}  // namespace
}  // namespace systole

// SPDX-License-Identifier: Apache-2.0
// Layers that are fused, and layers that must not be.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "quantized_net.hpp"
#include "seed.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

using graph::TensorId;

constexpr int kZeroPoint = -5;

class Chain {
 public:
  Chain() : last_(net_.input({1, 6, 6, 8})) {}

  Chain& pad(double value) {
    graph::Pad pad;
    pad.before = {0, 1, 1, 0};
    pad.after = {0, 1, 0, 0};
    pad.value = value;
    return add(pad);
  }
  Chain& pool(graph::PoolKind kind) {
    Window s;
    s.kernel_h = s.kernel_w = 2;
    s.stride_h = s.stride_w = 1;
    return add(graph::Pool{kind, s, false, Activation::kNone});
  }
  Chain& depthwise() {
    Window s;
    s.kernel_h = s.kernel_w = 3;
    return add(graph::Conv2d{s, 8, Activation::kNone}, net_.weights({8, 3, 3, 1}, graph::Bytes(72, 3)));
  }
  Chain& unary(graph::UnaryKind kind) { return add(graph::Unary{kind, 0.1F, 0}); }
  Chain& subtract_input() {
    return add(graph::Binary{graph::BinaryKind::kSubtract, Activation::kNone}, net_.graph().inputs[0]);
  }

  /// Runs the graph on the functional model and expects the host's bytes; returns the layers of the device's program.
  std::vector<std::string> layers() {
    const graph::Graph graph = net_.finish({last_});
    BackendOptions options;
    options.configuration = "tiny";
    Device device = Device::open(options, "model");
    Network network(device, graph);
    std::mt19937_64 random(test::seed());
    graph::Value value{graph::ElementType::kInt8, {1, 6, 6, 8}, graph::Bytes(288)};
    for (std::uint8_t& byte : value.data) {
      byte = static_cast<std::uint8_t>(random());
    }
    RunOptions checked;
    checked.check = true;
    EXPECT_EQ(network.run({value}, checked).at(0).data, graph::execute(graph, {value}).at(0).data);
    EXPECT_EQ(network.steps().size(), 1U);
    std::vector<std::string> names;
    for (const LayerReport& layer : network.steps().at(0).layers) {
      names.push_back(layer.name);
    }
    return names;
  }

 private:
  Chain& add(graph::OperatorKind kind, TensorId second = graph::kNoTensor) {
    std::vector<TensorId> inputs{last_};
    if (second != graph::kNoTensor) {
      inputs.push_back(second);
    }
    last_ = net_.append(std::move(kind), std::move(inputs));
    return *this;
  }

  test::QuantizedNet net_{{{0.1F}, {kZeroPoint}, 0}};
  TensorId last_;
};

using Names = std::vector<std::string>;
using graph::PoolKind;
using graph::UnaryKind;

TEST(Fusion, MergesPaddingIntoConvolution) {
  EXPECT_EQ(Chain().pad(0).depthwise().layers(), Names{"op1"});
  EXPECT_EQ(Chain().pad(1).depthwise().layers().size(), 2U) << "one is not zero";
}

TEST(Fusion, MergesPaddingIntoPool) {
  EXPECT_EQ(Chain().pad(0).pool(PoolKind::kAverage).layers(), Names{"op1"});
  EXPECT_EQ(Chain().pad(-100).pool(PoolKind::kMax).layers(), Names{"op1"});
  EXPECT_EQ(Chain().pad(0).pool(PoolKind::kMax).layers().size(), 2U) << "zero is larger than the smallest";
}

TEST(Fusion, ComposesTables) {
  EXPECT_EQ(Chain().unary(UnaryKind::kLeakyRelu).unary(UnaryKind::kHardSwish).unary(UnaryKind::kRelu).layers(),
            Names{"op2"});
}

TEST(Fusion, MergesTableIntoConvolution) {
  EXPECT_EQ(Chain().depthwise().unary(UnaryKind::kHardSwish).layers(), Names{"op0 + op1"});
  EXPECT_EQ(Chain().depthwise().unary(UnaryKind::kLeakyRelu).depthwise().unary(UnaryKind::kHardSwish).layers(),
            (Names{"op0 + op1", "op2 + op3"}))
      << "each with a table of its own";
}

TEST(Fusion, SubtractionAddsComplement) {
  EXPECT_EQ(Chain().unary(UnaryKind::kHardSwish).subtract_input().layers(), (Names{"op0", "op1/complement", "op1"}));
}

}  // namespace
}  // namespace systole

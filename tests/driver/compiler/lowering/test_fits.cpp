// SPDX-License-Identifier: Apache-2.0
// An operator that does not fit the device runs on the host, with a reason; the operators before and after it stay on
// the device.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "quantized_net.hpp"
#include "seed.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

using graph::TensorId;

/// x, relu, the operator that is too large, relu.
class LargeOperatorGraph {
 public:
  explicit LargeOperatorGraph(const graph::Shape& input) : x_(net_.input(input)) {}

  TensorId weights(const graph::Shape& shape) {
    std::mt19937_64 random(test::seed());
    graph::Bytes bytes(static_cast<std::size_t>(graph::count(shape)));
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random());
    }
    return net_.weights(shape, bytes);
  }

  graph::Graph finish(graph::OperatorKind kind, TensorId weights = graph::kNoTensor) {
    std::vector<TensorId> inputs{relu(x_)};
    if (weights != graph::kNoTensor) {
      inputs.push_back(weights);
    }
    return net_.finish({relu(net_.append(std::move(kind), std::move(inputs)))});
  }

 private:
  TensorId relu(TensorId from) { return net_.append(graph::Unary{graph::UnaryKind::kRelu, 0, 0}, {from}); }

  test::QuantizedNet net_{{{0.1F}, {-5}, 0}};
  TensorId x_;
};

Window window(int height, int width, int pad_before = 0, int pad_after = 0) {
  Window s;
  s.kernel_h = height;
  s.kernel_w = width;
  s.pad_top = s.pad_left = pad_before;
  s.pad_bottom = s.pad_right = pad_after;
  return s;
}

graph::Pool pool(graph::PoolKind kind, const Window& window) { return {kind, window, false, Activation::kNone}; }

/// Compiles for `tiny` and runs on the functional model; returns why the middle operator ran on the host, if it did.
std::string reason_of(const graph::Graph& graph) {
  BackendOptions options;
  options.configuration = "tiny";
  Device device = Device::open(options, "model");
  Network network(device, graph);
  std::mt19937_64 random(test::seed());
  const graph::Tensor& input = graph.tensor(graph.inputs[0]);
  graph::Value value{input.type, input.shape, graph::Bytes(static_cast<std::size_t>(graph::count(input.shape)))};
  for (std::uint8_t& byte : value.data) {
    byte = static_cast<std::uint8_t>(random());
  }
  EXPECT_EQ(network.run({value}).at(0).data, graph::execute(graph, {value}).at(0).data);
  if (network.steps().size() == 1) {
    return "";
  }
  EXPECT_EQ(network.steps().size(), 3U) << "device, host, device";
  return network.steps().size() == 3 && network.steps()[0].on_device && network.steps()[2].on_device
             ? network.steps()[1].reason
             : "";
}

TEST(Fits, RejectsPoolWithLargeKernel) {
  const auto kernel = pool(graph::PoolKind::kMax, window(300, 1));
  EXPECT_NE(reason_of(LargeOperatorGraph({1, 300, 2, 3}).finish(kernel)).find("above 255"), std::string::npos);
  Window steps = window(1, 1);
  steps.stride_h = 256;
  EXPECT_NE(reason_of(LargeOperatorGraph({1, 300, 2, 3}).finish(pool(graph::PoolKind::kMax, steps))).find("above 255"),
            std::string::npos);
}

TEST(Fits, AcceptsAverageOfManyCounts) {
  const auto same = pool(graph::PoolKind::kAverage, window(14, 14, 6, 7));
  EXPECT_EQ(reason_of(LargeOperatorGraph({1, 14, 14, 5}).finish(same)), "");
}

TEST(Fits, RejectsDenseLayerOfManyInputs) {
  LargeOperatorGraph network({1, 70000});
  const TensorId weights = network.weights({2, 70000});
  EXPECT_NE(reason_of(network.finish(graph::Dense{}, weights)).find("65535"), std::string::npos);
}

TEST(Fits, RejectsWindowLargerThanScratchpad) {
  const auto large = pool(graph::PoolKind::kMax, window(32, 32));
  const std::string reason = reason_of(LargeOperatorGraph({1, 32, 32, 3}).finish(large));
  EXPECT_NE(reason.find("scratchpad rows"), std::string::npos) << reason;
  EXPECT_NE(reason.find("configuration tiny"), std::string::npos) << reason;
}

TEST(Fits, RejectsConvolutionLargerThanScratchpad) {
  LargeOperatorGraph network({1, 33, 33, 2});
  const TensorId weights = network.weights({1, 33, 33, 2});
  const std::string reason = reason_of(network.finish(graph::Conv2d{window(33, 33), 1, Activation::kNone}, weights));
  EXPECT_NE(reason.find("configuration tiny"), std::string::npos) << reason;
}

}  // namespace
}  // namespace systole

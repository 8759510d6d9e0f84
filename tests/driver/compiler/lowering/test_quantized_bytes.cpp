// SPDX-License-Identifier: Apache-2.0
// Numbers of float32 become bytes as on the host: next to every number where the result changes, and at all edges.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "graph_builder.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

using graph::Arithmetic;
using graph::ElementType;

std::vector<float> numbers_of(float scale, int zero_point) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kMost = std::numeric_limits<float>::max();
  std::vector<float> numbers = {0.0F,   -0.0F,  kInfinity, -kInfinity, kMost,
                                -kMost, 1e-38F, -1e-38F,   1e-40F,     std::numeric_limits<float>::quiet_NaN(),
                                1e9F,   -1e9F,  3e9F,      -3e9F};
  for (const float power : {0x1p29F, 0x1p30F, 0x1p31F, 0x1p32F}) {
    numbers.insert(numbers.end(), {power * scale, -power * scale});
  }
  for (int result = -140; result <= 400; ++result) {
    float number = (static_cast<float>(result - zero_point) + 0.5F) * scale;
    for (int i = 0; i < 3; ++i) {
      number = std::nextafter(number, -kInfinity);
    }
    for (int i = 0; i < 7; ++i) {
      numbers.push_back(number);
      number = std::nextafter(number, kInfinity);
    }
  }
  return numbers;
}

void expect_equal(float scale, int zero_point, ElementType type, Arithmetic arithmetic) {
  const std::vector<float> numbers = numbers_of(scale, zero_point);
  graph::GraphBuilder net("quantized");
  const graph::Shape shape{static_cast<std::int64_t>(numbers.size())};
  const graph::TensorId x = net.input("x", ElementType::kFloat32, shape);
  const auto result = net.append_all({"quantize", {}, graph::Convert{}, arithmetic, {x}, {}},
                                     {{"y", type, shape, graph::Quantization{{scale}, {zero_point}, 0}, nullptr}});
  const graph::Graph graph = net.finish({result.at(0)});
  const std::vector<graph::Value> inputs = {graph::make_value(ElementType::kFloat32, shape, numbers)};
  const auto expected = graph::execute(graph, inputs);
  for (const char* configuration : {"tiny", "default"}) {
    BackendOptions options;
    options.configuration = configuration;
    Device device = Device::open(options, "model");
    Network network(device, graph);
    const auto found = network.run(inputs);
    ASSERT_TRUE(network.steps().front().on_device) << network.steps().front().reason;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(found[0].data[i], expected[0].data[i]) << numbers[i] << " / " << scale << " + " << zero_point;
    }
  }
}

TEST(QuantizedBytes, AreTheHostsNextToEveryThreshold) {
  for (const float scale : {0.02F, 1.0F, 0.0039215689F, 3.7e-9F, 2e29F, 1e-30F, 0.1F}) {
    for (const int zero_point : {0, -128, 127, 3}) {
      expect_equal(scale, zero_point, ElementType::kInt8, Arithmetic::kOnnx);
    }
    expect_equal(scale, 128, ElementType::kUint8, Arithmetic::kOnnx);
    expect_equal(scale, 0, ElementType::kUint8, Arithmetic::kOnnx);
    expect_equal(scale, -7, ElementType::kInt8, Arithmetic::kTfLite);
  }
}

}  // namespace
}  // namespace systole

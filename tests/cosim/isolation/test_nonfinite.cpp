// SPDX-License-Identifier: Apache-2.0
// Blocks that are no numbers are reported for the run in which they were stored, and for no other.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "float_net.hpp"
#include "systole/backends.hpp"
#include "systole/network.hpp"

namespace systole::cosim {
namespace {

graph::Graph convolution_in_blocks() {
  test::FloatNet net(7);
  const graph::TensorId x = net.input({1, 4, 4, 16});
  const graph::TensorId y =
      net.append(graph::Conv2d{}, {x, net.constant({8, 1, 1, 16})}, {1, 4, 4, 8}, graph::Arithmetic::kBlocks);
  return net.graph({y});
}

graph::Value image(float first) {
  std::vector<float> numbers(4 * 4 * 16, 0.5F);
  numbers[0] = first;
  return graph::make_value(graph::ElementType::kFloat32, {1, 4, 4, 16}, numbers);
}

void report_on(const std::string& backend) {
  if (!has_backend(backend)) {
    GTEST_SKIP() << "this build has no back end " << backend;
  }
  BackendOptions options;
  options.configuration = "tiny";
  Device device = Device::open(options, backend);
  Network network(device, convolution_in_blocks()), other(device, convolution_in_blocks());
  ASSERT_TRUE(network.steps().front().on_device) << network.steps().front().reason;
  EXPECT_EQ(first_nonfinite(network.steps()), nullptr) << "before the first run";
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    network.run({image(1)});
    EXPECT_EQ(first_nonfinite(network.steps()), nullptr);
    network.run({image(bad)});
    ASSERT_EQ(first_nonfinite(network.steps()), &network.steps().front());
    other.run({image(1)});
    EXPECT_EQ(first_nonfinite(other.steps()), nullptr) << "it was the run before";
  }
}

TEST(model_tiny, ReportsNumbersThatAreNotFinite) { report_on("model"); }
TEST(rtl_tiny, ReportsNumbersThatAreNotFinite) { report_on("rtl"); }

}  // namespace
}  // namespace systole::cosim

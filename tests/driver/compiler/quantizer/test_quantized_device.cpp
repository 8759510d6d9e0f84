// SPDX-License-Identifier: Apache-2.0
// The device runs quantized graphs: the functional model gives the host's results, bit for bit.
#include <gtest/gtest.h>

#include "attention_network.hpp"
#include "systole/network.hpp"

namespace systole::quantizer::test {
namespace {

constexpr std::uint32_t kNetworks = 20;

TEST(OnDevice, AgreesWithTheHost) {
  for (std::uint32_t seed = 1; seed <= kNetworks; ++seed) {
    FloatNetwork network(seed);
    const Graph model = random_network(network);
    const std::vector<Sample> samples = network.samples(4);
    Options options;
    options.border = seed % 2 == 0 ? Border::kFloat : Border::kInt8;
    const Graph quantized = quantize(model, samples, options).graph;
    BackendOptions backend;
    backend.configuration = "tiny";
    Device device = Device::open(backend, "model");
    Network on_device(device, quantized);
    for (const Sample& sample : samples) {
      const Sample input = convert_sample(model, quantized, sample);
      ASSERT_EQ(on_device.run(input).at(0).data, execute(quantized, input).at(0).data) << "network " << seed;
    }
  }
}

TEST(OnDevice, TransformersAgreeWithTheHost) {
  FloatNetwork network(1);
  const Graph model = transformer(network, 1);
  const std::vector<Sample> samples = network.samples(4);
  const Graph quantized = quantize(model, samples).graph;
  BackendOptions backend;
  backend.configuration = "tiny";
  Device device = Device::open(backend, "model");
  Network on_device(device, quantized);
  for (const Sample& sample : samples) {
    ASSERT_EQ(on_device.run(sample).at(0).data, execute(quantized, sample).at(0).data);
  }
}

/// int8 pools, convolutions, dense layers and additions need no host between them.
TEST(OnDevice, OneProgram) {
  FloatNetwork network(1);
  const TensorId image =
      network.pool(graph::PoolKind::kMax, network.conv(network.input({1, 8, 8, 3}), 8, 3, 1, 1), 2, 2);
  const TensorId sum = network.add(graph::Binary{graph::BinaryKind::kAdd}, {image, network.conv(image, 8, 3, 1, 1)});
  const Graph model = network.finish({network.dense(network.flatten(sum), 5)});
  Options options;
  options.border = Border::kInt8;
  BackendOptions backend;
  backend.configuration = "tiny";
  Device device = Device::open(backend, "model");
  const Network on_device(device, quantize(model, network.samples(8), options).graph);
  ASSERT_EQ(on_device.steps().size(), 1U);
  EXPECT_TRUE(on_device.steps()[0].on_device);
}

}  // namespace
}  // namespace systole::quantizer::test

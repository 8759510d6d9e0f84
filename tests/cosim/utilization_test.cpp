// SPDX-License-Identifier: Apache-2.0
// Array utilization of the Verilated core (doorbell to interrupt, memory latency 100, dense operands in device memory)
// against its targets, and against what the cost model foresaw.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include "cases.hpp"
#include "device/backends.hpp"
#include "seed.hpp"

namespace systole::cosim {
namespace {

constexpr double kModelError = 0.03;  // of the cost model, at most

struct Layer {
  const char* name;
  int height, width, channels, out_channels, kernel, stride, pad;  // a matmul of height x channels x out_channels if width is 0
  double target;
};

const std::vector<Layer>& layers() {
  static const std::vector<Layer> list = {
      {"matmul_64", 64, 0, 64, 64, 0, 0, 0, 0.65},
      {"matmul_256", 256, 0, 256, 256, 0, 0, 0, 0.97},
      {"matmul_512", 512, 0, 512, 512, 0, 0, 0, 0.99},
      {"conv3x3_28x28x128", 28, 28, 128, 128, 3, 1, 1, 0.97},
      {"conv3x3_32x32x64", 32, 32, 64, 64, 3, 1, 1, 0.96},
      {"conv3x3_16x16x64", 16, 16, 64, 64, 3, 1, 1, 0.95},
      {"conv1x1_56x56x64", 56, 56, 64, 64, 1, 1, 0, 0.95},
      {"conv7x7s2_224x224x3", 224, 224, 3, 64, 7, 2, 3, 0.80},
  };
  return list;
}

class Utilization : public ::testing::TestWithParam<Layer> {};

TEST_P(Utilization, ReachesItsTarget) {
  if (!has_backend("rtl")) {
    GTEST_SKIP() << "this build has no RTL back end";
  }
  const Layer& l = GetParam();
  Device device = Device::open({}, "rtl");
  Source source(test::seed());
  const auto bytes = [&](int a, int b, int c) {
    return source.bytes(static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c));
  };
  Computed<std::int8_t> result;
  if (l.width == 0) {
    result = matmul(device, bytes(1, l.height, l.channels), bytes(1, l.channels, l.out_channels), l.height, l.channels,
                    l.out_channels, {}, {});
  } else {
    ConvOptions options;
    options.sliding = {l.kernel, l.kernel, l.stride, l.stride, 1, 1, l.pad, l.pad, l.pad, l.pad};
    const HostTensor8 input{1, l.height, l.width, l.channels, bytes(l.height, l.width, l.channels)};
    result = conv2d(device, input, bytes(l.kernel * l.kernel, l.channels, l.out_channels), l.out_channels, {}, options, {});
  }
  const double reached = result.stats.utilization(device.configuration().dim);
  fmt::print("{}: {} cycles, {:.2f} % of the array (target {:.0f} %), estimated {}\n", l.name, result.stats.cycles,
             100 * reached, 100 * l.target, result.estimated_cycles);
  EXPECT_GE(reached, l.target);
  const auto cycles = static_cast<double>(result.stats.cycles);
  EXPECT_NEAR(static_cast<double>(result.estimated_cycles), cycles, kModelError * cycles);
  for (const auto& engine : result.stats.causes) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : engine) {
      sum += count;
    }
    EXPECT_EQ(sum, result.stats.cycles);
  }
}

INSTANTIATE_TEST_SUITE_P(rtl_default, Utilization, ::testing::ValuesIn(layers()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace systole::cosim

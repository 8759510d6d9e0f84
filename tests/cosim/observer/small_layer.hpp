// SPDX-License-Identifier: Apache-2.0
// A small device, and a layer on it that keeps all four engines busy.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "seed.hpp"
#include "systole/device.hpp"
#include "systole/operators.hpp"

namespace systole::test {

inline std::uint64_t data_seed() {
  static const std::uint64_t value = seed();
  return value;
}

inline BackendOptions options(unsigned stall = 0) {
  BackendOptions result;
  result.configuration = SYSTOLE_TEST_CORE;
  result.memory_bytes = 1 << 24;
  result.stall_percent = stall;
  result.order = stall > 0 ? ResponseOrder::kRandom : ResponseOrder::kInOrder;
  result.seed = data_seed();
  return result;
}

inline std::vector<std::int8_t> random_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int8_t> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::int8_t>(random());
  return bytes;
}

inline Computed<std::int8_t> layer(Device& device, const RunOptions& run = {}) {
  const HostTensor8 input{1, 12, 12, 16, random_bytes(12 * 12 * 16, data_seed())};
  ConvOptions convolution;
  convolution.window.kernel_h = convolution.window.kernel_w = 3;
  Requantize requantize;
  requantize.scale = {{1 << 30, -9}};
  return conv2d(device, input, random_bytes(16 * 3 * 3 * 16, data_seed() + 1), 16, std::vector<std::int32_t>(16, 3),
                convolution, requantize, run);
}

}  // namespace systole::test

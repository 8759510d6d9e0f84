// SPDX-License-Identifier: Apache-2.0
// One layer, from arrays on the host to arrays on the host: one_layer [BACKEND]
//
// Computes a convolution of an int8 image, as in a quantized network, in one call. Prints its cost and compares the
// result with the golden model.
#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "systole/backends.hpp"
#include "systole/golden.hpp"
#include "systole/operators.hpp"

using namespace systole;

std::vector<std::int8_t> random_bytes(std::mt19937& random, int count) {
  std::vector<std::int8_t> bytes(static_cast<std::size_t>(count));
  for (std::int8_t& byte : bytes) {
    byte = static_cast<std::int8_t>(random() % 255 - 127);
  }
  return bytes;
}

int run(const std::string& backend) {
  constexpr int kHeight = 28, kWidth = 28, kIn = 32, kOut = 64, kKernel = 3;
  std::mt19937 random(1);  // the same operands in every run

  // Activations are NHWC: batch, row, column, channel. real = scale * (value - zero point); the zero point is given
  // below.
  const HostTensor8 image{1, kHeight, kWidth, kIn, random_bytes(random, kHeight * kWidth * kIn)};
  // Weights are OHWI: output channel, kernel row, kernel column, input channel. They have no zero point.
  const std::vector<std::int8_t> weights = random_bytes(random, kOut * kKernel * kKernel * kIn);
  // The bias is int32, one value for each output channel, and its scale is input scale * weight scale.
  const std::vector<std::int32_t> bias(kOut, 1000);

  ConvOptions convolution;
  Window& window = convolution.window;
  window.kernel_h = window.kernel_w = kKernel;
  window.pad_top = window.pad_bottom = window.pad_left = window.pad_right = 1;  // the output is as large as the input
  convolution.input_zero_point = -5;                                            // also the value of the padding

  // The sums of 288 products are converted to int8: they are multiplied by input scale * weight scale / output scale,
  // here 1/2000, as a 31-bit multiplier and a shift; the output's zero point is added; and the result is clamped. A
  // ReLU is a clamp with clamp_min = zero_point.
  Requantize requantize;
  requantize.scale = {quantize_multiplier(1.0 / 2000)};
  requantize.zero_point = 3;
  requantize.clamp_min = 3;

  // Copies the operands, compiles and runs a program, copies the result. To keep tensors on the device between layers,
  // run a network.
  Device device = Device::open({}, backend);
  const Computed<std::int8_t> result = conv2d(device, image, weights, kOut, bias, convolution, requantize);

  const RunStats& stats = result.stats;  // back end `model` has no time: all zero there except the MACs
  fmt::print("conv {0}x{0} {1}x{2}x{3} to {4} on {5}\n", kKernel, kHeight, kWidth, kIn, kOut, backend);
  fmt::print("  {} multiply-accumulates in {} cycles of {} predicted: {:.1f} % of what the array can do\n",
             stats.useful_macs, stats.cycles, result.estimated_cycles,
             100 * stats.utilization(device.configuration().dim));

  const HostTensor8 expected = golden::conv2d(image, weights, kOut, bias, convolution, requantize);
  const bool exact = result.tensor.data == expected.data;
  fmt::print("  {} values, {} the golden model's\n", expected.data.size(), exact ? "bit for bit" : "NOT");
  return exact ? 0 : 1;
}

int main(int count, char** arguments) {
  try {
    return run(count > 1 ? arguments[1] : has_backend("rtl") ? "rtl" : "model");
  } catch (const std::exception& error) {
    fmt::print(stderr, "one_layer: {}\n", error.what());
    return 2;
  }
}

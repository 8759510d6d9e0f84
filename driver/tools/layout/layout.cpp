// SPDX-License-Identifier: Apache-2.0
// What the default core does while it counts which of its branches are taken, so that the compiler lays it out for
// that: a matrix product, a convolution and a pool, of the ordinary size of a layer. The build runs it; the counts are
// written when it ends.
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include "rtl_backend.hpp"
#include "systole/device.hpp"
#include "systole/operators.hpp"

namespace systole::sim {
std::unique_ptr<CoreModel> make_core_default(Storage& storage, const CoreOptions& options);
}

namespace systole {
namespace {

std::vector<std::int8_t> values(int count) {
  std::vector<std::int8_t> bytes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::int8_t>(static_cast<int>(i * 37 % 251) - 125);
  }
  return bytes;
}

void run() {
  Device device(
      sim::make_machine_backend({}, [](const Configuration&, sim::Storage& storage, const sim::CoreOptions& options) {
        return sim::make_core_default(storage, options);
      }));
  constexpr int kRows = 256;
  Requantize requantize;
  requantize.scale = {quantize_multiplier(1.0 / 2000)};
  matmul(device, values(kRows * kRows), values(kRows * kRows), kRows, kRows, kRows,
         std::vector<std::int32_t>(kRows, 1000), requantize);

  constexpr int kSide = 24, kIn = 32, kOut = 48, kKernel = 3;
  ConvOptions convolution;
  Window& window = convolution.window;
  window.kernel_h = window.kernel_w = kKernel;
  window.pad_top = window.pad_bottom = window.pad_left = window.pad_right = 1;
  const HostTensor8 image{1, kSide, kSide, kIn, values(kSide * kSide * kIn)};
  const HostTensor8 features = conv2d(device, image, values(kOut * kKernel * kKernel * kIn), kOut,
                                      std::vector<std::int32_t>(kOut, 1000), convolution, requantize)
                                   .tensor;
  window.pad_top = window.pad_left = 0;
  window.stride_h = window.stride_w = 2;
  max_pool(device, features, window);
}

}  // namespace
}  // namespace systole

int main() {
  try {
    systole::run();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "systole_layout: {}\n", error.what());
    return 1;
  }
}

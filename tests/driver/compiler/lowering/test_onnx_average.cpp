// SPDX-License-Identifier: Apache-2.0
// Averages in ONNX's arithmetic, which rounds in float32: on the device if no tie is possible, otherwise on the host,
// with the same result.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>

#include "host_comparison.hpp"
#include "quantized_net.hpp"
#include "seed.hpp"

namespace systole {
namespace {

graph::Graph average(int size, const Window& window, bool count_padding, graph::ElementType type, float scale,
                     int zero_point) {
  test::QuantizedNet net({{scale}, {zero_point}, 0}, type);
  const graph::TensorId x = net.input({1, size, size, 5});
  return net.finish({net.append(graph::Pool{graph::PoolKind::kAverage, window, count_padding, Activation::kNone}, {x},
                                {}, graph::Arithmetic::kOnnx)});
}

bool on_device(const graph::Graph& graph, std::mt19937_64& random) {
  return test::compare_with_host(graph, random).on_device;
}

Window window(int height, int width, int stride, int pad) {
  Window s;
  s.kernel_h = height;
  s.kernel_w = width;
  s.stride_h = s.stride_w = stride;
  s.pad_top = s.pad_bottom = s.pad_left = s.pad_right = pad;
  return s;
}

TEST(OnnxAverage, OddCountRunsOnDevice) {
  std::mt19937_64 random(test::seed());
  std::uniform_real_distribution<float> scale(0.001F, 10.0F);
  for (const auto type : {graph::ElementType::kInt8, graph::ElementType::kUint8}) {
    const int low = type == graph::ElementType::kInt8 ? -128 : 0;
    for (const Window& s :
         {window(3, 3, 1, 0), window(7, 7, 1, 0), window(1, 5, 2, 0), window(3, 3, 2, 1), window(9, 9, 1, 0)}) {
      const int zero_point = low + static_cast<int>(random() % 256);
      EXPECT_TRUE(on_device(average(9, s, s.pad_top != 0, type, scale(random), zero_point), random))
          << s.kernel_h << " x " << s.kernel_w;
    }
  }
}

TEST(OnnxAverage, TiesOrBordersRunOnHost) {
  std::mt19937_64 random(test::seed());
  EXPECT_FALSE(on_device(average(8, window(2, 2, 2, 0), false, graph::ElementType::kInt8, 0.1F, 3), random));
  EXPECT_FALSE(on_device(average(8, window(3, 3, 1, 1), false, graph::ElementType::kInt8, 0.1F, 3), random));
}

}  // namespace
}  // namespace systole

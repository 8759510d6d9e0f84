// SPDX-License-Identifier: Apache-2.0
// Maximum pools of binary32 by windows of all sizes: those whose elements have operations of their own, and larger ones
// in loops. All equal the host bit for bit, in all configurations.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <vector>

#include "float_net.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::TensorId;
using test::FloatNet;

constexpr std::uint32_t kSeed = 23'000;
const Shape kImage{2, 11, 23, 18};

std::int64_t windows_in(std::int64_t size, int kernel, int stride) { return (size - kernel) / stride + 1; }

TensorId maxima(FloatNet& net, TensorId image, const Window& w) {
  const Shape to{kImage[0], windows_in(kImage[1], w.kernel_h, w.stride_h),
                 windows_in(kImage[2], w.kernel_w, w.stride_w), kImage[3]};
  return net.append(graph::Pool{graph::PoolKind::kMax, w}, {image}, to);
}

TEST(WindowMaxima, OfAllSizes) {
  const std::vector<Window> windows{{1, 1, 2, 2},  {1, 2, 1, 2}, {2, 1, 2, 1},  {2, 2, 2, 2},
                                    {2, 3, 1, 1},  {3, 3, 2, 2}, {4, 4, 4, 4},  {1, 16, 1, 3},
                                    {1, 17, 1, 2}, {3, 6, 3, 2}, {11, 23, 1, 1}};
  for (const Window& window : windows) {
    SCOPED_TRACE(fmt::format("{}x{}, seed {}", window.kernel_h, window.kernel_w, kSeed));
    FloatNet net(kSeed);
    net.expect_equal({maxima(net, net.input(kImage), window)});
  }
}

TEST(WindowMaxima, OfInfinitiesAndNans) {
  for (const Window& window : {Window{1, 1, 2, 2}, Window{2, 2, 2, 2}, Window{5, 5, 3, 3}}) {
    SCOPED_TRACE(fmt::format("{}x{}, seed {}", window.kernel_h, window.kernel_w, kSeed));
    FloatNet net(kSeed);
    const TensorId numbers = net.input(kImage), great = net.constant({}, 3e38F, 3.1e38F);
    const TensorId twice = net.binary(BinaryKind::kMultiply, net.binary(BinaryKind::kMultiply, numbers, great), great);
    const TensorId nans = net.binary(BinaryKind::kSubtract, twice, twice);
    const TensorId some = net.select(net.less(net.input(kImage), net.constant(kImage, -2.6F, -2.5F)), nans, numbers);
    const TensorId more = net.select(net.less(net.input(kImage), net.constant(kImage, -2.0F, -1.9F)), twice, some);
    net.expect_equal({maxima(net, more, window)});
  }
}

}  // namespace
}  // namespace systole::network

// SPDX-License-Identifier: Apache-2.0
// Products in block floating point that follow each other: residual blocks of random sizes, whose sums, limits and
// conversions are part of the products, and operands that become blocks on their way to the array. All equal the host
// bit for bit.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "cores.hpp"
#include "float_net.hpp"

namespace systole {
namespace {

using graph::Arithmetic;
using graph::BinaryKind;
using graph::Shape;
using graph::TensorId;
using graph::Unary;
using graph::UnaryKind;

constexpr std::uint32_t kSeed = 31'000;

Window square(int kernel, int stride) {
  Window window{kernel, kernel, stride, stride};
  window.pad_top = window.pad_bottom = window.pad_left = window.pad_right = kernel / 2;
  return window;
}

TensorId convolution(test::FloatNet& net, TensorId x, std::int64_t outputs, const Window& window, bool biased) {
  Shape shape = net.shape(x);
  const std::int64_t channels = shape[3];
  shape = {shape[0], (shape[1] + window.stride_h - 1) / window.stride_h,
           (shape[2] + window.stride_w - 1) / window.stride_w, outputs};
  std::vector<TensorId> inputs{x, net.constant({outputs, window.kernel_h, window.kernel_w, channels})};
  if (biased) {
    inputs.push_back(net.constant({outputs}));
  }
  return net.append(graph::Conv2d{window}, inputs, shape, Arithmetic::kBlocks);
}

TensorId limited(test::FloatNet& net, TensorId x, UnaryKind kind) { return net.append(Unary{kind}, {x}, net.shape(x)); }

/// Convolutions whose results are added to what is there already; all that is read later is read as words, too.
std::vector<TensorId> residual_blocks(test::FloatNet& net) {
  const std::int64_t side = 7 + net.number(12), channels = 3 + net.number(40);
  TensorId x = net.input({1 + net.number(2), side, side, channels});
  std::vector<TensorId> outputs;
  for (std::uint32_t block = 0, blocks = 1 + net.number(3); block < blocks; ++block) {
    TensorId y = convolution(net, x, 3 + net.number(40), square(net.number(2) == 0 ? 1 : 3, 1), net.number(4) != 0);
    if (net.number(4) != 0) {
      y = limited(net, y, UnaryKind::kRelu);
    }
    y = convolution(net, y, net.shape(x)[3], square(net.number(2) == 0 ? 1 : 3, 1), net.number(4) != 0);
    y = net.number(2) == 0 ? net.binary(BinaryKind::kAdd, y, x) : net.binary(BinaryKind::kAdd, x, y);
    const std::uint32_t end = net.number(3);
    x = end == 0 ? y : limited(net, y, end == 1 ? UnaryKind::kRelu : UnaryKind::kRelu6);
    if (net.number(3) == 0) {
      outputs.push_back(x);
    }
  }
  outputs.push_back(convolution(net, x, 16, square(1, 1), true));
  outputs.push_back(limited(net, x, UnaryKind::kAbs));
  return outputs;
}

struct Where {
  const char* backend;
  const char* configuration;
  std::uint32_t rounds;
};

class BlockNetworks : public testing::TestWithParam<Where> {};

TEST_P(BlockNetworks, ResidualBlocks) {
  for (std::uint32_t round = 0; round < GetParam().rounds; ++round) {
    SCOPED_TRACE(fmt::format("seed {}", kSeed + round));
    test::FloatNet net(kSeed + round);
    net.expect_equal_on(GetParam().backend, GetParam().configuration, residual_blocks(net));
  }
}

/// Few channels: the blocks are whole windows.
TEST_P(BlockNetworks, FirstConvolutions) {
  for (std::uint32_t round = 0; round < GetParam().rounds; ++round) {
    SCOPED_TRACE(fmt::format("seed {}", kSeed + round));
    test::FloatNet net(kSeed + round);
    const std::int64_t high = 5 + net.number(20), wide = 8 * (1 + net.number(6)) + net.number(2) * net.number(8);
    const TensorId x = net.input({1, high, wide, 1 + net.number(4)});
    const auto window = square(3 + 2 * static_cast<int>(net.number(3)), 1 + static_cast<int>(net.number(2)));
    const TensorId y = limited(net, convolution(net, x, 5 + net.number(40), window, true), UnaryKind::kRelu);
    net.expect_equal_on(GetParam().backend, GetParam().configuration, {y});
  }
}

/// The maxima are computed from the products' results, which leave as well.
TEST_P(BlockNetworks, MaximaOfFirstConvolutions) {
  for (std::uint32_t round = 0; round < GetParam().rounds; ++round) {
    SCOPED_TRACE(fmt::format("seed {}", kSeed + round));
    test::FloatNet net(kSeed + round);
    const auto number = [&](int below) { return static_cast<int>(net.number(static_cast<std::uint32_t>(below))); };
    Window pool{1 + number(3), 1 + number(4), 1, 1};
    pool.stride_h = pool.kernel_h;
    pool.stride_w = pool.kernel_w;
    const std::int64_t high = pool.kernel_h * (1 + number(8)), wide = pool.kernel_w * (1 + number(12));
    const TensorId x = net.input({1 + number(3), high, wide, 1 + number(4)});
    const TensorId y = limited(net, convolution(net, x, 5 + number(40), square(3, 1), true), UnaryKind::kRelu);
    const Shape to{net.shape(y)[0], high / pool.kernel_h, wide / pool.kernel_w, net.shape(y)[3]};
    const TensorId maxima = net.append(graph::Pool{graph::PoolKind::kMax, pool}, {y}, to);
    net.expect_equal_on(GetParam().backend, GetParam().configuration,
                        {y, maxima, convolution(net, maxima, 20, square(1, 1), false)});
  }
}

/// Windows that overlap, with padding of every width, beside each other, or apart.
TEST_P(BlockNetworks, Maxima) {
  for (std::uint32_t round = 0; round < 2 * GetParam().rounds; ++round) {
    SCOPED_TRACE(fmt::format("seed {}", kSeed + round));
    test::FloatNet net(kSeed + round);
    const auto number = [&](int below) { return static_cast<int>(net.number(static_cast<std::uint32_t>(below))); };
    Window w{1 + number(4), 1 + number(4), 1 + number(4), 1 + number(4)};
    w.pad_top = number(w.kernel_h);
    w.pad_bottom = number(w.kernel_h);
    w.pad_left = number(w.kernel_w);
    w.pad_right = number(w.kernel_w);
    const std::int64_t high = w.kernel_h + number(12), wide = w.kernel_w + number(30), channels = 1 + number(70);
    const TensorId x = net.input({1 + number(2), high, wide, channels});
    const Shape shape{net.shape(x)[0], (high + w.pad_top + w.pad_bottom - w.kernel_h) / w.stride_h + 1,
                      (wide + w.pad_left + w.pad_right - w.kernel_w) / w.stride_w + 1, channels};
    net.expect_equal_on(GetParam().backend, GetParam().configuration,
                        {net.append(graph::Pool{graph::PoolKind::kMax, w}, {x}, shape)});
  }
}

TEST_P(BlockNetworks, Matrices) {
  for (std::uint32_t round = 0; round < GetParam().rounds; ++round) {
    SCOPED_TRACE(fmt::format("seed {}", kSeed + round));
    test::FloatNet net(kSeed + round);
    const std::int64_t rows = 1 + net.number(700), depth = 1 + net.number(300), columns = 1 + net.number(100);
    const TensorId x = net.input({rows, depth});
    const TensorId y = net.append(graph::Dense{}, {x, net.constant({columns, depth}), net.constant({columns})},
                                  {rows, columns}, Arithmetic::kBlocks);
    net.expect_equal_on(GetParam().backend, GetParam().configuration,
                        {net.binary(BinaryKind::kAdd, net.input({rows, columns}), y)});
  }
}

std::vector<Where> everywhere() {
  std::vector<Where> list{
      {"model", "tiny", 12}, {"model", "small", 12}, {"model", "default", 24}, {"model", "large", 12}};
  for (const Where& core : {Where{"rtl", "tiny", 2}, Where{"rtl", "default", 6}}) {
    if (test::is_built(core.configuration)) {
      list.push_back(core);
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, BlockNetworks, testing::ValuesIn(everywhere()), [](const auto& info) {
  return fmt::format("{}_{}", info.param.backend, info.param.configuration);
});

/// Limits that no finite number is within.
TEST(BlockLayers, OfLimitsThatAreInfinite) {
  for (const float least : {-HUGE_VALF, HUGE_VALF}) {
    test::FloatNet net(kSeed);
    const TensorId y = convolution(net, net.input({1, 9, 9, 20}), 20, square(3, 1), true);
    const TensorId z = net.append(Unary{UnaryKind::kClip, least, HUGE_VALF}, {y}, net.shape(y));
    net.expect_equal({convolution(net, z, 16, square(1, 1), true), z});
  }
}

/// A bottleneck of ResNet: no layer beside the products.
TEST(BlockLayers, OfABottleneck) {
  test::FloatNet net(kSeed);
  TensorId x = net.input({1, 28, 28, 64});
  for (int block = 0; block < 2; ++block) {
    TensorId y = limited(net, convolution(net, x, 16, square(1, 1), true), UnaryKind::kRelu);
    y = limited(net, convolution(net, y, 16, square(3, 1), true), UnaryKind::kRelu);
    x = limited(net, net.binary(BinaryKind::kAdd, convolution(net, y, 64, square(1, 1), true), x), UnaryKind::kRelu);
  }
  EXPECT_EQ(net.expect_equal_on("model", "default", {x}), 6U);
}

/// Blocks of windows, and a product that computes maxima, too.
TEST(BlockLayers, OfMaxima) {
  test::FloatNet net(kSeed);
  const TensorId y = convolution(net, net.input({8, 26, 26, 1}), 32, square(3, 1), true);
  const Window pairs{2, 2, 2, 2};
  EXPECT_EQ(net.expect_equal_on("model", "default",
                                {y, net.append(graph::Pool{graph::PoolKind::kMax, pairs}, {y}, {8, 13, 13, 32})}),
            2U);
}

TEST(BlockLayers, OfAnOperandThatIsConverted) {
  test::FloatNet net(kSeed);
  const TensorId x = net.input({512, 256});
  EXPECT_EQ(
      net.expect_equal_on("model", "default",
                          {net.append(graph::Dense{}, {x, net.constant({64, 256})}, {512, 64}, Arithmetic::kBlocks)}),
      1U);
}

}  // namespace
}  // namespace systole

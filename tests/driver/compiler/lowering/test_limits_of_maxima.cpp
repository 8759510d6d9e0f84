// SPDX-License-Identifier: Apache-2.0
// A rectifier behind a maximum pool becomes part of the product before it, where nothing else depends on what it
// limits. All equal the host bit for bit, in all configurations.
#include <gtest/gtest.h>

#include <vector>

#include "float_net.hpp"

namespace systole::network {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::TensorId;
using graph::UnaryKind;
using test::FloatNet;

constexpr std::uint32_t kSeed = 22'000;
const Window kPairs{1, 2, 1, 2};
const Shape kImage{2, 9, 8, 20}, kMaxima{2, 9, 4, 20}, kTap{2, 9, 1, 4, 1, 20};

/// A convolution, its maxima of two neighbours, and what is above zero of them.
struct Pooled {
  explicit Pooled(FloatNet& of) : net(of) {
    Window window{3, 3};
    window.pad_top = window.pad_bottom = window.pad_left = window.pad_right = 1;
    image =
        net.append(graph::Conv2d{window}, {net.input({2, 9, 8, 24}), net.constant({20, 3, 3, 24}), net.constant({20})},
                   kImage, graph::Arithmetic::kBlocks);
    pool();
  }
  Pooled(FloatNet& of, TensorId of_image) : net(of), image(of_image) { pool(); }

  void pool() {
    maxima = net.append(graph::Pool{graph::PoolKind::kMax, kPairs}, {image}, kMaxima);
    above = net.append(graph::Unary{UnaryKind::kRelu}, {maxima}, kMaxima);
    zero = net.constant({}, 0, 0);
  }

  /// The gradient of the image, as the training writes it, from that of the maxima.
  TensorId gradient(TensorId left) {
    std::vector<TensorId> taps;
    for (const std::int64_t x : {0, 1}) {
      const TensorId tap = net.append(graph::Slice{{0, 0, x, 0}, {1, 1, 2, 1}}, {image}, kMaxima);
      const TensorId is_it = net.binary(BinaryKind::kEqual, tap, maxima);
      taps.push_back(net.append(graph::Reshape{}, {net.select(is_it, left, zero)}, kTap));
      left = net.select(is_it, zero, left);
    }
    const TensorId both = net.append(graph::Concat{4}, taps, {2, 9, 1, 4, 2, 20});
    return net.append(graph::Reshape{}, {both}, kImage);
  }
  TensorId masked() { return net.select(net.less(zero, maxima), net.input(kMaxima), zero); }

  FloatNet& net;
  TensorId image, maxima, above, zero;
};

TEST(LimitsOfMaxima, ArePartOfTheProduct) {
  FloatNet net(kSeed);
  const Pooled pooled(net);
  EXPECT_EQ(net.expect_equal({pooled.above}), 3U) << "blocks, product, maxima";
}

TEST(LimitsOfMaxima, StayBehindMaximaThatOthersRead) {
  FloatNet net(kSeed);
  const Pooled pooled(net);
  EXPECT_EQ(net.expect_equal({pooled.above, pooled.maxima}), 4U);
  EXPECT_EQ(net.expect_equal({pooled.above, pooled.image}), 4U);
  EXPECT_EQ(net.expect_equal({pooled.above, net.append(graph::Unary{UnaryKind::kAbs}, {pooled.maxima}, kMaxima)}), 5U);
}

TEST(LimitsOfMaxima, StayBehindMaximaOfNoProduct) {
  FloatNet net(kSeed);
  const TensorId maxima = net.append(graph::Pool{graph::PoolKind::kMax, kPairs}, {net.input(kImage)}, kMaxima);
  EXPECT_EQ(net.expect_equal({net.append(graph::Unary{UnaryKind::kRelu}, {maxima}, kMaxima)}), 2U);
}

TEST(LimitsOfMaxima, ArePartOfTheProductBesideTheirGradient) {
  FloatNet net(kSeed);
  Pooled pooled(net);
  const TensorId gradient = pooled.gradient(pooled.masked());
  EXPECT_EQ(net.expect_equal({pooled.above, gradient}), 4U) << "blocks, product, maxima, gradient with its mask";
  EXPECT_EQ(net.expect_equal({pooled.above, pooled.image, gradient}), 5U) << "the rectifier stays, the mask does not";
}

/// Windows of zeros of both signs, of numbers above zero, and of NaNs.
TEST(LimitsOfMaxima, GradientsOfZerosAndNotNumbersAreMasked) {
  FloatNet net(kSeed);
  const TensorId x = net.input(kImage), zero = net.constant({}, 0, 0), one = net.constant({}, 1, 1);
  const TensorId root = net.append(graph::Unary{UnaryKind::kSqrt}, {net.input(kImage)}, kImage);
  const TensorId image = net.select(net.less(x, one), net.binary(BinaryKind::kMultiply, x, zero), root);
  Pooled pooled(net, image);
  const TensorId gradient = pooled.gradient(pooled.masked());
  net.expect_equal({gradient, pooled.maxima});
}

TEST(LimitsOfMaxima, StayBesideAGradientThatIsNotZeroBelow) {
  FloatNet net(kSeed);
  Pooled pooled(net);
  const TensorId gradient = pooled.gradient(net.input(kMaxima));
  EXPECT_EQ(net.expect_equal({pooled.above, gradient}), 5U) << "blocks, product, maxima, rectifier, gradient";
}

TEST(LimitsOfMaxima, StayBesideOtherComparisons) {
  FloatNet net(kSeed);
  Pooled pooled(net);
  const TensorId below = net.select(net.less(pooled.maxima, pooled.zero), net.input(kMaxima), pooled.zero);
  EXPECT_EQ(net.expect_equal({pooled.above, below}), 5U) << "blocks, product, maxima, rectifier, mask";
  EXPECT_EQ(net.expect_equal({pooled.above, pooled.gradient(below)}), 6U);
}

}  // namespace
}  // namespace systole::network

// SPDX-License-Identifier: Apache-2.0
// The rules of convolutions and pools, against central differences, in random shapes.
#include <gtest/gtest.h>

#include <algorithm>

#include "gradient_check.hpp"
#include "seed.hpp"

namespace systole::training {
namespace {

constexpr int kRounds = 40;

int reach(int kernel, int dilation) { return (kernel - 1) * dilation + 1; }

struct Drawn {
  Window window;
  Shape image;
};

/// A window that fits an image; the padding is less than the kernel.
Drawn draw(std::mt19937_64& random) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<>(low, high)(random); };
  Drawn d;
  Window& w = d.window;
  w = {pick(1, 3), pick(1, 3), pick(1, 3), pick(1, 3), pick(1, 2), pick(1, 2), 0, 0, 0, 0};
  w.pad_top = pick(0, w.kernel_h - 1);
  w.pad_bottom = pick(0, w.kernel_h - 1);
  w.pad_left = pick(0, w.kernel_w - 1);
  w.pad_right = pick(0, w.kernel_w - 1);
  d.image = {pick(1, 2), pick(reach(w.kernel_h, w.dilation_h), 7), pick(reach(w.kernel_w, w.dilation_w), 7), 0};
  return d;
}

TEST(ImageRules, Convolution) {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < kRounds; ++round) {
    Drawn d = draw(random);
    const int groups = round % 3 == 0 ? 2 : 1, depth = round % 3 == 1 ? 3 : 1;
    d.image[3] = std::int64_t{groups} * depth;
    const Shape weights = {groups * 2, d.window.kernel_h, d.window.kernel_w, depth};
    SCOPED_TRACE("round " + std::to_string(round));
    GradientCheck({d.image, weights, {weights[0]}}).run([&](GraphBuilder& w, const Operands& x) {
      return w.append(graph::Conv2d{d.window, groups, Activation::kNone}, x);
    });
  }
}

TEST(ImageRules, DepthwiseConvolution) {
  GradientCheck({{2, 6, 6, 3}, {3, 3, 3, 1}, {3}}).run([&](GraphBuilder& w, const Operands& x) {
    return w.append(graph::Conv2d{{3, 3, 2, 2, 1, 1, 0, 1, 0, 1}, 3, Activation::kRelu}, x);
  });
}

void check_pools(graph::PoolKind kind) {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < kRounds; ++round) {
    Drawn d = draw(random);
    d.image[3] = 2;
    d.window.pad_bottom = std::min(d.window.pad_bottom, d.window.pad_top);
    d.window.pad_right = std::min(d.window.pad_right, d.window.pad_left);
    SCOPED_TRACE("round " + std::to_string(round));
    GradientCheck({d.image}).run([&](GraphBuilder& w, const Operands& x) {
      return w.append(graph::Pool{kind, d.window, round % 2 == 0, Activation::kNone}, x);
    });
  }
}

TEST(ImageRules, MaxPool) { check_pools(graph::PoolKind::kMax); }
TEST(ImageRules, AveragePool) { check_pools(graph::PoolKind::kAverage); }

TEST(ImageRules, GlobalAveragePool) {
  GradientCheck({{2, 5, 4, 3}}).run([&](GraphBuilder& w, const Operands& x) {
    return w.append(graph::Pool{graph::PoolKind::kAverage, {5, 4}, false, Activation::kNone}, x);
  });
}

/// Of equal elements, the first of the window has all of the gradient.
TEST(ImageRules, TiesOfAMaximum) {
  graph::Graph graph;
  GraphBuilder w(graph, "forward");
  const TensorId x = w.input("x", graph::ElementType::kFloat32, {1, 2, 2, 1});
  const TensorId y = w.append(graph::Pool{graph::PoolKind::kMax, {2, 2, 2, 2}, false, Activation::kNone}, {x});
  graph.outputs = differentiate(graph, w.reshape(y, {}), {x});
  const auto value = graph::make_value(graph::ElementType::kFloat32, {1, 2, 2, 1}, std::vector<float>{1, 3, 3, 3});
  EXPECT_EQ(graph::elements<float>(execute(graph, {value}).at(0)), (std::vector<float>{0, 1, 0, 0}));
}

}  // namespace
}  // namespace systole::training

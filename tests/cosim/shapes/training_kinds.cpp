// SPDX-License-Identifier: Apache-2.0
// What a training step has beyond a network: convolutions with a computed kernel as large as an image, and pools of
// float32 whose windows tile the image, with their gradients.
#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::TensorId;

constexpr auto kFloat = graph::ElementType::kFloat32;

/// As the gradient of a convolution's weights: channels are samples. The kernel is an input, or the transposition of
/// one if `stored_by_samples`.
graph::Graph gradient_of_weights(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")), graph::Arithmetic::kBlocks);
  const Window window = sliding_of(spec);
  const auto size = [](int positions, int kernel, int stride, int dilation, int border) {
    return std::int64_t{(positions - 1) * stride + (kernel - 1) * dilation + 1 - border};
  };
  const Shape image = {
      spec.at("channels"),
      size(spec.at("height"), window.kernel_h, window.stride_h, window.dilation_h, window.pad_top + window.pad_bottom),
      size(spec.at("width"), window.kernel_w, window.stride_w, window.dilation_w, window.pad_left + window.pad_right),
      spec.at("samples")};
  if (image[1] < 1 || image[2] < 1) {
    throw graph::GraphError("only padding");
  }
  const int outputs = spec.at("outputs"), samples = spec.at("samples");
  const TensorId images = one.plain_input(kFloat, image);
  TensorId kernel = graph::kNoTensor;
  if (spec.at("stored_by_samples") != 0) {
    const TensorId stored = one.plain_input(kFloat, {samples, window.kernel_h, window.kernel_w, outputs});
    one.set_arithmetic(graph::Arithmetic::kOnnx);
    kernel = one.apply(graph::Transpose{{3, 1, 2, 0}}, {stored}, one.plain(kFloat));
    one.set_arithmetic(graph::Arithmetic::kBlocks);
  } else {
    kernel = one.plain_input(kFloat, {outputs, window.kernel_h, window.kernel_w, samples});
  }
  return one.finish(graph::Conv2d{window, 1, Activation::kNone}, {images, kernel}, one.plain(kFloat));
}

/// The gradient as driver/training/gradients makes it. Rectified images have windows of zeros, where the first is
/// taken.
graph::Graph tiled_pool(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")), graph::Arithmetic::kOnnx);
  const int kh = spec.at("window_h"), kw = spec.at("window_w"), channels = spec.at("channels");
  const std::int64_t batch = spec.at("batch"), lines = spec.at("lines"), columns = spec.at("columns");
  Window window;
  window.kernel_h = window.stride_h = kh;
  window.kernel_w = window.stride_w = kw;
  const int below = spec.at("below") % kh, right = spec.at("right") % kw;  // beyond the last windows
  const Shape all_of_image{batch, lines * kh + below, columns * kw + right, channels};
  TensorId image = one.plain_input(kFloat, all_of_image);
  if (spec.at("rectified") != 0) {
    image = one.apply(graph::Unary{graph::UnaryKind::kRelu, 0, 0}, {image}, one.plain(kFloat));
  }
  const graph::Pool pool{graph::PoolKind::kMax, window};
  if (spec.at("gradient") == 0) {
    return one.finish(pool, {image}, one.plain(kFloat));
  }
  const TensorId maxima = one.apply(pool, {image}, one.plain(kFloat));
  const Shape shape{batch, lines, columns, channels}, narrow{batch, lines, 1, columns, 1, channels};
  TensorId left = one.plain_input(kFloat, shape);
  const TensorId zero = one.real_constant({}, 0);
  std::vector<TensorId> all;
  for (int y = 0; y < kh; ++y) {
    std::vector<TensorId> line;
    for (int x = 0; x < kw; ++x) {
      const TensorId tap = one.apply(graph::Slice{{0, y, x, 0}, {1, kh, kw, 1}}, {image}, one.shaped(kFloat, shape));
      const TensorId is_it =
          one.apply(graph::Binary{BinaryKind::kEqual}, {tap, maxima}, one.plain(graph::ElementType::kBool));
      const TensorId taken = one.apply(graph::Select{}, {is_it, left, zero}, one.plain(kFloat));
      left = one.apply(graph::Select{}, {is_it, zero, left}, one.plain(kFloat));
      line.push_back(one.apply(graph::Reshape{}, {taken}, one.shaped(kFloat, narrow)));
    }
    all.push_back(kw == 1 ? line[0] : one.apply(graph::Concat{4}, line, one.plain(kFloat)));
  }
  const TensorId whole = kh == 1 ? all[0] : one.apply(graph::Concat{2}, all, one.plain(kFloat));
  const TensorId covered = one.shaped(kFloat, {batch, lines * kh, columns * kw, channels});
  if (below + right == 0) {
    return one.finish(graph::Reshape{}, {whole}, covered);
  }
  one.apply(graph::Reshape{}, {whole}, covered);
  return one.finish(graph::Pad{{0, 0, 0, 0}, {0, below, right, 0}}, {covered}, one.plain(kFloat));
}

}  // namespace

std::vector<Kind> training_kinds() {
  return {{"gradient_of_weights", "blocks: convolution with a kernel larger than its results",
           Parameters{{"channels", 1, 9}, {"samples", 1, 40}, {"outputs", 1, 40}, {"height", 1, 3}, {"width", 1, 3}} +
               Parameters{{"kernel_h", 1, 8}, {"kernel_w", 1, 8}, {"stride_h", 1, 2}, {"stride_w", 1, 2}} + kBorder +
               kDilation + Parameters{{"stored_by_samples", 0, 1}, kSeed},
           gradient_of_weights, true},
          {"tiled_pool", "float32: max pool whose windows tile the image, and its gradient",
           Parameters{{"batch", 1, 3}, {"lines", 1, 9}, {"columns", 1, 16}, {"channels", 1, 40}} +
               Parameters{{"window_h", 1, 3}, {"window_w", 1, 3}, {"below", 0, 2}, {"right", 0, 2}} +
               Parameters{{"rectified", 0, 1}, {"gradient", 0, 1}, kSeed},
           tiled_pool}};
}

}  // namespace systole::shapes

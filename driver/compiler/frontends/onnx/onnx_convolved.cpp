// SPDX-License-Identifier: Apache-2.0
// Lowers 1-D, 2-D and 3-D convolutions to 2-D ones.
#include <fmt/core.h>

#include "onnx_images.hpp"

namespace systole::graph::onnx_file {
namespace {

std::vector<TensorId> operands(const Convolution& conv, TensorId image, TensorId filter) {
  std::vector<TensorId> inputs = {image, filter};
  if (conv.bias != kNoTensor) {
    inputs.push_back(conv.bias);
  }
  return inputs;
}

/// The planes that one plane of the kernel's depth reads: N,C,D',H,W.
TensorId planes(Translation& t, TensorId padded, const Steps& depth, std::int64_t tap, std::int64_t result) {
  Slice slice{{0, 0, tap * depth.dilation, 0, 0}, {1, 1, result == 1 ? 1 : depth.stride, 1, 1}};
  Shape shape = t.shape(padded);
  shape[2] = result;
  return t.move(slice, padded, shape);
}

/// Each plane of the result is an image whose channels are those of all input planes it depends on, group by group.
TensorId volume(Translation& t, const Convolution& conv, ElementType type,
                const std::optional<Quantization>& quantization) {
  const Steps& depth = conv.steps[0];
  const Shape shape = t.shape(conv.input);
  const Shape weights = t.shape(conv.weights);
  const std::int64_t free = shape[2] + depth.before + depth.after - ((depth.kernel - 1) * depth.dilation + 1);
  constexpr std::int64_t kMostPlanes = 1024;
  if (free < 0 || depth.kernel > kMostPlanes) {
    t.fail(fmt::format("kernel depth {} over depth {}, padded by {} and {}; the kernel must fit and be at most {} deep",
                       depth.kernel, shape[2], depth.before, depth.after, kMostPlanes));
  }
  const std::int64_t result = free / depth.stride + 1;
  TensorId padded = conv.input;
  if (depth.before + depth.after != 0) {
    Pad pad;
    pad.before = {0, 0, depth.before, 0, 0};
    pad.after = {0, 0, depth.after, 0, 0};
    padded = t.move(pad, padded);
  }
  const std::int64_t channels = shape[1] / conv.groups;
  std::vector<TensorId> taps;
  for (std::int64_t tap = 0; tap < depth.kernel; ++tap) {
    taps.push_back(t.reshape(planes(t, padded, depth, tap, result),
                             {shape[0], conv.groups, channels, result, shape[3], shape[4]}));
  }
  const Tensor first = t.tensor(taps[0]);
  const TensorId all = taps.size() == 1 ? taps[0] : t.emit(Concat{2}, taps, first.type, first.quantization);
  const std::int64_t merged = channels * depth.kernel;
  const TensorId images =
      t.reshape(t.transpose(all, {0, 3, 4, 5, 1, 2}), {shape[0] * result, shape[3], shape[4], conv.groups * merged});
  const TensorId filter =
      t.reshape(t.transpose(conv.weights, {0, 3, 4, 2, 1}), {weights[0], weights[3], weights[4], merged});
  Conv2d kind;
  kind.window = window(conv.steps[1], conv.steps[2]);
  kind.groups = static_cast<int>(conv.groups);
  const TensorId made = t.emit(kind, operands(conv, images, filter), type, quantization);
  const Shape flat = t.shape(made);
  return t.transpose(t.reshape(made, {shape[0], result, flat[1], flat[2], flat[3]}), {0, 4, 1, 2, 3});
}

}  // namespace

TensorId convolved(Translation& t, const Convolution& conv, ElementType type,
                   const std::optional<Quantization>& quantization) {
  const Shape shape = t.shape(conv.input);
  const Shape weights = t.shape(conv.weights);
  if (shape.size() != weights.size() || shape.size() < 3 || shape.size() > 5) {
    t.refuse(OnnxRefusal::kMode, fmt::format("weights of shape {} for an input of shape {}; expected N,C,L, N,C,H,W "
                                             "or N,C,D,H,W, and weights of as many dimensions",
                                             to_string(weights), to_string(shape)));
  }
  if (conv.groups < 1 || conv.groups > shape[1] || shape[1] % conv.groups != 0 ||
      weights[1] != shape[1] / conv.groups || weights[0] % conv.groups != 0) {
    t.fail(
        fmt::format("{} groups, {} input channels, weights of shape {}; groups must divide input and output channels",
                    conv.groups, shape[1], to_string(weights)));
  }
  if (shape.size() == 5) {
    return volume(t, conv, type, quantization);
  }
  Conv2d kind;
  kind.window = window(conv.steps);
  kind.groups = static_cast<int>(conv.groups);
  return from_image(
      t, t.emit(kind, operands(conv, to_image(t, conv.input), to_image(t, conv.weights)), type, quantization),
      shape.size());
}

}  // namespace systole::graph::onnx_file

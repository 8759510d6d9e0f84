// SPDX-License-Identifier: Apache-2.0
#include "network/emit_onnx.hpp"

namespace systole::network {
namespace {

using compiler::Builder;
using compiler::TensorView;

/// The input with its channels `copies` times, in device memory.
TensorView repeated(Builder& builder, const TensorView& input, int copies) {
  TensorView all = input;
  all.chip.reset();
  all.channels = input.channels * copies;
  all.pixel_pitch = all.channels;
  const auto pixels = static_cast<std::uint64_t>(input.batch) * static_cast<std::uint64_t>(input.height) * static_cast<std::uint64_t>(input.width);
  all.address = builder.temporary(pixels * static_cast<std::uint64_t>(all.channels));
  for (int i = 0; i < copies; ++i) {
    TensorView part = all;
    part.address += static_cast<std::uint32_t>(i * input.channels);
    part.channels = input.channels;
    compiler::copy(builder, input, part);
  }
  return all;
}

}  // namespace

void emit_repeated(Builder& builder, const TensorView& input, const RepeatedConvLayer& layer, TensorView output) {
  const ConvLayer& conv = layer.conv;
  const TensorView operand = layer.copies == 1 ? input : repeated(builder, input, layer.copies);
  if (layer.raw) {
    output.pixel_pitch = output.channels;
    output.channels /= 4;
    compiler::conv2d_raw(builder, operand, conv.weights.data(), conv.bias, conv.options, output);
  } else {
    compiler::conv2d(builder, operand, conv.weights.data(), conv.bias, conv.options, conv.requantize, output);
  }
}

}  // namespace systole::network

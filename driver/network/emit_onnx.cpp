// SPDX-License-Identifier: Apache-2.0
#include "network/emit_onnx.hpp"

#include <vector>

namespace systole::network {
namespace {

using compiler::Builder;
using compiler::MatrixView;
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

/// Values of int8 whose sum is `value`, of -128 .. 128.
std::vector<int> parts(int value) {
  if (value == 0) {
    return {};
  }
  return value == 128 ? std::vector<int>{64, 64} : std::vector<int>{value};
}

/// One block of the reduction: a matrix, or a constant in all its elements.
struct Factor {
  bool matrix;
  int value;
};
struct Block {
  Factor a, b;
};

/// (a - za)(b - zb) as a sum of products of what int8 can hold.
std::vector<Block> blocks(int a_zero_point, int b_zero_point) {
  const Factor matrix{true, 0};
  std::vector<Block> result = {{matrix, matrix}};
  for (const int value : parts(-b_zero_point)) {
    result.push_back({matrix, {false, value}});
  }
  for (const int value : parts(-a_zero_point)) {
    result.push_back({{false, value}, matrix});
    for (const int other : parts(-b_zero_point)) {
      result.push_back({{false, value}, {false, other}});
    }
  }
  return result;
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

void emit_product(Builder& builder, std::uint32_t a, std::uint32_t b, const ProductLayer& layer, std::uint32_t output) {
  const std::vector<Block> sum = blocks(layer.a_zero_point, layer.b_zero_point);
  const int depth = layer.depth * static_cast<int>(sum.size());
  const auto bytes = [](int rows, int columns) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); };
  // Both operands with all blocks; constants are there from the start, and matrices are copied in.
  const bool direct = sum.size() == 1;
  std::uint32_t all_a = a;
  std::uint32_t all_b = b;
  if (!direct) {
    std::vector<std::uint8_t> left(bytes(layer.rows, depth));
    std::vector<std::uint8_t> right;
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] = static_cast<std::uint8_t>(sum[i % static_cast<std::size_t>(depth) / static_cast<std::size_t>(layer.depth)].a.value);
    }
    for (const Block& block : sum) {
      right.insert(right.end(), bytes(layer.depth, layer.columns), static_cast<std::uint8_t>(block.b.value));
    }
    all_a = builder.constant(std::move(left));
    all_b = builder.constant(std::move(right));
  }
  const auto at = [](std::uint32_t address, std::size_t offset) { return static_cast<std::uint32_t>(address + offset); };
  for (int batch = 0; batch < layer.batches; ++batch) {
    const auto index = static_cast<std::size_t>(batch);
    const std::uint32_t from_a = at(a, layer.a_repeats ? 0 : index * bytes(layer.rows, layer.depth));
    const std::uint32_t from_b = at(b, layer.b_repeats ? 0 : index * bytes(layer.depth, layer.columns));
    for (std::size_t i = 0; !direct && i < sum.size(); ++i) {
      if (sum[i].a.matrix) {
        compiler::copy(builder, TensorView{from_a, 1, 1, layer.rows, layer.depth, layer.depth},
                       TensorView{at(all_a, i * static_cast<std::size_t>(layer.depth)), 1, 1, layer.rows, layer.depth, depth});
      }
      if (sum[i].b.matrix) {
        compiler::copy(builder, TensorView{from_b, 1, 1, layer.depth, layer.columns, layer.columns},
                       TensorView{at(all_b, i * bytes(layer.depth, layer.columns)), 1, 1, layer.depth, layer.columns, layer.columns});
      }
    }
    const MatrixView left{direct ? from_a : all_a, layer.rows, depth};
    const MatrixView right{direct ? from_b : all_b, depth, layer.columns};
    const MatrixView result{at(output, index * bytes(layer.rows, layer.columns) * (layer.raw ? 4 : 1)), layer.rows, layer.columns};
    if (layer.raw) {
      compiler::matmul_raw(builder, left, right, result);
    } else {
      compiler::matmul(builder, left, right, {}, layer.requantize, result);
    }
  }
}

}  // namespace systole::network

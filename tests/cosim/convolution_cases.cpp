// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "cases.hpp"
#include "compare.hpp"
#include "convolution.hpp"

namespace systole::cosim {
namespace {

struct Shape {
  int batch, height, width, channels, out_channels;
  int zero_tiles = 0;  ///< percent of the weights' tiles of edge x edge that are zeros
  int edge = 1;
};

/// Of weights OHWI some tiles become zeros.
void clear_tiles(std::vector<std::int8_t>& weights, const Shape& shape, int taps, Source& source) {
  const int inputs = static_cast<int>(weights.size()) / shape.out_channels / taps, edge = shape.edge;
  for (int row = 0; row < shape.out_channels; row += edge) {
    for (int tap = 0; tap < taps; ++tap) {
      for (int column = 0; column < inputs; column += edge) {
        if (source.range(1, 100) > shape.zero_tiles) {
          continue;
        }
        for (int output = row; output < std::min(row + edge, shape.out_channels); ++output) {
          const auto line = weights.begin() + (output * taps + tap) * inputs;
          std::fill(line + column, line + std::min(column + edge, inputs), 0);
        }
      }
    }
  }
}

Case conv_case(const std::string& name, const Shape& shape, const Window& window, int groups, bool raw) {
  const std::string operation = raw                        ? "conv2d_raw"
                                : groups == 1              ? "conv2d"
                                : groups == shape.channels ? "depthwise"
                                                           : "conv2d_groups";
  return {"conv_" + name,
          operation,
          {shape.channels, shape.out_channels},
          [=](Device& device, const RunOptions& options, std::uint64_t seed) {
            Source source(seed);
            HostTensor8 input{shape.batch, shape.height, shape.width, shape.channels, {}};
            input.data = source.bytes(static_cast<std::size_t>(shape.batch) * static_cast<std::size_t>(shape.height) *
                                      static_cast<std::size_t>(shape.width) * static_cast<std::size_t>(shape.channels));
            const int depth = window.kernel_h * window.kernel_w * shape.channels / groups;
            auto weights = source.bytes(static_cast<std::size_t>(depth) * static_cast<std::size_t>(shape.out_channels));
            if (shape.zero_tiles > 0) {
              clear_tiles(weights, shape, window.kernel_h * window.kernel_w, source);
            }
            const auto bias = source.words(static_cast<std::size_t>(shape.out_channels), 10000);
            ConvOptions convolution{window, groups, source.range(-128, 127)};
            const golden::Tensor8 golden_weights(
                golden::NhwcShape{shape.out_channels, window.kernel_h, window.kernel_w, shape.channels / groups},
                weights);
            const golden::Convolution golden_convolution{window, groups, convolution.input_zero_point, 0};
            if (raw) {
              const auto result = conv2d_raw(device, input, weights, shape.out_channels, bias, convolution, options);
              return golden::difference(golden::conv2d_raw(to_golden(input), golden_weights, bias, golden_convolution),
                                        to_golden(result.tensor));
            }
            Requantize stage;
            stage.scale = source.scales(depth, shape.out_channels);
            stage.zero_point = source.range(-20, 20);
            stage.rounding = static_cast<Rounding>(source.range(0, 2));
            const auto result = conv2d(device, input, weights, shape.out_channels, bias, convolution, stage, options);
            return golden::difference(golden::conv2d(to_golden(input), golden_weights, bias, golden_convolution, stage),
                                      to_golden(result.tensor));
          }};
}

Window square(int kernel, int stride, int dilation, int pad) {
  return {kernel, kernel, stride, stride, dilation, dilation, pad, pad, pad, pad};
}

}  // namespace

std::vector<Case> convolution_cases(int dim) {
  std::vector<Case> list;
  const auto add = [&](const std::string& name, const Shape& shape, const Window& window, int groups = 1,
                       bool raw = false) { list.push_back(conv_case(name, shape, window, groups, raw)); };
  for (const int channels : {1, 3, dim, dim + 1}) {
    for (const int kernel : {1, 2, 3, 4, 5, 6, 7}) {
      for (const int stride : {1, 2, 3}) {
        add(fmt::format("k{}s{}c{}", kernel, stride, channels), {1, 11, 9, channels, dim + 1},
            square(kernel, stride, 1, kernel / 2));
      }
    }
  }
  add("wide_kernel", {1, 6, 12, 5, 7}, {1, 7, 1, 1, 1, 1, 0, 0, 3, 3});
  add("tall_kernel", {1, 12, 6, dim, dim}, {5, 2, 2, 1, 1, 1, 2, 1, 0, 1});
  add("asymmetric_padding", {1, 8, 9, dim + 1, dim}, {3, 3, 1, 1, 1, 1, 0, 2, 1, 0});
  add("asymmetric_strides", {1, 10, 13, 3, dim}, {3, 4, 2, 3, 1, 1, 1, 0, 2, 1});
  add("padding_beyond_kernel", {1, 4, 4, dim, 3}, {3, 3, 1, 1, 1, 1, 4, 4, 5, 3});
  add("padding_beyond_kernel_packed", {1, 4, 4, 1, 3}, {3, 3, 2, 2, 1, 1, 5, 4, 5, 3});
  add("dilated", {1, 12, 12, dim, dim}, square(3, 1, 2, 2));
  add("dilated_rows_packed", {1, 12, 10, 3, dim - 1}, {3, 3, 1, 1, 3, 1, 3, 3, 1, 1});
  add("dilated_uneven", {1, 14, 11, dim + 1, 5}, {3, 3, 2, 1, 2, 3, 1, 2, 3, 3});
  add("batch_2", {2, 7, 6, dim, dim}, square(3, 1, 1, 1));
  add("batch_2_packed", {2, 9, 7, 3, dim}, square(3, 2, 1, 1));
  add("batch_2_1x1", {2, 5, 5, 2 * dim, 2 * dim + 1}, square(1, 1, 1, 0));
  add("one_pixel", {1, 1, 1, dim + 2, dim + 2}, square(3, 1, 1, 1));
  add("one_column", {1, 19, 1, 3, 4}, {3, 1, 1, 1, 1, 1, 1, 1, 0, 0});
  add("long_row", {1, 1, 40 * dim, 2, 3}, {1, 5, 1, 1, 1, 1, 0, 0, 2, 2});
  add("many_blocks", {1, 6, 6, 9 * dim, 2 * dim}, square(3, 1, 1, 1));
  add("many_columns", {1, 4, 5, dim, 33 * dim + 1}, square(3, 1, 1, 1));
  add("large_image", {1, 40, 36, dim + 3, dim}, square(3, 1, 1, 1));
  add("kernel_9", {1, 12, 12, dim, 2}, square(9, 1, 1, 4));
  add("groups_2", {1, 6, 7, 2 * dim, 2 * dim + 2}, square(3, 1, 1, 1), 2);
  add("groups_3_uneven", {1, 6, 7, 9, 12}, square(3, 2, 1, 1), 3);
  add("depthwise", {1, 8, 8, 2 * dim + 1, 2 * dim + 1}, square(3, 1, 1, 1), 2 * dim + 1);
  add("depthwise_multiplier_2", {1, 7, 8, dim, 2 * dim}, square(3, 2, 1, 1), dim);
  add("raw_k3", {1, 7, 9, dim + 1, dim + 1}, square(3, 1, 1, 1), 1, true);
  add("raw_packed", {1, 9, 9, 3, 5}, square(5, 2, 1, 2), 1, true);
  add("groups_2_whole_blocks", {1, 6, 5, 2 * dim, 4 * dim}, square(3, 1, 1, 1), 2);
  add("groups_3_many_blocks", {1, 4, 5, 9 * dim, 3 * dim}, square(2, 1, 1, 1), 3);
  add("depthwise_many_blocks", {1, 4, 4, 8 * dim + 1, 8 * dim + 1}, square(2, 1, 1, 1), 8 * dim + 1);
  add("raw_whole_blocks", {1, 5, 6, dim, 2 * dim}, square(3, 1, 1, 1), 1, true);
  add("raw_one_channel", {1, 6, 7, 1, dim}, square(3, 1, 1, 1), 1, true);
  add("raw_many_blocks", {1, 4, 5, 9 * dim, dim + 1}, square(2, 1, 1, 1), 1, true);
  add("raw_1x1", {2, 6, 5, 2 * dim - 1, 3}, square(1, 1, 1, 0), 1, true);
  // Tiles of zeros, which are left out and skipped: single ones, whole columns, more than a CONV has bits for.
  const auto zeros = [&](const std::string& name, Shape shape, int percent, const Window& window, int groups = 1,
                         bool raw = false) {
    shape.zero_tiles = percent;
    shape.edge = dim;
    add("zeros_" + name, shape, window, groups, raw);
  };
  for (const int percent : {10, 50, 90, 100}) {
    zeros(fmt::format("k3_{}", percent), {1, 6, 6, 5 * dim, 3 * dim + 1}, percent, square(3, 1, 1, 1));
    zeros(fmt::format("k1_{}", percent), {1, 5, 5, 20 * dim, 2 * dim}, percent, square(1, 1, 1, 0));
  }
  zeros("k1_many_blocks", {1, 3, 4, 140 * dim, dim}, 50, square(1, 1, 1, 0));
  zeros("k5", {1, 7, 6, 6 * dim, 2 * dim}, 60, square(5, 1, 1, 2));
  zeros("k5_stride_2_raw", {1, 7, 6, 3 * dim + 2, 2 * dim}, 60, square(5, 2, 1, 2), 1, true);
  zeros("k11", {1, 11, 11, 2 * dim, dim}, 50, square(11, 1, 1, 5));
  zeros("k12", {1, 12, 12, 2 * dim, dim}, 50, square(12, 1, 1, 6));
  zeros("dilated", {1, 9, 9, 2 * dim, 2 * dim}, 50, square(3, 1, 2, 2));
  zeros("groups", {1, 5, 6, 4 * dim, 4 * dim}, 50, square(3, 1, 1, 1), 2);
  zeros("batch", {3, 5, 4, 3 * dim, 2 * dim}, 50, square(3, 1, 1, 1));
  zeros("large_image", {1, 40, 36, 2 * dim, 2 * dim}, 50, square(3, 1, 1, 1));
  // The depthwise unit: kernels that it computes in one piece, in several, and not at all; edges of its lines.
  const auto depthwise = [&](const std::string& name, int height, int width, int channels, const Window& window,
                             bool raw = false) {
    add("depthwise_" + name, {1, height, width, channels, channels}, window, channels, raw);
  };
  for (const int kernel : {1, 2, 3, 5}) {
    for (const int stride : {1, 2, 3}) {
      depthwise(fmt::format("k{}s{}", kernel, stride), 9, 11, dim + 3, square(kernel, stride, 1, kernel / 2));
    }
  }
  for (const int channels : {1, 2, dim - 1, dim, 40}) {
    depthwise(fmt::format("c{}", channels), 7, 6, channels, square(3, 1, 1, 1));
  }
  depthwise("tall", 9, 5, dim, {3, 1, 1, 1, 1, 1, 1, 1, 0, 0});
  depthwise("wide", 5, 9, dim, {1, 3, 1, 2, 1, 1, 0, 0, 1, 0});
  depthwise("k7", 8, 8, dim + 1, square(7, 1, 1, 3));
  depthwise("k4_uneven", 9, 8, 5, {4, 5, 2, 1, 1, 1, 0, 2, 2, 1});
  depthwise("one_pixel", 1, 1, dim, square(3, 1, 1, 1));
  depthwise("one_pixel_k1", 1, 1, 2 * dim, square(1, 1, 1, 0));
  depthwise("two_columns", 5, 2, dim, square(2, 1, 1, 0));
  depthwise("no_padding", 6, 7, dim + 2, square(3, 1, 1, 0));
  depthwise("pad_right", 6, 6, dim, {3, 3, 1, 1, 1, 1, 0, 2, 0, 2});
  depthwise("pad_left", 6, 6, dim, {3, 3, 1, 1, 1, 1, 2, 0, 2, 0});
  depthwise("pad_2_1", 5, 6, dim, {3, 3, 2, 2, 1, 1, 2, 1, 1, 2});
  depthwise("pad_beyond", 4, 4, dim, {3, 3, 1, 1, 1, 1, 5, 4, 4, 5});
  depthwise("longest_line", 3, 254, 3, square(3, 1, 1, 1));
  depthwise("longer_line", 3, 255, 3, square(3, 1, 1, 1));
  depthwise("long_line", 3, 600, 2, {3, 3, 1, 2, 1, 1, 1, 1, 1, 1});
  depthwise("stride_4", 13, 14, dim, square(3, 4, 1, 1));
  depthwise("stride_5", 13, 14, dim, square(3, 5, 1, 1));
  depthwise("sequence_k9", 270, 1, dim, {9, 1, 1, 1, 1, 1, 4, 4, 0, 0});
  depthwise("sequence_k7", 1, 140, dim + 1, {1, 7, 1, 1, 1, 1, 0, 0, 3, 3});
  depthwise("sequence_k11_raw", 1, 130, 3, {1, 11, 1, 1, 1, 1, 0, 0, 0, 0}, true);
  depthwise("sequence_k9_stride_2", 120, 1, dim, {9, 1, 2, 1, 1, 1, 4, 4, 0, 0});
  depthwise("lines_k9", 3, 120, dim, {1, 9, 1, 1, 1, 1, 1, 0, 4, 4});
  depthwise("columns_k9", 30, 5, dim, {9, 1, 1, 1, 1, 1, 4, 4, 0, 0});
  depthwise("dilated", 9, 9, dim, square(3, 1, 2, 2));
  depthwise("raw", 6, 7, dim + 1, square(3, 1, 1, 1), true);
  depthwise("many_tiles", 40, 36, dim + 3, square(3, 1, 1, 1));
  depthwise("many_blocks_k3", 5, 5, 9 * dim, square(3, 2, 1, 1));
  add("depthwise_batch", {3, 5, 6, dim + 1, dim + 1}, square(3, 1, 1, 1), dim + 1);
  return list;
}

}  // namespace systole::cosim

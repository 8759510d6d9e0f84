// SPDX-License-Identifier: Apache-2.0
#include "benchmark_suite.hpp"

#include <utility>

namespace systole::cli {
namespace {

MatmulShape matmul(int m, int n, int k, bool raw = false) { return {m, n, k, raw}; }

/// Square image, kernel and padding.
ConvShape conv(int side, int cin, int cout, int kernel, int stride, int pad, int dilation = 1, int groups = 1) {
  ConvShape shape;
  shape.height = shape.width = side;
  shape.cin = cin;
  shape.cout = cout;
  shape.window = {kernel, kernel, stride, stride, dilation, dilation, pad, pad, pad, pad};
  shape.groups = groups;
  return shape;
}

Work standard(const char* name, Length length, std::variant<MatmulShape, ConvShape> shape, double target) {
  return {name, length, std::move(shape), target, true};
}

Work small(const char* name, std::variant<MatmulShape, ConvShape> shape) {
  return {name, Length::kSmall, std::move(shape)};
}

std::vector<Work> make_list() {
  return {standard("matmul_64", Length::kSmall, matmul(64, 64, 64), 0.65),
          standard("matmul_256", Length::kShort, matmul(256, 256, 256), 0.97),
          standard(kYardstick, Length::kLong, kYardstickShape, 0.99),
          standard("conv3x3_28x28x128", Length::kLong, conv(28, 128, 128, 3, 1, 1), 0.97),
          standard("conv3x3_32x32x64", Length::kLong, conv(32, 64, 64, 3, 1, 1), 0.96),
          standard("conv3x3_16x16x64", Length::kShort, conv(16, 64, 64, 3, 1, 1), 0.95),
          standard("conv1x1_56x56x64", Length::kShort, conv(56, 64, 64, 1, 1, 0), 0.95),
          standard("conv7x7s2_224x224x3", Length::kLong, conv(224, 3, 64, 7, 2, 3), 0.80),
          // A slower engine shows first in small shapes: they consist mostly of start and end.
          small("matmul_16", matmul(16, 16, 16)),
          small("matmul_100x7x33", matmul(100, 7, 33)),
          small("matmul_1x256x256", matmul(1, 256, 256)),
          small("matmul_raw_48", matmul(48, 48, 48, true)),
          small("conv3x3_8x8x32", conv(8, 32, 32, 3, 1, 1)),
          small("conv3x3s2_15x15x16", conv(15, 16, 32, 3, 2, 1)),
          small("conv3x3d2_12x12x8", conv(12, 8, 16, 3, 1, 2, 2)),
          small("conv1x1_14x14x64", conv(14, 64, 32, 1, 1, 0)),
          small("conv5x5_20x20x3", conv(20, 3, 16, 5, 1, 2)),
          small("depthwise3x3_10x10x16", conv(10, 16, 16, 3, 1, 1, 1, 16)),
          small("depthwise3x3_28x28x64", conv(28, 64, 64, 3, 1, 1, 1, 64)),
          small("depthwise3x3s2_28x28x48", conv(28, 48, 48, 3, 2, 1, 1, 48)),
          {"depthwise3x3_56x56x144", Length::kShort, conv(56, 144, 144, 3, 1, 1, 1, 144)},
          {"depthwise3x3s2_112x112x96", Length::kShort, conv(112, 96, 96, 3, 2, 1, 1, 96)}};
}

}  // namespace

const std::vector<Work>& benchmark_suite() {
  static const std::vector<Work> list = make_list();
  return list;
}

Run run_work(Device& device, const Work& work, const RunSettings& settings) {
  if (const auto* shape = std::get_if<MatmulShape>(&work.shape)) {
    return run_matmul(device, work.name, *shape, settings);
  }
  return run_conv(device, work.name, std::get<ConvShape>(work.shape), settings);
}

}  // namespace systole::cli

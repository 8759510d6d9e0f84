// SPDX-License-Identifier: Apache-2.0
// Float convolutions, dense layers and products against loops that add in the order of the definition: equal in every
// bit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "operator_graph.hpp"

namespace systole::graph::test {
namespace {

class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : random_(seed) {}
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  std::vector<float> of(const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(count(shape)));
    for (float& value : values) {
      value = std::uniform_real_distribution<float>(-1, 1)(random_);
    }
    return values;
  }

 private:
  std::mt19937 random_;
};

RC_GTEST_PROP(Products, OfConvolutionsAreThoseOfPlainLoops, (std::uint32_t seed)) {
  Numbers numbers(seed);
  Conv2d op;
  Window& s = op.window;
  s.kernel_h = numbers.pick(1, 3), s.kernel_w = numbers.pick(1, 4);
  s.stride_h = numbers.pick(1, 2), s.stride_w = numbers.pick(1, 3);
  s.dilation_h = numbers.pick(1, 2), s.dilation_w = numbers.pick(1, 2);
  s.pad_top = numbers.pick(0, 2), s.pad_bottom = numbers.pick(0, 2), s.pad_left = numbers.pick(0, 2),
  s.pad_right = numbers.pick(0, 2);
  op.groups = numbers.pick(1, 3);
  const bool depthwise = numbers.pick(0, 2) == 0;
  const int depth = depthwise ? 1 : numbers.pick(1, 5), outputs = op.groups * (depthwise ? 1 : numbers.pick(1, 12));
  const Shape image{numbers.pick(1, 2), numbers.pick(5, 8), numbers.pick(7, 9), op.groups * depth};
  const Shape filter{outputs, s.kernel_h, s.kernel_w, depth};
  const Shape result = output_shapes(op, {image, filter, {outputs}}, {})[0];
  const std::vector<float> input = numbers.of(image), weights = numbers.of(filter), bias = numbers.of({outputs});
  const auto actual = run<float, float>(
      one_operator(op, {tensor(image), constant(tensor(filter), weights), constant(tensor({outputs}), bias)},
                   {tensor(result)}),
      {input});
  std::size_t position = 0;
  for (std::int64_t n = 0; n < result[0]; ++n) {
    for (std::int64_t y = 0; y < result[1]; ++y) {
      for (std::int64_t x = 0; x < result[2]; ++x) {
        for (std::int64_t o = 0; o < outputs; ++o, ++position) {
          double sum = double{bias[static_cast<std::size_t>(o)]};
          for (std::int64_t ky = 0; ky < s.kernel_h; ++ky) {
            for (std::int64_t kx = 0; kx < s.kernel_w; ++kx) {
              const std::int64_t in_y = y * s.stride_h - s.pad_top + ky * s.dilation_h,
                                 in_x = x * s.stride_w - s.pad_left + kx * s.dilation_w;
              for (std::int64_t c = 0; in_y >= 0 && in_y < image[1] && in_x >= 0 && in_x < image[2] && c < depth; ++c) {
                const std::int64_t channel = o / (outputs / op.groups) * depth + c;
                sum += double{input[static_cast<std::size_t>(((n * image[1] + in_y) * image[2] + in_x) * image[3] +
                                                             channel)]} *
                       double{weights[static_cast<std::size_t>(((o * s.kernel_h + ky) * s.kernel_w + kx) * depth + c)]};
              }
            }
          }
          RC_ASSERT(actual.at(position) == static_cast<float>(sum));
        }
      }
    }
  }
}

/// A dense layer is the product with its transposed weights.
RC_GTEST_PROP(Products, OfMatricesAreThoseOfPlainLoops, (std::uint32_t seed)) {
  Numbers numbers(seed);
  MatMul op;
  op.transpose_a = numbers.pick(0, 1) == 1;
  op.transpose_b = numbers.pick(0, 1) == 1;
  const int batches = numbers.pick(1, 2), rows = numbers.pick(1, 6), depth = numbers.pick(1, 9),
            columns = numbers.pick(1, 19);
  const Shape left = op.transpose_a ? Shape{batches, depth, rows} : Shape{batches, rows, depth};
  const Shape right = op.transpose_b ? Shape{columns, depth} : Shape{depth, columns};
  const std::vector<float> a = numbers.of(left), b = numbers.of(right), bias = numbers.of({columns});
  const Shape shape{batches, rows, columns};
  const auto actual = run<float, float>(
      one_operator(op, {tensor(left), constant(tensor(right), b), constant(tensor({columns}), bias)}, {tensor(shape)}),
      {a});
  std::vector<float> dense;
  if (!op.transpose_a && op.transpose_b) {
    dense = run<float, float>(
        one_operator(Dense{}, {tensor(left), constant(tensor(right), b), constant(tensor({columns}), bias)},
                     {tensor(shape)}),
        {a});
  }
  for (int n = 0; n < batches; ++n) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        double sum = double{bias[static_cast<std::size_t>(j)]};
        for (int k = 0; k < depth; ++k) {
          sum +=
              double{a[static_cast<std::size_t>(n * rows * depth + (op.transpose_a ? k * rows + i : i * depth + k))]} *
              double{b[static_cast<std::size_t>(op.transpose_b ? j * depth + k : k * columns + j)]};
        }
        const auto position = static_cast<std::size_t>((n * rows + i) * columns + j);
        RC_ASSERT(actual.at(position) == static_cast<float>(sum));
        if (!dense.empty()) {
          RC_ASSERT(dense.at(position) == static_cast<float>(sum));
        }
      }
    }
  }
}

}  // namespace
}  // namespace systole::graph::test

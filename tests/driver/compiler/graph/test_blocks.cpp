// SPDX-License-Identifier: Apache-2.0
// Products in block floating point against the golden model's rules, block by block.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "binary32.hpp"
#include "block_products.hpp"
#include "operator_graph.hpp"

namespace systole::graph::test {
namespace {

using golden::Block;
using golden::Matrix;

class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : random_(seed), wild_(pick(0, 3) == 0) {}
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  /// Moderate ones, or any words.
  std::vector<float> of(const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(count(shape)));
    for (float& value : values) {
      value = wild_ && pick(0, 20) == 0
                  ? std::bit_cast<float>(static_cast<std::uint32_t>(random_()))
                  : std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random_), pick(-9, 9));
    }
    return values;
  }

 private:
  std::mt19937 random_;
  bool wild_;
};

Matrix<Block> blocks(const std::vector<float>& values, std::int64_t rows) {
  golden::ConversionCounts counts;
  const auto columns = static_cast<int>(static_cast<std::int64_t>(values.size()) / rows);
  return golden::to_blocks(Matrix<float>(static_cast<int>(rows), columns, values), counts);
}

void expect_same(const std::vector<float>& actual, const std::vector<float>& expected) {
  RC_ASSERT(actual.size() == expected.size());
  RC_ASSERT(std::memcmp(actual.data(), expected.data(), actual.size() * sizeof actual[0]) == 0);
}

RC_GTEST_PROP(Blocks, OfRowsAreMultipliedByTheContract, (std::uint32_t seed)) {
  Numbers numbers(seed);
  const int rows = numbers.pick(1, 9), depth = numbers.pick(1, 70), columns = numbers.pick(1, 40);
  const auto a = numbers.of({rows, depth}), b = numbers.of({columns, depth}), bias = numbers.of({columns});
  const auto actual = run<float, float>(
      one_operator(Dense{},
                   {tensor({rows, depth}), constant(tensor({columns, depth}), b), constant(tensor({columns}), bias)},
                   {tensor({rows, columns})}, Arithmetic::kBlocks),
      {a});
  Matrix<float> sums(rows, columns);
  golden::add_products(sums, blocks(a, rows), blocks(b, columns));
  for (std::size_t i = 0; i < sums.data.size(); ++i) {
    sums.data[i] = golden::binary32::add(sums.data[i], bias[i % static_cast<std::size_t>(columns)]);
  }
  expect_same(actual, sums.data);
}

/// A tap of the image for each position, or zeros, for each channel.
std::vector<float> tap(const std::vector<float>& input, const Shape& image, const Shape& output, const Window& s,
                       std::int64_t ky, std::int64_t kx, std::int64_t first, std::int64_t channels) {
  std::vector<float> values;
  for (std::int64_t n = 0; n < output[0]; ++n) {
    for (std::int64_t y = 0; y < output[1]; ++y) {
      for (std::int64_t x = 0; x < output[2]; ++x) {
        const std::int64_t in_y = y * s.stride_h - s.pad_top + ky * s.dilation_h;
        const std::int64_t in_x = x * s.stride_w - s.pad_left + kx * s.dilation_w;
        const bool inside = in_y >= 0 && in_y < image[1] && in_x >= 0 && in_x < image[2];
        for (std::int64_t c = 0; c < channels; ++c) {
          const std::int64_t at = ((n * image[1] + in_y) * image[2] + in_x) * image[3] + first + c;
          values.push_back(inside ? input[static_cast<std::size_t>(at)] : 0.0F);
        }
      }
    }
  }
  return values;
}

/// Columns [first, first + count) of rows of `pitch`.
std::vector<float> part(const std::vector<float>& values, std::int64_t pitch, std::int64_t first, std::int64_t count) {
  std::vector<float> result;
  for (auto row = values.begin(); row != values.end(); row += pitch) {
    result.insert(result.end(), row + first, row + first + count);
  }
  return result;
}

RC_GTEST_PROP(Blocks, OfAConvolutionAreThoseOfTapsOrOfWindows, (std::uint32_t seed)) {
  Numbers numbers(seed);
  Conv2d op;
  Window& s = op.window;
  s.kernel_h = numbers.pick(1, 3), s.kernel_w = numbers.pick(1, 3);
  s.stride_h = numbers.pick(1, 2), s.stride_w = numbers.pick(1, 2);
  s.pad_top = numbers.pick(0, 1), s.pad_left = numbers.pick(0, 2), s.pad_bottom = numbers.pick(0, 1);
  op.groups = numbers.pick(1, 2);
  const int channels = numbers.pick(0, 1) == 0 ? numbers.pick(1, 15) : numbers.pick(16, 40);
  const int each = numbers.pick(1, 20), outputs = op.groups * each;
  const Shape image{numbers.pick(1, 2), numbers.pick(3, 5), numbers.pick(3, 6), op.groups * channels};
  const Shape filter{outputs, s.kernel_h, s.kernel_w, channels};
  const Shape result = output_shapes(op, {image, filter}, {})[0];
  const auto input = numbers.of(image), weights = numbers.of(filter);
  const auto actual = run<float, float>(
      one_operator(op, {tensor(image), constant(tensor(filter), weights)}, {tensor(result)}, Arithmetic::kBlocks),
      {input});
  const std::int64_t positions = count(result) / result[3], taps = filter[1] * filter[2];
  std::vector<float> expected(static_cast<std::size_t>(count(result)));
  for (int group = 0; group < op.groups; ++group) {
    const std::int64_t depth = taps * channels;
    const std::vector<float> rows(weights.begin() + group * each * depth, weights.begin() + (group + 1) * each * depth);
    Matrix<float> sums(static_cast<int>(positions), each);
    std::vector<std::vector<float>> of_taps;
    for (std::int64_t t = 0; t < taps; ++t) {
      of_taps.push_back(tap(input, image, result, s, t / filter[2], t % filter[2], group * channels, channels));
    }
    if (channels < golden::kBlockSize && taps > 1) {
      std::vector<float> windows;
      for (std::int64_t p = 0; p < positions; ++p) {
        for (const auto& values : of_taps) {
          windows.insert(windows.end(), values.begin() + p * channels, values.begin() + (p + 1) * channels);
        }
      }
      golden::add_products(sums, blocks(windows, positions), blocks(rows, each));
    } else {
      for (std::int64_t t = 0; t < taps; ++t) {
        golden::add_products(sums, blocks(of_taps[static_cast<std::size_t>(t)], positions),
                             blocks(part(rows, depth, t * channels, channels), each));
      }
    }
    for (std::int64_t p = 0; p < positions; ++p) {
      std::copy_n(&sums.at(static_cast<int>(p), 0), each, expected.begin() + p * outputs + group * each);
    }
  }
  expect_same(actual, expected);
}

RC_GTEST_PROP(Blocks, OfMatricesLieAlongTheirDepth, (std::uint32_t seed)) {
  Numbers numbers(seed);
  MatMul op;
  op.transpose_a = numbers.pick(0, 1) == 1;
  op.transpose_b = numbers.pick(0, 1) == 1;
  const std::int64_t rows = numbers.pick(1, 9), depth = numbers.pick(1, 40), columns = numbers.pick(1, 20);
  const auto a = numbers.of({rows, depth}), b = numbers.of({columns, depth});
  const auto turned = [](const std::vector<float>& values, std::int64_t pitch) {
    std::vector<float> result;
    for (std::int64_t column = 0; column < pitch; ++column) {
      const auto one = part(values, pitch, column, 1);
      result.insert(result.end(), one.begin(), one.end());
    }
    return result;
  };
  const auto actual =
      run<float, float>(one_operator(op,
                                     {tensor(op.transpose_a ? Shape{depth, rows} : Shape{rows, depth}),
                                      tensor(op.transpose_b ? Shape{columns, depth} : Shape{depth, columns})},
                                     {tensor({rows, columns})}, Arithmetic::kBlocks),
                        {op.transpose_a ? turned(a, depth) : a, op.transpose_b ? b : turned(b, depth)});
  Matrix<float> sums(static_cast<int>(rows), static_cast<int>(columns));
  golden::add_products(sums, blocks(a, rows), blocks(b, columns));
  expect_same(actual, sums.data);
}

TEST(Blocks, AreOfProductsOfFloat32) {
  using ::testing::HasSubstr;
  const auto error_of = [](Graph graph) {
    try {
      validate(graph);
      return std::string();
    } catch (const GraphError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(error_of(one_operator(Unary{}, {tensor({2})}, {tensor({2})}, Arithmetic::kBlocks)),
              HasSubstr("only Conv2d, Dense and MatMul of float32 without an activation"));
  EXPECT_THAT(error_of(one_operator(Dense{Activation::kRelu}, {tensor({2, 3}), tensor({4, 3})}, {tensor({2, 4})},
                                    Arithmetic::kBlocks)),
              HasSubstr("without an activation"));
}

}  // namespace
}  // namespace systole::graph::test

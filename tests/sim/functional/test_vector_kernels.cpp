// SPDX-License-Identifier: Apache-2.0
// Kernels of rows of bytes on the functional model's vector processor.
#include <gemmlowp/fixedpoint/fixedpoint.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <string>

#include "fixed_point.hpp"
#include "kernels.hpp"
#include "layer_norm.hpp"
#include "model_bench.hpp"
#include "row_formulas.hpp"
#include "seed.hpp"
#include "systole/configurations.hpp"
#include "vector_processor.hpp"
#include "whole_configurations.hpp"

namespace systole::test {
namespace {

class VectorKernels : public testing::TestWithParam<Configuration> {
 protected:
  /// Runs a kernel of rows. Values that the call has need not be given.
  void run(const compiler::KernelCall& call, std::map<std::string, std::int64_t> arguments) {
    const kernel::Kernel& made = compiler::kernel_of(call, bench_.dim());
    arguments.insert(call.values.begin(), call.values.end());
    bench_.put_kernel(0, made.words);
    std::array<std::uint32_t, kernel::kArguments> values{};
    for (std::size_t i = 0; i < made.arguments.size(); ++i) {
      values[i] = static_cast<std::uint32_t>(arguments.at(made.arguments[i]));
    }
    processor_.run(0, values);
  }

  Bench bench_{GetParam(), seed()};
  model::VectorProcessor processor_{bench_.state()};
};

INSTANTIATE_TEST_SUITE_P(Configurations, VectorKernels, testing::ValuesIn(test::whole_configurations()),
                         ConfigurationName());

/// exp(d * factor) as the framework's kernels compute it, 0 below the least difference that they take.
std::array<std::uint32_t, kernel::kTableWords> exponentials(float scale, float beta) {
  constexpr int kBits = 5;
  const double factor = std::min(double{beta} * double{scale} * (1 << (31 - kBits)), 2147483647.0);
  int shift = 0;
  const double mantissa = std::frexp(factor, &shift);
  const auto multiplier = static_cast<std::int32_t>(std::round(mantissa * 2147483648.0));
  const int least = -static_cast<int>(std::floor(((1 << kBits) - 1) * std::ldexp(1.0, 31 - kBits - shift)));
  std::array<std::uint32_t, kernel::kTableWords> table{};
  for (int d = -255; d <= 0; ++d) {
    if (d < least) {
      continue;
    }
    const auto scaled = gemmlowp::SaturatingRoundingDoublingHighMul(d * (1 << shift), multiplier);
    const auto value = gemmlowp::exp_on_negative_values(gemmlowp::FixedPoint<std::int32_t, kBits>::FromRaw(scaled));
    table[static_cast<std::size_t>(d + 256) % 256] = static_cast<std::uint32_t>(value.raw());
  }
  return table;
}

TEST_P(VectorKernels, SoftmaxIsThatOfTheFramework) {
  const int dim = bench_.dim();
  for (int round = 0; round < 20; ++round) {
    const bool is_long = round % 5 == 4;
    const int rows = bench_.uniform(1, is_long ? 1 : 20), planes_at_most = GetParam().scratch_rows / 2,
              channels = is_long ? std::min(bench_.uniform(512, 8191), planes_at_most * dim) : bench_.uniform(1, 64),
              planes = (channels + dim - 1) / dim;
    golden::Tensor8 input = bench_.random_tensor(1, rows, channels);
    if (round % 3 == 0) {  // near the maximum, so that many lanes count
      for (auto& value : input.data) value = static_cast<std::int8_t>(bench_.uniform(100, 127));
    } else if (round % 3 == 1) {  // what lies behind the last channel is greater than all channels
      for (auto& value : input.data) value = static_cast<std::int8_t>(bench_.uniform(-128, -100));
    }
    const float scale = std::ldexp(1.0F + 0.37F * static_cast<float>(round % 3), -bench_.uniform(2, 8));
    const int out = bench_.put_planes(0, input);
    for (int row = 0; row < rows; ++row) {
      std::int8_t* last = bench_.state().scratch(static_cast<std::uint16_t>((planes - 1) * rows + row));
      for (int n = channels - (planes - 1) * dim; n < dim; ++n) last[n] = 127;
    }
    bench_.state().words() = exponentials(scale, 1.0F);
    run(network::softmax_bytes(channels, kernel::Format::kI8),
        {{"a", 0}, {"a_plane", rows}, {"to", out}, {"to_plane", rows}, {"rows", rows}, {"strips", (rows + 7) / 8}});
    const golden::Tensor8 expected = golden::softmax(input, scale, 1.0F);
    for (int row = 0; row < rows; ++row) {
      for (int n = 0; n < channels; ++n) {
        ASSERT_EQ(bench_.state().scratch(static_cast<std::uint16_t>(out + n / dim * rows + row))[n % dim],
                  expected.at(0, 0, row, n))
            << "round " << round << " row " << row << " channel " << n << " of " << channels;
      }
    }
  }
}

TEST_P(VectorKernels, LayerNormEqualsGoldenAndIsWithinOneOfFloat64) {
  const int dim = bench_.dim();
  int different = 0, values = 0;
  for (int round = 0; round < 12; ++round) {
    const bool wide = dim >= 16 && round % 2 == 0;  // whose constants fit the accumulators
    const int rows = bench_.uniform(1, wide ? 8 : 20), count = wide ? bench_.uniform(363, 400) : bench_.uniform(1, 64);
    golden::Tensor8 input = bench_.random_tensor(1, rows, count);
    if (round % 3 == 0) {  // a small variance far from 0
      for (auto& value : input.data) value = static_cast<std::int8_t>(bench_.uniform(100, 103));
    }
    golden::LayerNormParams params;
    const bool narrow = count <= golden::kMostElementsOfExactVariance;
    const float factor = narrow ? static_cast<float>(count) : 1.0F;
    params.epsilon = 0.01F * factor * factor;
    const int out = bench_.put_planes(0, input);
    for (int n = 0; n < count; ++n) {
      params.gamma.push_back(factor * static_cast<float>(bench_.uniform(-4000, 4000)) / 100);
      params.beta.push_back(static_cast<float>(bench_.uniform(-2000, 2000)) / 100);
    }
    for (int n = 0; n < count; ++n) {
      const int row = 2 * (n / dim);
      const auto i = static_cast<std::size_t>(n);
      bench_.state().accumulator(row)[n % dim] = std::bit_cast<std::int32_t>(params.gamma[i]);
      bench_.state().accumulator(row + 1)[n % dim] = std::bit_cast<std::int32_t>(params.beta[i]);
    }
    run(network::layer_norm_bytes(count, narrow, params.epsilon), {{"a", 0},
                                                                   {"a_plane", rows},
                                                                   {"to", out},
                                                                   {"to_plane", rows},
                                                                   {"rows", rows},
                                                                   {"strips", (rows + 7) / 8},
                                                                   {"words", 0}});
    const golden::Tensor8 expected = golden::layer_norm(input, params);
    for (int row = 0; row < rows; ++row) {
      double mean = 0, variance = 0;
      for (int n = 0; n < count; ++n) mean += input.at(0, 0, row, n) / static_cast<double>(count);
      for (int n = 0; n < count; ++n) variance += std::pow(input.at(0, 0, row, n) - mean, 2) / count;
      for (int n = 0; n < count; ++n) {
        const auto i = static_cast<std::size_t>(n);
        const double real = (input.at(0, 0, row, n) - mean) /
                                std::sqrt(factor * factor * variance + double{params.epsilon}) *
                                double{params.gamma[i]} +
                            double{params.beta[i]};
        const int rounded = static_cast<int>(std::clamp(std::nearbyint(real), -128.0, 127.0));
        const int actual = bench_.state().scratch(static_cast<std::uint16_t>(out + n / dim * rows + row))[n % dim];
        ASSERT_EQ(actual, expected.at(0, 0, row, n)) << "round " << round << " row " << row << " channel " << n;
        ASSERT_LE(std::abs(actual - rounded), 1) << "round " << round << " row " << row << " channel " << n;
        different += actual != rounded ? 1 : 0;
        ++values;
      }
    }
  }
  EXPECT_LE(different, values / 200);
}

}  // namespace
}  // namespace systole::test

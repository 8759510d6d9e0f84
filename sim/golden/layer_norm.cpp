// SPDX-License-Identifier: Apache-2.0
#include "layer_norm.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

constexpr std::size_t kMostElements = 33025;  // squares of 255 with a sum below 2^31

bool has_exact_variance(std::size_t count) { return count <= kMostElementsOfExactVariance; }

float normal(double value) {
  const auto rounded = static_cast<float>(value);
  return std::abs(rounded) < std::numeric_limits<float>::min() ? 0.0F : rounded;
}

void require_finite(const char* name, const std::vector<float>& values) {
  for (const float value : values) {
    if (!std::isfinite(value)) {
      throw InvalidArgument(fmt::format("layer normalization: {} is {}; it must be finite", name, value));
    }
  }
}

float inverse_root(float value) {
  constexpr std::uint32_t kFirstEstimate = 0x5f3759df;
  constexpr int kSteps = 2;
  const float half = value * 0.5F;
  auto root = std::bit_cast<float>(kFirstEstimate - (std::bit_cast<std::uint32_t>(value) >> 1U));
  for (int step = 0; step < kSteps; ++step) {
    const float square = root * root;
    const float excess = square * half;
    const float factor = 1.5F - excess;
    root = root * factor;
  }
  return root;
}

struct Statistics {
  float mean, inverse_deviation;
};

/// The root is that of count^2 * (variance + epsilon); `epsilon` has the factor, too.
Statistics exact_statistics(const std::int8_t* row, int count, float epsilon) {
  std::int32_t sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    sum += row[i];
    squares += row[i] * row[i];
  }
  const float variance = static_cast<float>(squares * count - sum * sum);
  return {static_cast<float>(sum) * (1.0F / static_cast<float>(count)), inverse_root(variance + epsilon)};
}

Statistics statistics(const std::int8_t* row, int count, float epsilon) {
  if (has_exact_variance(static_cast<std::size_t>(count))) {
    return exact_statistics(row, count, epsilon);
  }
  const float inverse_count = 1.0F / static_cast<float>(count);
  std::int32_t sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += row[i];
  }
  const float mean = static_cast<float>(sum) * inverse_count;
  const auto center = static_cast<std::int32_t>(std::nearbyint(mean));
  std::int32_t squares = 0;
  for (int i = 0; i < count; ++i) {
    squares += (row[i] - center) * (row[i] - center);
  }
  const float mean_square = static_cast<float>(squares) * inverse_count;
  const float offset = static_cast<float>(sum - center * count) * inverse_count;
  const float offset_square = offset * offset;
  const float variance = std::max(mean_square - offset_square, 0.0F);
  return {mean, inverse_root(variance + epsilon)};
}

std::int8_t saturated(float value) {
  return static_cast<std::int8_t>(std::clamp(std::nearbyint(value), -128.0F, 127.0F));
}

}  // namespace

LayerNormParams layer_norm_params(const std::vector<float>& gamma, const std::vector<float>& beta, float epsilon,
                                  float input_scale, const UniformQuantization& output) {
  if (gamma.size() != beta.size() || gamma.empty() || gamma.size() > kMostElements) {
    throw InvalidArgument(
        fmt::format("layer normalization: {} factors and {} summands; there must be as many of each, 1 .. {}",
                    gamma.size(), beta.size(), kMostElements));
  }
  const double factor = has_exact_variance(gamma.size()) ? static_cast<double>(gamma.size()) : 1.0;
  LayerNormParams params;
  params.epsilon = normal(double{epsilon} * factor * factor / (double{input_scale} * double{input_scale}));
  if (!(params.epsilon >= 0) || !std::isfinite(params.epsilon)) {
    throw InvalidArgument(fmt::format(
        "layer normalization: epsilon {} with an input of scale {}; it must be at least 0, and finite in steps of "
        "the scale's square",
        epsilon, input_scale));
  }
  for (std::size_t i = 0; i < gamma.size(); ++i) {
    params.gamma.push_back(normal(double{gamma[i]} * factor / double{output.scale}));
    params.beta.push_back(normal(double{beta[i]} / double{output.scale} + output.zero_point));
  }
  require_finite("a factor, in steps of the result's scale,", params.gamma);
  require_finite("a summand, in steps of the result's scale,", params.beta);
  return params;
}

Tensor8 layer_norm(const Tensor8& input, const LayerNormParams& params) {
  const int count = input.shape.channels;
  if (params.gamma.size() != static_cast<std::size_t>(count)) {
    throw InvalidArgument(
        fmt::format("layer normalization of {} elements with {} factors", count, params.gamma.size()));
  }
  Tensor8 result = input;
  const std::size_t rows = input.data.size() / static_cast<std::size_t>(count);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int8_t* from = input.data.data() + row * static_cast<std::size_t>(count);
    std::int8_t* to = result.data.data() + row * static_cast<std::size_t>(count);
    const Statistics of_row = statistics(from, count, params.epsilon);
    for (int i = 0; i < count; ++i) {
      const float difference = static_cast<float>(from[i]) - of_row.mean;
      const float normalized = difference * of_row.inverse_deviation;
      const float scaled = normalized * params.gamma[static_cast<std::size_t>(i)];
      to[i] = saturated(scaled + params.beta[static_cast<std::size_t>(i)]);
    }
  }
  return result;
}

}  // namespace systole::golden

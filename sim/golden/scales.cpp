// SPDX-License-Identifier: Apache-2.0
#include "scales.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole::golden {

std::vector<QuantParam> convolution_scales(float input, const std::vector<float>& weights, float output) {
  std::vector<QuantParam> scales;
  for (const float weight : weights) {
    scales.push_back(quantize_multiplier(double{input} * double{weight} / double{output}));
  }
  return scales;
}

QuantParam dense_scale(float input, float weights, float output) {
  const float product = input * weights;
  return quantize_multiplier(double{product} / double{output});
}

std::vector<double> real_scales(float input, const std::vector<float>& weights, float output) {
  std::vector<double> scales;
  for (const float weight : weights) {
    scales.push_back(double{input} * double{weight} / double{output});
  }
  return scales;
}

std::int8_t requantize_once(std::int32_t sum, double scale, std::int32_t zero_point, const Clamp& clamp) {
  const double value = std::round(double(sum) * scale) + zero_point;
  return static_cast<std::int8_t>(std::clamp<double>(value, clamp.min, clamp.max));
}

std::optional<QuantParam> exact_factor(double scale, std::int32_t zero_point, const Clamp& clamp) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  constexpr int kCandidates = 64;
  const QuantParam nearest = quantize_multiplier(scale);
  // Both results grow with the sum, so that they are equal when they take each value from the same sum on.
  const auto same_step = [&](const QuantParam& factor, int value) {
    const auto reached = [&](std::int64_t sum) { return std::round(double(sum) * scale) >= value; };
    auto first = static_cast<std::int64_t>(std::clamp((value - 0.5) / scale, double{kLeast}, double{kMost}));
    for (; first > kLeast && reached(first - 1); --first) {}
    for (; first <= kMost && !reached(first); ++first) {}
    const auto result = [&](std::int64_t sum) {
      return multiply_by_quantized_multiplier(static_cast<std::int32_t>(sum), factor, Rounding::kSingle);
    };
    return (first == kLeast || result(first - 1) < value) && (first > kMost || result(first) >= value);
  };
  for (int i = 0; i < kCandidates; ++i) {
    QuantParam factor = nearest;
    factor.multiplier += i % 2 == 0 ? -(i / 2) : (i + 1) / 2;  // a little more moves ties away from zero
    bool same = is_valid(factor);
    for (int value = clamp.min - zero_point + 1; same && value <= clamp.max - zero_point; ++value) {
      same = same_step(factor, value);
    }
    if (same) {
      return factor;
    }
  }
  return std::nullopt;
}

std::vector<QuantParam> float_scales(float input, const std::vector<float>& weights, float output) {
  std::vector<QuantParam> scales;
  for (const float weight : weights) {
    const float product = input * weight;
    scales.push_back(quantize_multiplier(double{product / output}));
  }
  return scales;
}

AddParams add_params(const UniformQuantization& lhs, const UniformQuantization& rhs, const UniformQuantization& output,
                     const Clamp& clamp) {
  const double common = 2.0 * double{std::max(lhs.scale, rhs.scale)};
  AddParams params;
  params.lhs_zero_point = lhs.zero_point;
  params.rhs_zero_point = rhs.zero_point;
  params.lhs_scale = quantize_multiplier(double{lhs.scale} / common);
  params.rhs_scale = quantize_multiplier(double{rhs.scale} / common);
  params.output_scale = quantize_multiplier(common / (double{1 << kAddLeftShift} * double{output.scale}));
  params.output_zero_point = output.zero_point;
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  return params;
}

MultiplyParams multiply_params(const UniformQuantization& lhs, const UniformQuantization& rhs,
                               const UniformQuantization& output, const Clamp& clamp) {
  MultiplyParams params;
  params.lhs_zero_point = lhs.zero_point;
  params.rhs_zero_point = rhs.zero_point;
  params.output_scale = quantize_multiplier(double{lhs.scale} * double{rhs.scale} / double{output.scale});
  params.output_zero_point = output.zero_point;
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  return params;
}

Clamp activation_clamp(Activation activation, const UniformQuantization& output) {
  const auto quantized = [&](float real) {
    const float steps = std::round(real / output.scale);
    const float value = static_cast<float>(output.zero_point) + std::clamp(steps, -512.0F, 512.0F);
    return static_cast<std::int8_t>(std::clamp(value, -128.0F, 127.0F));
  };
  switch (activation) {
    case Activation::kNone: return {};
    case Activation::kRelu: return {quantized(0.0F), 127};
    case Activation::kRelu6: return {quantized(0.0F), quantized(6.0F)};
    case Activation::kReluN1To1: return {quantized(-1.0F), quantized(1.0F)};
  }
  return {};
}

}  // namespace systole::golden

// SPDX-License-Identifier: Apache-2.0
#include "functions16.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "systole/errors.hpp"
#include "systole/requantize.hpp"
#include "wide.hpp"

namespace systole::golden {
namespace {

// Points per unit, and three quarters of it: with 2^17 the table reaches up to 32 / 3.
constexpr int kPointsPerUnit = 24;
constexpr int kInputBits = 12;  // 2^-12 times 3 is the table's scale
constexpr int kThreeQuarters = 3;

std::array<std::uint16_t, 256> make_sigmoid_points() {
  const auto exact = [](double i) { return 65536.0 / (1.0 + std::exp(-i / kPointsPerUnit)); };
  std::array<std::uint16_t, 256> points{};
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const auto at = static_cast<double>(i);
    const double below = exact(at + 0.5) - (exact(at) + exact(at + 1)) / 2;  // interpolation error at the midpoint
    points[i] = static_cast<std::uint16_t>(std::lround(exact(at) + below / 2));
  }
  points.back() = 65535;
  return points;
}

// Returns the exponent if the scale is a power of two.
bool is_power_of_two(float scale, int& exponent) {
  const float logarithm = std::log(scale) * static_cast<float>(1.0 / std::log(2.0));
  const float rounded = std::round(logarithm);
  exponent = static_cast<int>(rounded);
  return std::abs(logarithm - rounded) < 1e-3F;
}

PointScale point_scale(float scale, int most_left) {
  int exponent = 0;
  if (is_power_of_two(scale, exponent) && exponent + kInputBits >= 0 && exponent + kInputBits <= most_left) {
    return {kThreeQuarters << (exponent + kInputBits), 0};
  }
  double multiplier = double{scale} * (1 << kInputBits) * kThreeQuarters;
  if (!(multiplier < 65536.0)) {
    throw InvalidArgument(fmt::format("a sigmoid or tanh of 16 bits with scale {}; it is below {}", scale,
                                      65536.0 / (1 << kInputBits) / kThreeQuarters));
  }
  int shift = 0;
  for (; multiplier <= 32767.0 / 2.0 && shift <= 30; ++shift) {
    multiplier *= 2.0;
  }
  return {static_cast<std::int32_t>(multiplier), shift};
}

std::int32_t on_points(std::int16_t value, const PointScale& scale) {
  const std::int64_t round = scale.shift > 0 ? std::int64_t{1} << (scale.shift - 1) : 0;
  return static_cast<std::int32_t>((std::int64_t{value} * scale.multiplier + round) >> scale.shift);
}

// 2^(16 + fraction_bits) times the sigmoid of a value with this many bits between two points; saturated after the last
// point.
std::int32_t between_points(std::int32_t value, int fraction_bits, std::int32_t saturated) {
  const auto& points = sigmoid_points();
  const auto size = static_cast<std::uint32_t>(std::abs(value));
  const std::uint32_t index = size >> fraction_bits;
  if (index + 1 >= points.size()) {
    return saturated << fraction_bits;
  }
  const std::int32_t here = points[index];
  const std::int32_t slope = points[index + 1] - here;
  const auto fraction = static_cast<std::int32_t>(size & ((1U << fraction_bits) - 1));
  return (here << fraction_bits) + fraction * slope;
}

// Steps of a function, computed like LUTPopulate of int16: each point is moved by half of the interpolation error at
// the midpoint.
constexpr int kStepBits = 7;

template <class Function>
Steps make_steps(float input_min, float input_max, Function function) {
  constexpr float kOutputScale = 2.0F / 65535.0F;
  const float per_one = 65536.0F / (kOutputScale * 32767.0F - kOutputScale * -32768.0F);
  const float step = (input_max - input_min) / 512.0F;
  const float half_step = step / 2.0F;
  Steps steps{};
  for (int i = 0; i < 512; ++i) {
    const float at = input_min + static_cast<float>(i) * step;
    const float value = std::round(function(at) * per_one);
    const float middle = std::round(function(at + half_step) * per_one);
    const float next = function(input_min + static_cast<float>(i + 1) * step) * per_one;
    const float line = std::round((next + value) / 2.0F);
    steps[static_cast<std::size_t>(i)] =
        saturate_to_int16(static_cast<std::int64_t>(value - std::round((line - middle) / 2.0F)));
  }
  steps.back() = saturate_to_int16(static_cast<std::int64_t>(std::round(function(input_max) * per_one)));
  return steps;
}

std::int16_t between_steps(const Steps& steps, std::int16_t value) {
  const auto index = static_cast<std::size_t>(256 + (value >> kStepBits));
  const int slope = steps[index + 1] - steps[index];
  const int fraction = value & ((1 << kStepBits) - 1);
  return static_cast<std::int16_t>(steps[index] + ((slope * fraction + (1 << (kStepBits - 1))) >> kStepBits));
}

}  // namespace

const Steps& exponential_steps() {  // -10 .. 0
  constexpr float kScale = 10.0F / 65535.0F;
  static const Steps steps = make_steps(kScale * -65535.0F, kScale * 0.0F, [](float x) { return std::exp(x); });
  return steps;
}

const Steps& reciprocal_steps() {  // of 1 + x, 0 .. 1
  constexpr float kScale = 1.0F / 65535.0F;
  static const Steps steps = make_steps(kScale * 0.0F, kScale * 65535.0F, [](float x) { return 1.0F / (1.0F + x); });
  return steps;
}

const std::array<std::uint16_t, 256>& sigmoid_points() {
  static const std::array<std::uint16_t, 256> points = make_sigmoid_points();
  return points;
}

PointScale logistic_scale(float input_scale) { return point_scale(input_scale, 0); }
PointScale tanh_scale(float input_scale) { return point_scale(input_scale, 1); }

PointScale tanh_scale_of_power(int exponent) {
  constexpr int kLeast = -40;
  constexpr int kMost = 2;
  if (exponent < kLeast || exponent > kMost) {
    throw InvalidArgument(
        fmt::format("a tanh of 16 bits with scale 2^{}; the exponent is {} .. {}", exponent, kLeast, kMost));
  }
  const int left = exponent + kInputBits;
  return left >= 0 ? PointScale{kThreeQuarters << left, 0} : PointScale{kThreeQuarters, -left};
}

std::int16_t logistic16(std::int16_t value, const PointScale& scale) {
  constexpr int kFractionBits = 9;
  constexpr std::int32_t kOne = 1 << (16 + kFractionBits);
  constexpr std::int32_t kHalf = 1 << kFractionBits;
  const std::int32_t at = on_points(value, scale);
  const std::int32_t sigmoid = between_points(at, kFractionBits, 0x7FFF << 1);
  return static_cast<std::int16_t>((at >= 0 ? sigmoid + kHalf : kOne - sigmoid + kHalf - 1) >> (kFractionBits + 1));
}

std::int16_t tanh16(std::int16_t value, const PointScale& scale) {
  constexpr int kFractionBits = 8;  // tanh(x) = 2 sigmoid(2 x) - 1
  constexpr std::int32_t kMiddle = 1 << (15 + kFractionBits);
  constexpr std::int32_t kHalf = 1 << (kFractionBits - 1);
  const std::int32_t at = on_points(value, scale);
  const std::int32_t above = between_points(at, kFractionBits, 0xFFFF) - kMiddle;
  return static_cast<std::int16_t>((at >= 0 ? above + kHalf : -above + kHalf - 1) >> kFractionBits);
}

std::vector<std::int16_t> softmax16(const std::vector<std::int16_t>& input, std::size_t depth, float input_scale,
                                    float beta) {
  constexpr std::size_t kMostDepth = 65536;
  if (depth == 0 || depth > kMostDepth || input.size() % depth != 0) {
    throw InvalidArgument(
        fmt::format("softmax of {} elements in rows of {}; a row has 1 .. {}", input.size(), depth, kMostDepth));
  }
  const QuantParam scale = quantize_multiplier(double{input_scale} * double{beta} / (10.0 / 65535.0));
  std::vector<std::int16_t> out(input.size());
  for (std::size_t start = 0; start < input.size(); start += depth) {
    const std::int16_t* row = input.data() + start;
    std::int16_t* result = out.data() + start;
    const std::int32_t most = *std::max_element(row, row + depth);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < depth; ++i) {
      const std::int64_t difference = multiply_by_quantized_multiplier(row[i] - most, scale, Rounding::kDouble);
      result[i] = between_steps(exponential_steps(), saturate_to_int16(difference + 32767));
      sum += static_cast<std::uint32_t>(result[i]);
    }
    // The sum as 1 + x, with x from 0 to 1 in 16 bits.
    const int headroom = __builtin_clz(sum) - 1;
    const auto normal = static_cast<std::int64_t>(((std::uint64_t{sum} << headroom) + (1U << 13)) >> 14);
    const std::int64_t reciprocal =
        between_steps(reciprocal_steps(), saturate_to_int16(normal - (1 << 15) - (1 << 16)));
    const int right = 30 - headroom;
    for (std::size_t i = 0; i < depth; ++i) {
      const std::int64_t share = (result[i] * reciprocal + (std::int64_t{1} << (right - 1))) >> right;
      result[i] = static_cast<std::int16_t>(std::clamp<std::int64_t>(share, 0, 32767));
    }
  }
  return out;
}

}  // namespace systole::golden

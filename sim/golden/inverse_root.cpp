// SPDX-License-Identifier: Apache-2.0
#include "inverse_root.hpp"

#include <fmt/core.h>

#include <gemmlowp/fixedpoint/fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

std::int8_t to_int8(std::int64_t value) { return static_cast<std::int8_t>(std::clamp<std::int64_t>(value, -128, 127)); }

QuantParam shifted(QuantParam param, int by) {
  param.shift += by;
  if (!is_valid(param)) {
    throw InvalidArgument(
        fmt::format("a scale of 2^{}; the range is 2^{} .. 2^{}", param.shift, kMinQuantShift, kMaxQuantShift));
  }
  return param;
}

}  // namespace

QuantParam inverse_square_root(std::int32_t value) {
  using gemmlowp::Rescale;
  using Q3 = gemmlowp::FixedPoint<std::int32_t, 3>;
  using Q0 = gemmlowp::FixedPoint<std::int32_t, 0>;
  if (value <= 1) {
    return {std::numeric_limits<std::int32_t>::max(), 0};
  }
  int right_shift = 11;
  while (value >= 1 << 29) {
    value /= 4;
    ++right_shift;
  }
  const int pairs = (__builtin_clz(static_cast<std::uint32_t>(value)) - 1) / 2 - 1;
  right_shift -= pairs;
  const Q3 half = gemmlowp::SaturatingRoundingMultiplyByPOT<-1>(Q3::FromRaw((value << (2 * pairs)) >> 1));
  const Q3 three_halves = Q3::FromRaw((1 << 28) + (1 << 27));
  Q3 root = Q3::One();
  constexpr int kSteps = 5;
  for (int i = 0; i < kSteps; ++i) {
    const Q3 cube = Rescale<3>(root * root * root);
    root = Rescale<3>(three_halves * root - half * cube);
  }
  constexpr std::int32_t kSqrtHalf = 1518500250;  // times 2^31
  std::int32_t multiplier = (root * Q0::FromRaw(kSqrtHalf)).raw();
  if (right_shift < 0) {
    multiplier <<= -right_shift;
    right_shift = 0;
  }
  return {multiplier, -right_shift};
}

Tensor8 rsqrt(const Tensor8& input, const UniformQuantization& from, const UniformQuantization& to) {
  constexpr int kFraction = 20;  // bits
  const QuantParam scale = quantize_multiplier(1.0 / static_cast<double>(std::sqrt(from.scale) * to.scale));
  Tensor8 out(input.shape);
  std::transform(input.data.begin(), input.data.end(), out.data.begin(), [&](std::int8_t quantized) {
    const std::int32_t value = quantized - from.zero_point;
    if (value < 0) {
      throw InvalidArgument(
          fmt::format("the root of {}, which is below its zero point {}", quantized, from.zero_point));
    }
    if (value == 0) {
      return std::int8_t{127};
    }
    const auto root = static_cast<std::int32_t>(
        multiply_by_quantized_multiplier(1, shifted(inverse_square_root(value), kFraction), Rounding::kDouble));
    return to_int8(multiply_by_quantized_multiplier(root, shifted(scale, -kFraction), Rounding::kDouble) +
                   to.zero_point);
  });
  return out;
}

Tensor8 l2_normalize(const Tensor8& input, std::int32_t zero_point) {
  constexpr int kFraction = 7;  // bits of the result
  constexpr int kLongest = 33025;
  const auto depth = static_cast<std::size_t>(input.shape.channels);
  if (input.shape.channels > kLongest) {
    throw InvalidArgument(fmt::format("rows of {} elements; at most {}", depth, kLongest));
  }
  Tensor8 out(input.shape);
  for (std::size_t start = 0; start < input.data.size(); start += depth) {
    std::int32_t squares = 0;
    for (std::size_t i = start; i < start + depth; ++i) {
      const std::int32_t value = input.data[i] - zero_point;
      squares += value * value;
    }
    const QuantParam scale = shifted(inverse_square_root(squares), kFraction);
    for (std::size_t i = start; i < start + depth; ++i) {
      out.data[i] = to_int8(multiply_by_quantized_multiplier(input.data[i] - zero_point, scale, Rounding::kDouble));
    }
  }
  return out;
}

}  // namespace systole::golden

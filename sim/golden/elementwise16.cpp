// SPDX-License-Identifier: Apache-2.0
#include "elementwise16.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

constexpr int kAddLeftShift16 = 15;

std::int32_t scaled(std::int32_t value, const QuantParam& scale) {
  return static_cast<std::int32_t>(multiply_by_quantized_multiplier(value, scale, Rounding::kDouble));
}

template <class Combine>
Elements16 pairwise(const Elements16& lhs, const Elements16& rhs, Combine combine) {
  if (lhs.size() != rhs.size()) {
    throw InvalidArgument(fmt::format("element-wise operands of {} and {} elements", lhs.size(), rhs.size()));
  }
  Elements16 out(lhs.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = combine(lhs[i], rhs[i]);
  }
  return out;
}

// combine() of the operands at their common scale, requantized.
template <class Combine>
Elements16 on_common_scale(const Elements16& lhs, const Elements16& rhs, const PairParams16& p, Combine combine) {
  return pairwise(lhs, rhs, [&](std::int16_t a, std::int16_t b) {
    const std::int32_t left = scaled(a * (1 << p.left_shift), p.lhs_scale);
    const std::int32_t right = scaled(b * (1 << p.left_shift), p.rhs_scale);
    return clamp_to(p.clamp, scaled(combine(left, right), p.output_scale));
  });
}

}  // namespace

PairParams16 add_params16(float lhs, float rhs, float output, const Clamp16& clamp) {
  const double common = 2.0 * double{std::max(lhs, rhs)};
  return {kAddLeftShift16, quantize_multiplier(double{lhs} / common), quantize_multiplier(double{rhs} / common),
          quantize_multiplier(common / (double{1 << kAddLeftShift16} * double{output})), clamp};
}

PairParams16 squared_difference_params16(float lhs, float rhs, float output) {
  const double common = 2.0 * double{std::max(lhs, rhs)};
  return {0,
          quantize_multiplier(double{lhs} / common),
          quantize_multiplier(double{rhs} / common),
          quantize_multiplier(common * common / double{output}),
          {}};
}

Elements16 add16(const Elements16& lhs, const Elements16& rhs, const PairParams16& params) {
  return on_common_scale(lhs, rhs, params, [](std::int32_t a, std::int32_t b) { return a + b; });
}

Elements16 subtract16(const Elements16& lhs, const Elements16& rhs, const PairParams16& params) {
  return on_common_scale(lhs, rhs, params, [](std::int32_t a, std::int32_t b) { return a - b; });
}

Elements16 squared_difference16(const Elements16& lhs, const Elements16& rhs, const PairParams16& params) {
  return on_common_scale(lhs, rhs, params, [](std::int32_t a, std::int32_t b) { return (a - b) * (a - b); });
}

Elements16 multiply16(const Elements16& lhs, const Elements16& rhs, const QuantParam& scale, const Clamp16& clamp) {
  return pairwise(lhs, rhs, [&](std::int16_t a, std::int16_t b) { return clamp_to(clamp, scaled(a * b, scale)); });
}

Elements16 rescale16(const Elements16& input, const QuantParam& scale, const Clamp16& clamp) {
  Elements16 out(input.size());
  std::transform(input.begin(), input.end(), out.begin(),
                 [&](std::int16_t value) { return clamp_to(clamp, scaled(value, scale)); });
  return out;
}

Elements16 leaky_relu16(const Elements16& input, float input_scale, float output_scale, float alpha) {
  const LeakyReluScales scales = leaky_relu_scales(input_scale, output_scale, alpha);
  Elements16 out(input.size());
  std::transform(input.begin(), input.end(), out.begin(), [&](std::int16_t value) {
    return saturate_to_int16(value >= 0 ? scaled(value, scales.above) : scales.sign * scaled(value, scales.below));
  });
  return out;
}

Elements16 prelu16(const Elements16& input, const std::vector<std::int8_t>& slopes, float input_scale,
                   const UniformQuantization& slope, float output_scale) {
  if (slopes.size() != input.size()) {
    throw InvalidArgument(fmt::format("{} slopes for {} elements", slopes.size(), input.size()));
  }
  const QuantParam above = quantize_multiplier(double{input_scale} / double{output_scale});
  const QuantParam below = quantize_multiplier(double{input_scale} * double{slope.scale} / double{output_scale});
  Elements16 out(input.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int32_t value = input[i];
    out[i] =
        saturate_to_int16(value >= 0 ? scaled(value, above) : scaled(value * (slopes[i] - slope.zero_point), below));
  }
  return out;
}

Elements16 summarize16(const std::vector<std::int64_t>& sums, std::int64_t count, float input_scale, float output_scale,
                       Summary summary) {
  QuantParam scale = quantize_multiplier(double{input_scale} / double{output_scale});
  if (summary == Summary::kMean) {
    scale = mean_scale(scale, count);
  }
  Elements16 out(sums.size());
  std::transform(sums.begin(), sums.end(), out.begin(),
                 [&](std::int64_t sum) { return saturate_to_int16(scaled(wrap_to_int32(sum), scale)); });
  return out;
}

}  // namespace systole::golden

// SPDX-License-Identifier: Apache-2.0
#include "rescale.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

// Like scales of other operators, but zero and values that are effectively zero are legal.
std::int8_t rescaled(std::int32_t value, const RescaleParams& p) {
  return requantize(value, p.scale, p.output_zero_point, p.clamp.min, p.clamp.max, p.rounding);
}

}  // namespace

RescaleParams rescale_params(const UniformQuantization& input, const UniformQuantization& output, const Clamp& clamp) {
  RescaleParams params;
  params.input_zero_point = input.zero_point;
  params.scale = quantize_multiplier(double{input.scale} / double{output.scale});
  params.output_zero_point = output.zero_point;
  params.clamp = clamp;
  return params;
}

QuantParam float32_scale(float input_scale, float output_scale) {
  return quantize_multiplier(double{input_scale / output_scale});
}

RescaleParams float32_rescale_params(const UniformQuantization& input, const UniformQuantization& output,
                                     const Clamp& clamp) {
  RescaleParams params = rescale_params(input, output, clamp);
  params.scale = float32_scale(input.scale, output.scale);
  return params;
}

Tensor8 rescale(const Tensor8& input, const RescaleParams& params) {
  Tensor8 out(input.shape);
  std::transform(input.data.begin(), input.data.end(), out.data.begin(),
                 [&](std::int8_t value) { return rescaled(value - params.input_zero_point, params); });
  return out;
}

LeakyReluScales leaky_relu_scales(float input_scale, float output_scale, float alpha) {
  return {float32_scale(input_scale, output_scale),
          quantize_multiplier(std::abs(double{input_scale * alpha / output_scale})), alpha < 0.0F ? -1 : 1};
}

LookupTable leaky_relu_table(const UniformQuantization& input, const UniformQuantization& output, float alpha) {
  const LeakyReluScales scales = leaky_relu_scales(input.scale, output.scale, alpha);
  return make_lookup_table([&](std::int8_t quantized) {
    const std::int32_t value = quantized - input.zero_point;
    const std::int64_t product =
        value >= 0 ? multiply_by_quantized_multiplier(value, scales.above, Rounding::kDouble)
                   : scales.sign * multiply_by_quantized_multiplier(value, scales.below, Rounding::kDouble);
    return static_cast<std::int8_t>(std::clamp<std::int64_t>(product + output.zero_point, -128, 127));
  });
}

QuantParam mean_scale(const QuantParam& scale, std::int64_t count) {
  if (count < 1) {
    throw InvalidArgument(fmt::format("a mean of {} elements", count));
  }
  int shift = 63 - __builtin_clzll(static_cast<unsigned long long>(count));
  shift = std::min({shift, 32, 31 + scale.shift});
  return {static_cast<std::int32_t>((std::int64_t{scale.multiplier} << shift) / count), scale.shift - shift};
}

std::vector<std::int8_t> summarize(const std::vector<std::int32_t>& sums, std::int64_t count,
                                   const RescaleParams& params, Summary summary) {
  RescaleParams scaled = params;
  if (summary == Summary::kMean) {
    scaled.scale = mean_scale(params.scale, count);
  }
  std::vector<std::int8_t> out(sums.size());
  std::transform(sums.begin(), sums.end(), out.begin(), [&](std::int32_t sum) {
    return rescaled(wrap_to_int32(sum - params.input_zero_point * count), scaled);
  });
  return out;
}

}  // namespace systole::golden

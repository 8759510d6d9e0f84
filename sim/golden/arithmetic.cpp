// SPDX-License-Identifier: Apache-2.0
#include "arithmetic.hpp"

#include <fmt/core.h>

#include <gemmlowp/fixedpoint/fixedpoint.h>

#include <algorithm>
#include <cstdlib>

#include "rescale.hpp"
#include "systole/errors.hpp"

namespace systole::golden {
namespace {

std::int8_t to_int8(std::int64_t value) { return static_cast<std::int8_t>(std::clamp<std::int64_t>(value, -128, 127)); }

std::int32_t scaled(std::int32_t value, const QuantParam& scale) {
  return static_cast<std::int32_t>(multiply_by_quantized_multiplier(value, scale, Rounding::kDouble));
}

template <class Function>
Tensor8 for_each_pair(const Tensor8& lhs, const Tensor8& rhs, Function function) {
  Tensor8 out(lhs.shape);
  std::transform(lhs.data.begin(), lhs.data.end(), rhs.data.begin(), out.data.begin(), function);
  return out;
}

}  // namespace

LookupTable abs_table(const UniformQuantization& input, const UniformQuantization& output) {
  const QuantParam scale = float32_scale(input.scale, output.scale);
  return make_lookup_table([&](std::int8_t quantized) {
    const std::int32_t value = std::abs(quantized - input.zero_point);
    return to_int8(std::int64_t{input.scale == output.scale ? value : scaled(value, scale)} + output.zero_point);
  });
}

Tensor8 prelu(const Tensor8& lhs, const Tensor8& slope, const UniformQuantization& lhs_scale,
              const UniformQuantization& slope_scale, const UniformQuantization& output) {
  const QuantParam above = quantize_multiplier(double{lhs_scale.scale} / double{output.scale});
  const QuantParam below =
      quantize_multiplier(double{lhs_scale.scale} * double{slope_scale.scale} / double{output.scale});
  return for_each_pair(lhs, slope, [&](std::int8_t x, std::int8_t a) {
    const std::int32_t value = x - lhs_scale.zero_point;
    const std::int32_t result = value >= 0 ? scaled(value, above) : scaled(value * (a - slope_scale.zero_point), below);
    return to_int8(std::int64_t{result} + output.zero_point);
  });
}

Tensor8 squared_difference(const Tensor8& lhs, const Tensor8& rhs, const UniformQuantization& lhs_scale,
                           const UniformQuantization& rhs_scale, const UniformQuantization& output) {
  constexpr int kLeftShift = 7;  // 255^2 * 2^14 fits in 31 bits
  const double common = 2.0 * double{std::max(lhs_scale.scale, rhs_scale.scale)};
  const QuantParam left = quantize_multiplier(double{lhs_scale.scale} / common);
  const QuantParam right = quantize_multiplier(double{rhs_scale.scale} / common);
  const QuantParam to_output =
      quantize_multiplier(common * common / double{static_cast<float>(1 << (2 * kLeftShift)) * output.scale});
  return for_each_pair(lhs, rhs, [&](std::int8_t a, std::int8_t b) {
    const std::int32_t difference = scaled((a - lhs_scale.zero_point) * (1 << kLeftShift), left) -
                                    scaled((b - rhs_scale.zero_point) * (1 << kLeftShift), right);
    return to_int8(std::int64_t{scaled(difference * difference, to_output)} + output.zero_point);
  });
}

Tensor8 divide(const Tensor8& lhs, const Tensor8& rhs, const UniformQuantization& lhs_scale,
               const UniformQuantization& rhs_scale, const UniformQuantization& output, const Clamp& clamp) {
  using Fraction = gemmlowp::FixedPoint<std::int32_t, 0>;
  const QuantParam scale = quantize_multiplier(double{lhs_scale.scale / (rhs_scale.scale * output.scale)});
  // A dividend has 8 bits, so that its quotient with the smallest divisor leaves this room above it.
  constexpr int kMaxShift = 23;
  if (scale.shift > kMaxShift) {
    throw InvalidArgument(fmt::format("a division of scales {} by {} to {}: the quotient is too large", lhs_scale.scale,
                                      rhs_scale.scale, output.scale));
  }
  return for_each_pair(lhs, rhs, [&](std::int8_t a, std::int8_t b) {
    std::int32_t dividend = a - lhs_scale.zero_point;
    std::int32_t divisor = b - rhs_scale.zero_point;
    if (divisor == 0) {
      throw InvalidArgument(fmt::format("a division by {}, the zero point of the divisor", b));
    }
    if (divisor < 0) {
      dividend = -dividend;
      divisor = -divisor;
    }
    // 1 / divisor as a fraction of at least one half.
    const int zeros = __builtin_clz(static_cast<std::uint32_t>(divisor));
    const auto less_one =
        static_cast<std::int32_t>((static_cast<std::uint32_t>(divisor) << zeros) - (std::uint32_t{1} << 31));
    const std::int32_t reciprocal = gemmlowp::one_over_one_plus_x_for_x_in_0_1(Fraction::FromRaw(less_one)).raw();
    const int headroom = __builtin_clrsb(dividend);
    const std::int32_t quotient = rounding_doubling_high_multiply(
        static_cast<std::int32_t>(std::int64_t{dividend} * (std::int64_t{1} << headroom)), reciprocal);
    const int right_shift = 31 - zeros + headroom - scale.shift;
    const std::int64_t result =
        right_shift > 31
            ? 0
            : rounding_divide_by_power_of_two(rounding_doubling_high_multiply(quotient, scale.multiplier), right_shift);
    return static_cast<std::int8_t>(std::clamp<std::int64_t>(result + output.zero_point, clamp.min, clamp.max));
  });
}

std::vector<std::uint8_t> related(const Tensor8& lhs, const Tensor8& rhs, const UniformQuantization& lhs_scale,
                                  const UniformQuantization& rhs_scale, Relation relation) {
  constexpr int kLeftShift = 8;
  for (const UniformQuantization& q : {lhs_scale, rhs_scale}) {
    if (!(q.scale < 1.0F)) {
      throw InvalidArgument(fmt::format("a comparison of a tensor with scale {}; it is below 1", q.scale));
    }
  }
  const QuantParam left = quantize_multiplier(double{lhs_scale.scale});
  const QuantParam right = quantize_multiplier(double{rhs_scale.scale});
  std::vector<std::uint8_t> out(lhs.data.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int32_t a = scaled((lhs.data[i] - lhs_scale.zero_point) * (1 << kLeftShift), left);
    const std::int32_t b = scaled((rhs.data[i] - rhs_scale.zero_point) * (1 << kLeftShift), right);
    out[i] = (relation == Relation::kEqual ? a == b : relation == Relation::kLess ? a < b : a <= b) ? 1 : 0;
  }
  return out;
}

QuantParam cumulative_sum_scale(const UniformQuantization& from, const UniformQuantization& to) {
  return quantize_multiplier(2.0 * double{from.scale} / (double{1 << kAddLeftShift} * double{to.scale}));
}

Tensor8 cumulative_sum(const Tensor8& input, const UniformQuantization& from, const UniformQuantization& to,
                       bool exclusive, bool reverse) {
  const QuantParam to_common = quantize_multiplier(0.5);
  const QuantParam to_output = cumulative_sum_scale(from, to);
  Tensor8 out(input.shape);
  for (int n = 0; n < input.shape.batch * input.shape.height; ++n) {
    for (int c = 0; c < input.shape.channels; ++c) {
      std::int32_t sum = scaled(-from.zero_point * (1 << kAddLeftShift), to_common);
      for (int i = 0; i < input.shape.width; ++i) {
        const int x = reverse ? input.shape.width - 1 - i : i;
        const std::size_t at =
            (std::size_t(n) * std::size_t(input.shape.width) + std::size_t(x)) * std::size_t(input.shape.channels) +
            std::size_t(c);
        const std::int32_t before = sum;
        sum = wrap_to_int32(std::int64_t{sum} +
                            scaled((input.data[at] - from.zero_point) * (1 << kAddLeftShift), to_common));
        out.data[at] = to_int8(std::int64_t{scaled(exclusive ? before : sum, to_output)} + to.zero_point);
      }
    }
  }
  return out;
}

}  // namespace systole::golden

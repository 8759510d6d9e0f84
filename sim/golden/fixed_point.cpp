// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.hpp"

#include <fmt/core.h>

#include <gemmlowp/fixedpoint/fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

using gemmlowp::FixedPoint;
using gemmlowp::RoundingDivideByPOT;
using gemmlowp::SaturatingRoundingDoublingHighMul;

std::int8_t to_int8(std::int32_t value) { return static_cast<std::int8_t>(std::clamp(value, -128, 127)); }

// The largest input that the fixed-point format can represent after scaling.
int input_radius(int integer_bits, int left_shift) {
  const double largest = double((1 << integer_bits) - 1) * double(std::int64_t{1} << (31 - integer_bits));
  return static_cast<int>(std::floor(std::min(std::ldexp(largest, -left_shift), 1e9)));
}

constexpr int kSigmoidBits = 4;

// A function of Q4.27; inputs out of range saturate.
template <class Function>
LookupTable sigmoid_like(const UniformQuantization& input, Function function) {
  const QuantParam scale = quantize_multiplier(std::ldexp(double{input.scale}, 31 - kSigmoidBits));
  const int radius = input_radius(kSigmoidBits, scale.shift);
  return make_lookup_table([&](std::int8_t quantized) {
    const std::int32_t value = quantized - input.zero_point;
    if (value <= -radius) {
      return std::int8_t{-128};
    }
    if (value >= radius) {
      return std::int8_t{127};
    }
    const auto raw = static_cast<std::int32_t>(multiply_by_quantized_multiplier(value, scale, Rounding::kDouble));
    return to_int8(function(FixedPoint<std::int32_t, kSigmoidBits>::FromRaw(raw)));
  });
}

std::int16_t to_int16(std::int64_t value) {
  return static_cast<std::int16_t>(std::clamp<std::int64_t>(value, std::numeric_limits<std::int16_t>::min(),
                                                            std::numeric_limits<std::int16_t>::max()));
}

// A factor as 15 bits and an exponent: the upper half of the 31 bits, rounded.
struct Factor16 {
  std::int16_t multiplier;
  int exponent;
};
Factor16 factor16(float real) {
  const QuantParam wide = quantize_multiplier(double{real});
  const std::int32_t largest = std::numeric_limits<std::int32_t>::max() - (1 << 15);
  const std::int32_t rounded =
      wide.multiplier >= largest ? std::numeric_limits<std::int16_t>::max() : (wide.multiplier + (1 << 15)) >> 16;
  return {static_cast<std::int16_t>(rounded), wide.shift};
}

// The input, times 128, as 32768 * clamp((x + 3) / 6, 0, 1). The last bit of a left shift is applied after the
// multiplication, so that only values saturate whose result saturates anyway.
std::int16_t relu6_part(std::int16_t value, const Factor16& factor) {
  if (factor.exponent > 0) {
    value = to_int16(std::int64_t{value} << (factor.exponent - 1));
  }
  value = SaturatingRoundingDoublingHighMul(value, factor.multiplier);
  if (factor.exponent > 0) {
    value = to_int16(std::int64_t{value} * 2);
  } else if (factor.exponent < 0) {
    value = RoundingDivideByPOT(value, -factor.exponent);
  }
  return static_cast<std::int16_t>((value + (1 << 15)) >> 1);
}

constexpr int kSoftmaxBits = 5;
constexpr int kSumBits = 12;  // up to 4096 times exp(0)
using Difference = FixedPoint<std::int32_t, kSoftmaxBits>;
using Fraction = FixedPoint<std::int32_t, 0>;

// 1 / x as a fraction of at least one half, and the number of bits to shift it right. The kernel takes x as a word; a
// greater one loses the bits below its first 32.
Fraction reciprocal(std::uint64_t x, int& bits_over_unit) {
  const int headroom = __builtin_clzll(x) - 32;
  bits_over_unit = kSumBits - headroom;
  const auto leading = static_cast<std::uint32_t>(headroom < 0 ? x >> -headroom : x << headroom);
  const auto less_one = static_cast<std::int32_t>(leading - (std::uint32_t{1} << 31));
  return gemmlowp::one_over_one_plus_x_for_x_in_0_1(Fraction::FromRaw(less_one));
}

// exp(beta * x) divided by its sum, scaled to the range of Out.
template <class Out>
Tensor<Out> softmax_of(const Tensor8& input, float input_scale, float beta) {
  const std::array<std::int32_t, 256> exponentials = softmax_exponentials(input_scale, beta);
  const auto exponential = [&](int difference) {
    return Fraction::FromRaw(exponentials[static_cast<std::uint8_t>(difference)]);
  };
  constexpr int kBits = std::numeric_limits<std::make_unsigned_t<Out>>::digits;
  constexpr std::int32_t kLeast = std::numeric_limits<Out>::min();
  constexpr std::int32_t kMost = std::numeric_limits<Out>::max();
  Tensor<Out> out(input.shape);
  const auto depth = std::size_t(input.shape.channels);
  for (std::size_t start = 0; start < input.data.size(); start += depth) {
    const std::int8_t* row = input.data.data() + start;
    const int most = *std::max_element(row, row + depth);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < depth; ++i) {
      sum += static_cast<std::uint32_t>(gemmlowp::Rescale<kSumBits>(exponential(row[i] - most)).raw());
    }
    int bits_over_unit = 0;
    const Fraction scale = reciprocal(sum, bits_over_unit);
    const int shift = bits_over_unit + 31 - kBits;
    for (std::size_t i = 0; i < depth; ++i) {
      const Fraction share_of_one = scale * exponential(row[i] - most);
      const std::int32_t share = shift > 31 ? 0 : RoundingDivideByPOT(share_of_one.raw(), shift);
      out.data[start + i] = static_cast<Out>(std::clamp(share + kLeast, kLeast, kMost));
    }
  }
  return out;
}

}  // namespace

std::array<std::int32_t, 256> softmax_exponentials(float input_scale, float beta) {
  const double factor = std::min(double{beta} * double{input_scale} * (1 << (31 - kSoftmaxBits)), 2147483647.0);
  if (!(factor > 1.0)) {
    throw InvalidArgument(
        fmt::format("softmax of scale {} with beta {}: their product must exceed 2^-26", input_scale, beta));
  }
  // Not quantize_multiplier: a factor of 2^30 or more, with a shift of 31, is legal here.
  int left_shift = 0;
  auto multiplier = static_cast<std::int64_t>(std::round(std::frexp(factor, &left_shift) * 2147483648.0));
  if (multiplier == (std::int64_t{1} << 31)) {
    multiplier /= 2;
    ++left_shift;
  }
  const int least = std::max(-255, -input_radius(kSoftmaxBits, left_shift));
  std::array<std::int32_t, 256> table{};
  for (int difference = least; difference <= 0; ++difference) {
    const auto shifted = static_cast<std::int32_t>(std::int64_t{difference} * (std::int64_t{1} << left_shift));
    const auto scaled = SaturatingRoundingDoublingHighMul(shifted, static_cast<std::int32_t>(multiplier));
    table[static_cast<std::uint8_t>(difference)] = gemmlowp::exp_on_negative_values(Difference::FromRaw(scaled)).raw();
  }
  return table;
}

LookupTable logistic_table(const UniformQuantization& input) {
  return sigmoid_like(input, [](FixedPoint<std::int32_t, kSigmoidBits> x) {
    return RoundingDivideByPOT(gemmlowp::logistic(x).raw(), 31 - 8) - 128;
  });
}

LookupTable tanh_table(const UniformQuantization& input) {
  return sigmoid_like(input, [](FixedPoint<std::int32_t, kSigmoidBits> x) {
    return RoundingDivideByPOT(gemmlowp::tanh(x).raw(), 31 - 7);
  });
}

LookupTable hard_swish_table(const UniformQuantization& input, const UniformQuantization& output) {
  const float fine_scale = (1.0F / 128.0F) * input.scale;
  const Factor16 to_output = factor16(fine_scale / output.scale);
  const Factor16 to_relu6 = factor16(fine_scale / (3.0F / 32768.0F));
  if (to_output.exponent > 0 || to_output.exponent < -31 || to_relu6.exponent > 15 || to_relu6.exponent < -15) {
    throw InvalidArgument(fmt::format(
        "hard swish from scale {} to {}: the input's is at most 128 times the output's, and neither is far from 1",
        input.scale, output.scale));
  }
  return make_lookup_table([&](std::int8_t quantized) {
    const auto fine = static_cast<std::int16_t>((quantized - input.zero_point) * 128);
    const std::int16_t on_output_scale = SaturatingRoundingDoublingHighMul(fine, to_output.multiplier);
    const std::int32_t product = std::int32_t{relu6_part(fine, to_relu6)} * on_output_scale;
    const auto high = static_cast<std::int16_t>(product / (1 << 15));  // truncates toward zero, which avoids a bias
    return to_int8(RoundingDivideByPOT(high, -to_output.exponent) + output.zero_point);
  });
}

Tensor8 softmax(const Tensor8& input, float input_scale, float beta) {
  return softmax_of<std::int8_t>(input, input_scale, beta);
}
Tensor16 softmax_to_int16(const Tensor8& input, float input_scale, float beta) {
  return softmax_of<std::int16_t>(input, input_scale, beta);
}

}  // namespace systole::golden

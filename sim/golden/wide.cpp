// SPDX-License-Identifier: Apache-2.0
#include "wide.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

constexpr std::int64_t kMostSum = std::int64_t{1} << 47;

bool is_in_range(std::int64_t sum) { return sum >= -kMostSum && sum < kMostSum; }

}  // namespace

Clamp16 activation_clamp16(Activation activation, float output_scale) {
  const auto quantized = [&](float real) {
    return static_cast<std::int16_t>(std::clamp(std::round(real / output_scale), -32768.0F, 32767.0F));
  };
  switch (activation) {
    case Activation::kNone: return {};
    case Activation::kRelu: return {0, 32767};
    case Activation::kRelu6: return {0, quantized(6.0F)};
    case Activation::kReluN1To1: return {quantized(-1.0F), quantized(1.0F)};
  }
  return {};
}

std::int32_t rescale_wide(std::int64_t sum, const QuantParam& scale) {
  constexpr int kFractionBits = 15;
  constexpr std::int32_t kMostMultiplier = 0x7FFF;
  if (!is_in_range(sum)) {
    throw InvalidArgument(fmt::format("a sum of {} with 16-bit activations; the range is -2^47 .. 2^47 - 1", sum));
  }
  if (!is_valid(scale) || scale.shift >= kFractionBits) {
    throw InvalidArgument(
        fmt::format("a scale with multiplier {} and shift {} for a sum of 64 bits; the shift is -31 .. {}",
                    scale.multiplier, scale.shift, kFractionBits - 1));
  }
  const std::int64_t multiplier =
      std::min<std::int64_t>((std::int64_t{scale.multiplier} + (1 << 15)) >> 16, kMostMultiplier);
  const int right = kFractionBits - scale.shift;
  return static_cast<std::int32_t>((sum * multiplier + (std::int64_t{1} << (right - 1))) >> right);
}

void check(const WideBias& bias) {
  const auto found = std::find_if_not(bias.begin(), bias.end(), is_in_range);
  if (found != bias.end()) {
    throw InvalidArgument(fmt::format("a bias of {} with 16-bit activations; the range is -2^47 .. 2^47 - 1", *found));
  }
}

std::vector<std::int16_t> apply(const OutputStage16& stage, const std::vector<std::int64_t>& sums,
                                std::size_t channels) {
  if (stage.scale.size() != 1 && stage.scale.size() != channels) {
    throw InvalidArgument(fmt::format("output stage has {} scales for {} channels", stage.scale.size(), channels));
  }
  std::vector<std::int16_t> out(sums.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const QuantParam& scale = stage.scale[stage.scale.size() == 1 ? 0 : i % channels];
    const std::int64_t value = stage.narrow
                                   ? multiply_by_quantized_multiplier(wrap_to_int32(sums[i]), scale, Rounding::kDouble)
                                   : rescale_wide(sums[i], scale);
    out[i] = clamp_to(stage.clamp, value);
  }
  return out;
}

}  // namespace systole::golden

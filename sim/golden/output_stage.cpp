// SPDX-License-Identifier: Apache-2.0
#include "output_stage.hpp"

#include <fmt/core.h>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

void check(const Requantize& stage, int channels) {
  if (stage.scale.size() != 1 && stage.scale.size() != std::size_t(channels)) {
    throw InvalidArgument(fmt::format("output stage has {} scales for {} channels", stage.scale.size(), channels));
  }
  for (const QuantParam& param : stage.scale) {
    if (!is_valid(param)) {
      throw InvalidArgument(
          fmt::format("output scale out of range: multiplier {}, shift {}", param.multiplier, param.shift));
    }
  }
  if (stage.clamp_min > stage.clamp_max) {
    throw InvalidArgument(fmt::format("clamp {} .. {} is empty", stage.clamp_min, stage.clamp_max));
  }
}

std::vector<std::int8_t> apply_to(const Requantize& stage, const std::vector<std::int32_t>& accumulators,
                                  int channels) {
  check(stage, channels);
  std::vector<std::int8_t> out(accumulators.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t channel = stage.scale.size() == 1 ? 0 : i % std::size_t(channels);
    out[i] = requantize(accumulators[i], stage.scale[channel], stage.zero_point, stage.clamp_min, stage.clamp_max,
                        stage.rounding);
  }
  return out;
}

}  // namespace

Tensor8 apply(const Requantize& stage, const Tensor32& accumulators) {
  return {accumulators.shape, apply_to(stage, accumulators.data, accumulators.shape.channels)};
}

Matrix8 apply(const Requantize& stage, const Matrix32& accumulators) {
  return {accumulators.rows, accumulators.columns, apply_to(stage, accumulators.data, accumulators.columns)};
}

}  // namespace systole::golden

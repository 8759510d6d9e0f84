// SPDX-License-Identifier: Apache-2.0
//
// From int32 accumulators to int8: what follows every matrix operator.
#pragma once

#include <cstdint>
#include <vector>

#include "systole/requantize.hpp"
#include "tensor.hpp"

namespace systole::golden {

struct OutputStage {
  std::vector<QuantParam> scale;  // one for all channels, or one per output channel
  std::int32_t zero_point = 0;
  std::int8_t clamp_min = -128;
  std::int8_t clamp_max = 127;
  Rounding rounding = Rounding::kDouble;
};

// The innermost dimension is the output channel. Throws std::invalid_argument when the number of
// scales fits neither one nor the channels, or a scale is out of range.
Tensor8 apply(const OutputStage& stage, const Tensor32& accumulators);
Matrix8 apply(const OutputStage& stage, const Matrix32& accumulators);

}  // namespace systole::golden

// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow Lite's LOG_SOFTMAX in gemmlowp's fixed point.
#pragma once

#include <array>
#include <cstdint>

#include "systole/requantize.hpp"
#include "tensor.hpp"

namespace systole::golden {

// What LOG_SOFTMAX needs of the input's scale. Differences are those of an element from the greatest.
struct LogSoftmaxParams {
  QuantParam to_fixed;                           // steps of the input to Q5.26; the shift is 1 .. 31
  QuantParam from_fixed;                         // and back; the shift is not positive
  int least = 0;                                 // smaller differences contribute nothing
  std::array<std::int32_t, 256> exponentials{};  // of differences, modulo 256, in Q12.19
};

// input_scale must exceed 2^-26. Throws InvalidArgument.
LogSoftmaxParams log_softmax_params(float input_scale);

// Along the innermost dimension: x minus the logarithm of the sum of exp(x). The result has scale 1/16 and zero point
// 127. Rows have at most 4,095 elements: the sum is in Q12.19. input_scale must exceed 2^-26. Throws
// InvalidArgument.
Tensor8 log_softmax(const Tensor8& input, float input_scale);

}  // namespace systole::golden

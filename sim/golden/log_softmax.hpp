// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow Lite's LOG_SOFTMAX in gemmlowp's fixed point.
#pragma once

#include "tensor.hpp"

namespace systole::golden {

// Along the innermost dimension: x minus the logarithm of the sum of exp(x). The result has scale 1/16 and zero point
// 127. Rows have at most 4,095 elements: the sum is in Q12.19. input_scale must exceed 2^-26. Throws
// InvalidArgument.
Tensor8 log_softmax(const Tensor8& input, float input_scale);

}  // namespace systole::golden

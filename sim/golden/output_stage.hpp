// SPDX-License-Identifier: Apache-2.0
//
// Requantization of int32 accumulators to int8, the last step of every matrix operator.
#pragma once

#include "systole/operator_types.hpp"
#include "tensor.hpp"

namespace systole::golden {

// The innermost dimension is the output channel. Throws InvalidArgument when the number of
// scales fits neither one nor the channels, or a scale is out of range.
Tensor8 apply(const Requantize& stage, const Tensor32& accumulators);
Matrix8 apply(const Requantize& stage, const Matrix32& accumulators);

}  // namespace systole::golden

// SPDX-License-Identifier: Apache-2.0
// How near a result in low precision is to the expected one.
#pragma once

#include "systole/graph_value.hpp"

namespace systole::cli {

/// 10 log10(sum of expected^2 / sum of (actual - expected)^2) in dB; infinite without a difference, minus infinity if
/// one of them is not finite where the other is another number. Both have the same type and size.
double signal_to_noise(const graph::Value& expected, const graph::Value& actual);

}  // namespace systole::cli

// SPDX-License-Identifier: Apache-2.0
// What an operation of the vector processor computes in one lane (isa/spec/pages/kernel.md).
#pragma once

#include <cstdint>

#include "systole/generated/micro_operations.hpp"

namespace systole::model {

/// The result of an operation of the groups VECTOR1 and VECTOR2, without TABLE. `even` is the field `rounding`; b is
/// the number of the lane for ADD_LANE, and ignored for others of one source.
std::uint32_t compute_lane(kernel::Op op, std::uint32_t a, std::uint32_t b, bool even);

/// The sum or maximum over `count` lanes (a power of two) by an operation of the group LANES.
std::uint32_t reduce_lanes(kernel::Op op, const std::uint32_t* lanes, int count);

}  // namespace systole::model

// SPDX-License-Identifier: Apache-2.0
// How well a core was used: useful multiply-accumulates (isa/spec/pages/registers.md) against cycles and multipliers.
#pragma once

#include <cstdint>

namespace systole {

/// Of the array of `dim` x `dim`, and of the depthwise unit, 3x3 in each of `dim` lanes
/// (rtl/depthwise/tpu_depthwise_lanes.sv).
constexpr std::uint64_t array_multipliers(int dim) {
  return static_cast<std::uint64_t>(dim) * static_cast<std::uint64_t>(dim);
}
constexpr std::uint64_t multipliers(int dim) { return array_multipliers(dim) + 9 * static_cast<std::uint64_t>(dim); }

/// Useful multiply-accumulates a cycle; 0 without cycles, as all here.
constexpr double macs_per_cycle(std::uint64_t macs, std::uint64_t cycles) {
  return cycles == 0 ? 0 : static_cast<double>(macs) / static_cast<double>(cycles);
}

/// Useful multiply-accumulates / (cycles x dim^2): of the array's slots. Those of the depthwise unit count as well,
/// which is not part of the array.
constexpr double utilization(std::uint64_t macs, std::uint64_t cycles, int dim) {
  return macs_per_cycle(macs, cycles) / static_cast<double>(array_multipliers(dim));
}

/// Useful multiply-accumulates / (cycles x multipliers(dim)): never above 1.
constexpr double multiplier_share(std::uint64_t macs, std::uint64_t cycles, int dim) {
  return macs_per_cycle(macs, cycles) / static_cast<double>(multipliers(dim));
}

}  // namespace systole

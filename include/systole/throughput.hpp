// SPDX-License-Identifier: Apache-2.0
// Utilization of a core: useful multiply-accumulates (isa/spec/pages/registers.md) relative to cycles and multipliers.
#pragma once

#include <cstdint>

namespace systole {

/// Number of multipliers of the `dim` x `dim` array, and of the array together with the depthwise unit, which has 3x3
/// in each of `dim` lanes (rtl/depthwise/tpu_depthwise_lanes.sv).
constexpr std::uint64_t array_multipliers(int dim) {
  return static_cast<std::uint64_t>(dim) * static_cast<std::uint64_t>(dim);
}
constexpr std::uint64_t multipliers(int dim) { return array_multipliers(dim) + 9 * static_cast<std::uint64_t>(dim); }

/// Useful multiply-accumulates per cycle. This and the following functions return 0 for 0 cycles.
constexpr double macs_per_cycle(std::uint64_t macs, std::uint64_t cycles) {
  return cycles == 0 ? 0 : static_cast<double>(macs) / static_cast<double>(cycles);
}

/// Useful multiply-accumulates / (cycles x dim^2), relative to the array. Those of the depthwise unit are included,
/// although it is not part of the array.
constexpr double utilization(std::uint64_t macs, std::uint64_t cycles, int dim) {
  return macs_per_cycle(macs, cycles) / static_cast<double>(array_multipliers(dim));
}

/// Useful multiply-accumulates / (cycles x multipliers(dim)): never above 1.
constexpr double multiplier_share(std::uint64_t macs, std::uint64_t cycles, int dim) {
  return macs_per_cycle(macs, cycles) / static_cast<double>(multipliers(dim));
}

}  // namespace systole

// SPDX-License-Identifier: Apache-2.0
// The bare systolic array as a yardstick of simulation speed: the core's own tpu_array with the flags, parameters and
// assertions of the core, and nothing around it but a generator of random operands.
#pragma once

#include <cstdint>

namespace systole::bench {

/// Cycles that one measurement runs by default: a fraction of a second at any supported size.
inline constexpr std::uint64_t bare_array_cycles = 400'000;

/// Simulated clock in Hz, over user CPU time, of a busy dim x dim array: a new operand vector in every cycle from a
/// xorshift generator, new weights every 32 cycles, loaded into the shadow registers under their timing contract.
/// `dim` is 4, 8, 16 or 32; throws std::invalid_argument otherwise, std::runtime_error when an assertion of the RTL
/// failed.
double bare_array_hz(int dim, std::uint64_t cycles = bare_array_cycles);

/// The same array with nothing to do: what an idle array costs a simulation.
double idle_array_hz(int dim, std::uint64_t cycles = bare_array_cycles);

}  // namespace systole::bench

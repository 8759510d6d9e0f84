// SPDX-License-Identifier: Apache-2.0
#include "hang_state.hpp"

#include "systole/generated/registers.hpp"

namespace systole {
namespace {

std::uint32_t field(std::uint32_t value, int lsb, int width) { return value >> lsb & ((1u << width) - 1); }

}  // namespace

HangState read_hang_state(Backend& backend, std::uint32_t first, std::uint64_t quiet_cycles) {
  const auto element = [&](std::uint32_t base, std::uint32_t stride, std::size_t i) {
    return backend.read_register(base + static_cast<std::uint32_t>(i) * stride);
  };
  const std::uint32_t status = backend.read_register(reg::kStatus);
  const bool timed = backend.name() != "model";
  HangState state;
  state.quiet_cycles = quiet_cycles;
  state.one_at_a_time = !timed;
  state.dispatched = backend.read_register(reg::kCommands) - first;
  if (timed) {
    state.cycle = backend.read_register(reg::kCycles);
  }
  for (std::size_t e = 0; e < state.engines.size(); ++e) {
    HangState::Engine& engine = state.engines[e];
    const std::uint32_t word = element(reg::kEngineState, reg::kEngineStateStride, e);
    engine.in_flight = field(word, reg::kEngineStateInFlightLsb, reg::kEngineStateInFlightWidth);
    engine.queued = field(word, reg::kEngineStateQueuedLsb, reg::kEngineStateQueuedWidth);
    engine.oldest = element(reg::kEngineIndex, reg::kEngineIndexStride, e) - first;
    if ((status & reg::kStatusHalted) == 0) {  // ENGINE_WAITING is not valid in a halted core
      engine.waiting = field(status, reg::kStatusEngineWaitingLsb + static_cast<int>(e), 1) != 0;
    }
    if (timed) {
      engine.cause = static_cast<isa::Cause>(field(word, reg::kEngineStateCauseLsb, reg::kEngineStateCauseWidth));
      engine.since = element(reg::kEngineSince, reg::kEngineSinceStride, e);
    }
  }
  for (std::size_t s = 0; s < state.semaphores.size(); ++s) {
    const std::uint32_t word = element(reg::kSemaphore, reg::kSemaphoreStride, s / 4);
    state.semaphores[s] = static_cast<std::uint8_t>(word >> (8 * (s % 4)));
  }
  state.owed = backend.owed_bursts();
  return state;
}

}  // namespace systole

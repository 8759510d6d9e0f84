// SPDX-License-Identifier: Apache-2.0
// Reads the counters into RunStats and checks their sums. isa/spec/pages/registers.md defines what each one counts.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "systole/device.hpp"
#include "systole/generated/registers.hpp"

namespace systole {
namespace {

constexpr auto kSemaphore = static_cast<std::size_t>(isa::Cause::kSemaphore);
constexpr auto kIdle = static_cast<std::size_t>(isa::Cause::kIdle);
constexpr auto kWorking = static_cast<std::size_t>(isa::Cause::kWorking);
constexpr auto kMxu = static_cast<std::size_t>(isa::Engine::kMxu);

/// The sum modulo 2^32, because the counters wrap at 32 bits.
template <class Counts>
std::uint32_t sum(const Counts& counts) {
  return static_cast<std::uint32_t>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
}

[[noreturn]] void raise(std::size_t engine, const char* parts, std::uint32_t total, const char* whole,
                        std::uint64_t expected) {
  throw AccountingError(
      fmt::format("device: the {} of engine {} add up to {} cycles, {} to {}; they must be equal: the core's "
                  "counters are wrong\n  what to do: run the test rtl_csr, then look at the cause_o of the engine",
                  parts, isa::to_string(static_cast<isa::Engine>(engine)), total, whole, expected));
}

void check(const RunStats& stats) {
  for (std::size_t engine = 0; engine < kEngineCount; ++engine) {
    if (sum(stats.causes[engine]) != stats.cycles) {
      raise(engine, "causes", sum(stats.causes[engine]), "CYCLES", stats.cycles);
    }
    if (sum(stats.semaphore_waits[engine]) != stats.causes[engine][kSemaphore]) {
      raise(engine, "waits for semaphores", sum(stats.semaphore_waits[engine]), "the cause SEMAPHORE",
            stats.causes[engine][kSemaphore]);
    }
  }
  if (stats.padded_macs > stats.rounded_macs) {
    throw AccountingError(
        fmt::format("device: {} multiply-accumulates of padding exceed the {} of the array; the counter "
                    "PADDED_VECTORS is wrong\n  what to do: run the test rtl_mxu",
                    stats.padded_macs, stats.rounded_macs));
  }
}

}  // namespace

void add(CauseTable& sum, const CauseTable& part) {
  for (std::size_t engine = 0; engine < sum.size(); ++engine) {
    std::transform(sum[engine].begin(), sum[engine].end(), part[engine].begin(), sum[engine].begin(), std::plus<>());
  }
}

RunStats& RunStats::operator+=(const RunStats& run) {
  cycles += run.cycles;
  causes_counted = causes_counted && run.causes_counted;
  add(causes, run.causes);
  for (std::size_t engine = 0; engine < semaphore_waits.size(); ++engine) {
    for (std::size_t semaphore = 0; semaphore < semaphore_waits[engine].size(); ++semaphore) {
      semaphore_waits[engine][semaphore] += run.semaphore_waits[engine][semaphore];
    }
  }
  read_beats += run.read_beats;
  write_beats += run.write_beats;
  commands += run.commands;
  useful_macs += run.useful_macs;
  rounded_macs += run.rounded_macs;
  padded_macs += run.padded_macs;
  nonfinite = nonfinite || run.nonfinite;
  return *this;
}

/// WORKING is the first cause of each engine; every core counts it.
std::uint32_t Device::cycles_working(std::uint32_t engine) {
  constexpr std::uint32_t kCauses = reg::kCauseCountCount / kEngineCount;
  return backend_->read_register(reg::kCauseCount + engine * kCauses * reg::kCauseCountStride);
}

RunStats Device::statistics(const Program& program) {
  RunStats stats;
  stats.cycles = backend_->read_register(reg::kCycles);
  stats.read_beats = backend_->read_register(reg::kReadBeats);
  stats.write_beats = backend_->read_register(reg::kWriteBeats);
  stats.commands = program.instructions.size() + 1;
  stats.useful_macs = program.useful_macs;
  stats.causes_counted = configuration().has(Part::kCauseCounters);
  for (std::uint32_t engine = 0; engine < kEngineCount; ++engine) {
    if (!stats.causes_counted) {
      stats.causes[engine][kWorking] = cycles_working(engine);
      stats.causes[engine][kIdle] = stats.cycles - stats.causes[engine][kWorking];
      continue;
    }
    for (std::uint32_t cause = 0; cause < kCauseCount; ++cause) {
      stats.causes[engine][cause] =
          backend_->read_register(reg::kCauseCount + (16 * engine + cause) * reg::kCauseCountStride);
    }
    // Reading a register costs simulated cycles. Stop when the semaphores read so far account for all waits.
    auto& waits = stats.semaphore_waits[engine];
    for (std::uint32_t s = 0; s < waits.size() && sum(waits) != stats.causes[engine][kSemaphore]; ++s) {
      waits[s] =
          backend_->read_register(reg::kSemaphoreWait + (isa::kSemaphores * engine + s) * reg::kSemaphoreWaitStride);
    }
  }
  const auto slots = static_cast<std::uint64_t>(configuration().dim) * static_cast<std::uint64_t>(configuration().dim);
  stats.rounded_macs = stats.causes[kMxu][kWorking] * slots;
  stats.padded_macs = backend_->read_register(reg::kPaddedVectors) * slots;
  stats.nonfinite = (backend_->read_register(reg::kStatus) & reg::kStatusNonfinite) != 0;
  check(stats);
  return stats;
}

}  // namespace systole

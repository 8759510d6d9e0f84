// SPDX-License-Identifier: Apache-2.0
// What the commands' --json says of a run, as types. A matrix product or a convolution is one layer, a network has
// several, a benchmark has one per workload.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory_plan.hpp"
#include "systole/device.hpp"

namespace systole::report {

/// Cycles per engine and cause.
using Causes = std::array<std::array<std::uint64_t, kCauseCount>, kEngineCount>;
/// Cycles per engine and semaphore.
using SemaphoreWaits = std::array<std::array<std::uint64_t, isa::kSemaphores>, kEngineCount>;

struct Layer {
  std::string name;
  std::uint64_t macs = 0;         ///< useful multiply-accumulates
  std::uint64_t cycles = 0;       ///< at least 1
  std::optional<bool> bit_exact;  ///< none where its results were not compared
  Causes causes{};                ///< each engine's add up to `cycles`
  // What files of older versions lack.
  std::optional<std::uint64_t> estimated_cycles;  ///< by the cost model
  std::optional<std::uint64_t> commands;          ///< instructions
  std::optional<std::uint64_t> read_beats;  ///< of the bus, DIM bytes each; of a network's layers those of LOAD alone
  std::optional<std::uint64_t> write_beats;
  std::optional<std::uint64_t> macs_padded;       ///< slots of the array that multiplied padding
  std::optional<SemaphoreWaits> semaphore_waits;  ///< each engine's add up to its cause SEMAPHORE
  std::optional<MemoryPlan> memory_plan;
};

/// What a program left in the core's memories.
struct NamedPlan {
  std::string name;
  MemoryPlan plan;
};

struct RunFile {
  std::string file;  ///< as the user named it
  std::string name;  ///< of the network's file where there was one
  std::string config;
  int dim = 0;  ///< side of the array; the bus moves as many bytes per cycle and direction
  std::vector<Layer> layers;
  /// Of the results as a whole; none where they were not compared, or the file says it of each layer.
  std::optional<bool> bit_exact;
  std::uint64_t values = 0;      ///< that were compared,
  std::string against;           ///< with what; or why not
  std::vector<NamedPlan> plans;  ///< of a network's programs
};

/// Reads what --json wrote; `file` is the name for messages. Throws BadFile naming file, field and what is expected;
/// also for a run of the functional model, which has no time.
RunFile parse_run(const std::string& text, const std::string& file);

/// As parse_run(), from a file; "-" is standard input.
RunFile read_run(const std::string& file);

/// Sums over all layers, as one layer of the run's name. An optional figure is there when all layers have it.
Layer total(const RunFile& run);

}  // namespace systole::report

// SPDX-License-Identifier: Apache-2.0
// Reader for the --json output of a run. A matrix product or a convolution is one layer, a network has several, a
// benchmark has one per workload.
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
  std::optional<bool> bit_exact;  ///< none if its results were not compared
  Causes causes{};                ///< the causes of each engine add up to `cycles`
  bool causes_counted = true;     ///< otherwise the core has counted WORKING alone; the other cycles are IDLE here
  // Not in files of older versions.
  std::optional<std::uint64_t> estimated_cycles;  ///< by the cost model
  std::optional<std::uint64_t> commands;          ///< instructions
  std::optional<std::uint64_t> read_beats;        ///< bus beats of DIM bytes; for a network's layers only those of LOAD
  std::optional<std::uint64_t> write_beats;
  std::optional<std::uint64_t> macs_padded;            ///< slots of the array that multiplied padding
  std::optional<SemaphoreWaits> semaphore_waits;       ///< each engine's add up to its cause SEMAPHORE
  std::optional<std::array<std::uint64_t, 2>> window;  ///< first and last cycle of the simulation
  std::optional<MemoryPlan> memory_plan;
};

/// An operator that the host computed.
struct HostOperator {
  std::string name, reason;
};

/// The memory plan of a program.
struct NamedPlan {
  std::string name;
  MemoryPlan plan;
};

struct RunFile {
  std::string file;  ///< file name as given by the user
  std::string name;  ///< file name of the network, if any
  std::string config;
  int dim = 0;  ///< rows and columns of the array; also bytes per cycle and direction of the bus
  std::vector<Layer> layers;
  std::vector<HostOperator> on_host;
  /// Of the results as a whole; none if they were not compared, or only per layer.
  std::optional<bool> bit_exact;
  std::uint64_t values = 0;      ///< number of values compared,
  std::string against;           ///< the reference; or why nothing was compared
  std::vector<NamedPlan> plans;  ///< one for each program of a network
};

/// Reads the output of --json; `file` is used in messages. Throws BadFile naming file, field and what is expected; also
/// for a run of the functional model, which has no timing.
RunFile parse_run(const std::string& text, const std::string& file);

/// As parse_run(), from a file; "-" is standard input.
RunFile read_run(const std::string& file);

/// Sums over all layers, as one layer with the run's name. An optional figure is present if all layers have it.
Layer total(const RunFile& run);

}  // namespace systole::report

// SPDX-License-Identifier: Apache-2.0
// What ran on a device and what its result was compared with: figures, report, JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "systole/device.hpp"
#include "terminal.hpp"

namespace systole::cli {

enum class Verdict {
  kNotCompared,
  kExact,   ///< all values, bit for bit
  kWithin,  ///< some differ, by less than the tolerance
  kDifferent,
};

struct Run {
  std::string name;
  std::string config;
  std::string device;
  int dim = 0;
  RunStats stats;
  std::int64_t estimated_cycles = 0;   ///< by the compiler's cost model
  std::uint64_t simulated_cycles = 0;  ///< with register accesses, besides stats.cycles
  double simulation_seconds = 0;       ///< CPU time that they took
  std::size_t values = 0;              ///< compared
  std::string against;                 ///< with what: "the golden model"; without values, why with nothing
  bool within = false;                 ///< some differ, by less than the tolerance,
  double largest_difference = 0;       ///< the most by this
  std::string difference;              ///< the first that differs by more

  Verdict verdict() const;
  double utilization() const { return stats.utilization(dim); }
  /// Clock of the simulated core, 0 for the functional model.
  double sim_hz() const;
  /// Useful multiply-accumulates per second of simulation.
  double macs_per_second() const;
};

/// An empty run on the device, to be filled in.
Run make_run(Device& device, std::string name);

/// Times what the device simulates between construction and stop().
class Stopwatch {
 public:
  explicit Stopwatch(Device& device);
  /// Adds cycles and seconds to the run.
  void stop(Run& run) const;

 private:
  Device& device_;
  std::uint64_t cycles_;
  double seconds_;
};

/// Every figure of the run. Of the accounting: `macs` what the operator asked for, `macs_rounded` the array slots that
/// vectors took for it, `macs_padded` the part of these that multiplied padding; cycles * dim^2 - macs_rounded slots
/// had no vector. `causes`, and `semaphore_waits` for the cause SEMAPHORE, tell why, in cycles. The registers behind
/// them: isa/spec/pages/registers.md. `bit_exact` is null where nothing was compared; `compared` {values, against} says
/// with what.
nlohmann::ordered_json to_json(const Run& run);

/// Engine name to cause name to cycles, every cause named.
nlohmann::ordered_json causes_to_json(const RunStats& stats);

/// Engine name to number of a semaphore to the cycles waited for it, those that were waited for.
nlohmann::ordered_json semaphore_waits_to_json(const RunStats& stats);

/// Cycles, utilization, speed and verdict of one run, and where the cycles went.
std::string report(const Run& run, const Style& style);

/// A line per engine: its causes by size, in percent of the cycles, and behind the cause SEMAPHORE the semaphores by
/// size.
std::string causes_text(const RunStats& stats, const Style& style);

/// Where the slots of the array went that did no useful work, in percent of cycles * dim^2.
std::string slots_text(const RunStats& stats, int dim);

/// "bit-exact", "within tolerance", "DIFFERENT" or "not compared", painted.
std::string verdict_text(Verdict verdict, const Style& style);

/// The verdict, on how many values, against what: "bit-exact, 4,096 values against the golden model".
std::string result_text(const Run& run, const Style& style);

/// "99.1 % of the array, 253.8 MACs a cycle, 63.4 % of all 400 multipliers"
std::string utilization_text(const RunStats& stats, int dim);

/// Whether all values were compared and are the same bit for bit; null where none were.
nlohmann::ordered_json exactness_to_json(Verdict verdict);

/// What a failed comparison says; `waves`, from waves_text(), tells how to look at it.
std::string failure_text(const Run& run, const std::string& waves, const Style& style);

}  // namespace systole::cli

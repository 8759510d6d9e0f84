// SPDX-License-Identifier: Apache-2.0
// A run on a device and its comparison: figures, report, JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "systole/device.hpp"
#include "terminal.hpp"

namespace systole::cli {

enum class Verdict {
  kNotCompared,
  kExact,   ///< all values, bit for bit
  kWithin,  ///< some differ, within the tolerance
  kDifferent,
};

struct Run {
  std::string name;
  std::string config;
  std::string device;
  int dim = 0;
  RunStats stats;
  std::int64_t estimated_cycles = 0;   ///< by the compiler's cost model
  std::uint64_t simulated_cycles = 0;  ///< including register accesses, unlike stats.cycles
  double simulation_seconds = 0;       ///< CPU time of the simulation
  std::size_t values = 0;              ///< number of values compared
  std::string against;                 ///< reference: "the golden model"; without values, why nothing was compared
  bool within = false;                 ///< some differ, within the tolerance,
  double largest_difference = 0;       ///< by this at most
  double signal_to_noise = std::numeric_limits<double>::infinity();  ///< in dB, of the worst output
  std::optional<double> least_signal_to_noise;                       ///< the limit, if outputs were judged by it
  std::string difference;                                            ///< the first difference beyond the tolerance

  Verdict verdict() const;
  double utilization() const { return stats.utilization(dim); }
  /// Clock of the simulated core, 0 for the functional model.
  double sim_hz() const;
  /// Useful multiply-accumulates per second of simulation.
  double macs_per_second() const;
};

/// An empty run for the device, to be filled in.
Run make_run(Device& device, std::string name);

/// Measures simulated cycles and time between construction and stop().
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

/// All figures of the run. MAC accounting: `macs` are those of the operator, `macs_rounded` the array slots that
/// vectors occupied for it, `macs_padded` those of them that multiplied padding; the other cycles * dim^2 -
/// macs_rounded slots had no vector. `causes`, and `semaphore_waits` for the cause SEMAPHORE, give the reasons in
/// cycles. The underlying registers: isa/spec/pages/registers.md. `bit_exact` is null if nothing was compared;
/// `compared` {values, against} names the reference.
nlohmann::ordered_json to_json(const Run& run);

/// Cycles, utilization, speed and verdict of one run, and the causes of lost cycles.
std::string report(const Run& run, const Style& style);

/// A line per engine: its causes by size, in percent of the cycles; the cause SEMAPHORE is followed by its semaphores
/// by size.
std::string causes_text(const RunStats& stats, const Style& style);

/// Why array slots did no useful work, in percent of cycles * dim^2.
std::string slots_text(const RunStats& stats, int dim);

/// "bit-exact", "within tolerance", "DIFFERENT" or "not compared", coloured.
std::string verdict_text(Verdict verdict, const Style& style);

/// The verdict, the number of values, and the reference: "bit-exact, 4,096 values against the golden model".
std::string result_text(const Run& run, const Style& style);

/// "99.1 % of the array, 253.8 MACs a cycle, 63.4 % of all 400 multipliers"
std::string utilization_text(const RunStats& stats, int dim);

/// true if all values were compared and are equal bit for bit; null if none were compared.
nlohmann::ordered_json exactness_to_json(Verdict verdict);

/// The message for a failed comparison; `waves`, from waves_text(), says how to look at it.
std::string failure_text(const Run& run, const std::string& waves, const Style& style);

}  // namespace systole::cli

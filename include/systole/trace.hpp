// SPDX-License-Identifier: Apache-2.0
// Which part of a run goes into a waveform. Cycles outside of it cost nothing, and no cycle count depends on any of
// this.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace systole {

/// What is recorded. Cycle numbers are those of Backend::simulated_cycles(); cycle n begins at n ns of the waveform.
struct TraceOptions {
  static constexpr std::uint64_t kLastCycle = ~std::uint64_t{0};
  static constexpr std::uint64_t kUsualOnError = 2000;  ///< for on_error: enough to see where a failure comes from

  std::string file;               ///< FST waveform; empty for none, and then the rest must stay as it is
  std::uint64_t from = 0;         ///< first cycle recorded
  std::uint64_t to = kLastCycle;  ///< last cycle recorded, from .. 2^64 - 1
  /// Only the first run of this name (RunOptions::name) that begins in [from, to], from its doorbell to its interrupt;
  /// empty for no matter which run.
  std::string layer;
  /// Instance below "TOP" that is recorded with all that it contains, such as "tpu_core.u_mxu"; empty for everything.
  std::string scope;
  /// Unless 0, at least so many cycles before a failure are recorded (fewer if the run began later), and nothing else;
  /// the file appears when something fails: an exception out of the simulation, or Backend::record_failure(). While
  /// there is no failure, a copy of the process is kept aside (fork) that can go back: the process must not wait for
  /// another thread that it started earlier, and what it writes to files it opens later is written twice. Excludes
  /// from, to and layer.
  std::uint64_t on_error = 0;
  /// With on_error: asked from time to time and at the end; true once a failure has been found outside of the device.
  std::function<bool()> failed = {};
};

}  // namespace systole

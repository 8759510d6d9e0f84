// SPDX-License-Identifier: Apache-2.0
// Options that select the part of a run to record as a waveform. Simulation of the other cycles is not slowed down, and
// cycle counts do not change.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace systole {

/// What to record. Cycle numbers are those of Backend::simulated_cycles(); cycle n begins at n ns in the waveform.
struct TraceOptions {
  static constexpr std::uint64_t kLastCycle = ~std::uint64_t{0};
  static constexpr std::uint64_t kUsualOnError = 2000;  ///< for on_error: usually enough to find the cause of a failure

  std::string file;               ///< FST file; empty for no waveform, and then all other options must have defaults
  std::uint64_t from = 0;         ///< first cycle recorded
  std::uint64_t to = kLastCycle;  ///< last cycle recorded, from .. 2^64 - 1
  /// Record only the first run with this name (RunOptions::name) that begins in [from, to], from its doorbell to its
  /// interrupt; empty for all runs.
  std::string layer;
  /// The instance below "TOP" to record with all its contents, such as "tpu_core.u_mxu"; empty for everything.
  std::string scope;
  /// If not 0, record only the cycles before a failure, at least this many (fewer if the simulation began later). The
  /// file is written when a failure occurs: an exception from the simulation, or a call of Backend::record_failure().
  /// Until then a forked copy of the process is kept, which repeats the last cycles. The process must therefore not
  /// wait for threads that it started earlier, and its output to files that it opens later is written twice. Cannot be
  /// combined with from, to and layer.
  std::uint64_t on_error = 0;
  /// For on_error: called from time to time and at the end; returns true if a failure was found outside of the device.
  std::function<bool()> failed = {};
};

}  // namespace systole

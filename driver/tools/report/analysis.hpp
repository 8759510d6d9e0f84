// SPDX-License-Identifier: Apache-2.0
// What the figures of a layer mean: the roof above it, the part of the machine that limits it, and what was lost to
// what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run_file.hpp"

namespace systole::report {

/// Parts of the machine that can be busy in every cycle, and then are the limit.
enum class Part : std::uint8_t { kArray, kVectorUnit, kLoad, kStore, kReadChannel, kWriteChannel };
const char* to_string(Part part);

/// The busiest part of the machine during a layer.
struct Bound {
  Part part = Part::kArray;
  double share = 0;  ///< of the cycles, in which it was busy
  /// False when even the busiest part was busy in less than half of the cycles: dependencies and latency were the
  /// limit.
  bool limits() const { return share >= 0.5; }
};

/// A layer in the roofline model. The bus has a channel for each direction, which move DIM bytes per cycle at the same
/// time: the busier one counts.
struct Roofline {
  double intensity = 0;      ///< multiply-accumulates per byte of the busier direction
  double attainable = 0;     ///< multiply-accumulates per cycle under the roof: min(DIM^2, intensity * DIM)
  double achieved = 0;       ///< multiply-accumulates per cycle
  Part roof = Part::kArray;  ///< the array, or the channel that is the lower roof
};

/// Cycles in which the engine that matters did nothing useful, for one reason.
struct Loss {
  double share = 0;  ///< of the cycles
  std::uint64_t cycles = 0;
  isa::Cause cause = isa::Cause::kWorking;  ///< kWorking: rounding, since those cycles count as working
  std::string sentence;                     ///< with share and cycles
};

struct Analysis {
  double utilization = 0;                           ///< of the array's slots
  double macs_per_cycle = 0, multiplier_share = 0;  ///< throughput.hpp
  std::uint64_t lost = 0;  ///< cycles less those that the useful multiply-accumulates would take a full array
  Bound bound;
  std::optional<Roofline> roofline;  ///< with multiply-accumulates and known traffic only
  std::optional<std::uint64_t> bytes_read;
  std::optional<std::uint64_t> bytes_written;
  isa::Engine engine =
      isa::Engine::kMxu;     ///< that matters: the matrix unit, or without multiply-accumulates the busiest other one
  std::string headline;      ///< how much of it was useful
  std::vector<Loss> losses;  ///< largest first; what is below 0.2 % is left out
  std::string because;       ///< why the engine that was waited for longest was late; may be empty
};

Analysis analyse(const Layer& layer, int dim);

/// MEMORY_LATENCY as "memory latency".
std::string in_words(isa::Cause cause);

/// Engine that the compiler's programs let signal `semaphore` to `consumer`; none for other semaphores.
std::optional<isa::Engine> producer_of(int semaphore, isa::Engine consumer);

}  // namespace systole::report

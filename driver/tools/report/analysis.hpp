// SPDX-License-Identifier: Apache-2.0
// Analysis of a layer: its roofline, the part of the core that limits it, and the causes of lost cycles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run_file.hpp"

namespace systole::report {

/// Parts of the core that can be busy in every cycle and then are the bottleneck.
enum class Part : std::uint8_t { kArray, kVectorUnit, kLoad, kStore, kReadChannel, kWriteChannel };
const char* to_string(Part part);

/// The busiest part of the machine during a layer.
struct Bound {
  Part part = Part::kArray;
  double share = 0;  ///< share of the cycles in which it was busy
  /// False if even the busiest part was busy in less than half of the cycles: dependencies and latency were the
  /// bottleneck.
  bool limits() const { return share >= 0.5; }
};

/// A layer in the roofline model. The bus has one channel per direction, each moving DIM bytes per cycle: the busier
/// one counts.
struct Roofline {
  double intensity = 0;      ///< multiply-accumulates per byte of the busier channel
  double attainable = 0;     ///< multiply-accumulates per cycle under the roof: min(DIM^2, intensity * DIM)
  double achieved = 0;       ///< multiply-accumulates per cycle
  Part roof = Part::kArray;  ///< the array, or the channel that is the lower roof
};

/// Cycles that the limiting engine lost for one cause.
struct Loss {
  double share = 0;  ///< share of the cycles
  std::uint64_t cycles = 0;
  isa::Cause cause = isa::Cause::kWorking;  ///< kWorking: rounding, since those cycles count as working
  std::string sentence;                     ///< including share and cycles
};

struct Analysis {
  double utilization = 0;                           ///< share of the array's slots
  double macs_per_cycle = 0, multiplier_share = 0;  ///< throughput.hpp
  std::uint64_t lost = 0;  ///< cycles minus those that the useful multiply-accumulates would take with a full array
  Bound bound;
  std::optional<Roofline> roofline;  ///< with multiply-accumulates and known traffic only
  std::optional<std::uint64_t> bytes_read;
  std::optional<std::uint64_t> bytes_written;
  isa::Engine engine = isa::Engine::kMxu;  ///< the engine analysed: the matrix unit or, without multiply-accumulates,
                                           ///< the busiest other one
  std::string headline;                    ///< useful share, as a sentence
  std::vector<Loss> losses;                ///< largest first; those below 0.2 % are omitted
  std::string because;                     ///< why the engine that was waited for longest was late; may be empty
};

Analysis analyse(const Layer& layer, int dim);

/// MEMORY_LATENCY as "memory latency".
std::string in_words(isa::Cause cause);

/// Engine that signals `semaphore` to `consumer` in compiled programs; none for other semaphores.
std::optional<isa::Engine> producer_of(int semaphore, isa::Engine consumer);

}  // namespace systole::report

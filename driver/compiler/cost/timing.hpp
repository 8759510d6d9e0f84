// SPDX-License-Identifier: Apache-2.0
// The cost model: how many cycles a program takes, without running it.
//
// Each instruction is one event on its engine. Because a legal program never waits for a later instruction, a pass in
// program order finds every start and commit time. What later instructions take of the bus and of the memories' ports
// comes from the pass before:
//
//   dispatch  in order; an instruction needs its fetch (16 read ahead, in chunks of 8, in a core of DIM 4 eight in
//             chunks of 2; one beat per read interval after the latency) and room in its engine's queue (8)
//   issue     all instructions it depends on have committed; its engine takes it
//   LOAD      requests at one burst per cycle with at most 256 beats ahead; data after the latency, one beat per read
//             interval on a bus shared with fetch; one row written per cycle; commits with its last row
//   MXU       CONV: max(positions, DIM) cycles per weight tile, tiles and commands back to back; commits 2*DIM + 5
//             cycles after its last position. DEPTHWISE: a cycle per position of its raster; commits 5 cycles after
//             the last; its first sum follows the last one of a CONV before it. Without other engines exact
//   VPU       reads parameters while the rows of the previous command pass its pipeline, then its own rows; a kernel as
//             kernel_timing.hpp tells. Without other engines exact. Of the ports that ports.hpp names it has the cycles
//             that the matrix unit leaves
//   STORE     one row per cycle or one beat per write interval; commits when the last response is back
//
// Not modelled: LOAD and STORE at the ports of the scratchpad, and stalls of the memory. The rest agrees with the RTL
// within about one per cent (tests/cosim/test_utilization.cpp, tests/cosim/cost), which is enough to choose between
// tilings and to order instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "systole/kernel.hpp"
#include "systole/memory_timing.hpp"

namespace systole::compiler {

inline constexpr int kEngines = 4;  ///< LOAD, MXU, VPU, STORE
inline constexpr int kLanes = 2;    ///< sequences of instructions for all engines, which take turns (Event::lane)
/// Instructions that keep their order: those of an engine in one lane. Stream s is of engine s % kEngines.
inline constexpr int kStreams = kLanes * kEngines;
/// Of each stream, the number of an instruction.
using StreamPlaces = std::array<int, kStreams>;
inline constexpr StreamPlaces kNowhere = {-1, -1, -1, -1, -1, -1, -1, -1};

/// Resources that an instruction uses.
struct Work {
  isa::Engine engine = isa::Engine::kLoad;
  std::int64_t beats = 0;    ///< bus beats (LOAD reads, STORE writes)
  std::int64_t bursts = 0;   ///< read bursts
  std::int64_t cycles = 0;   ///< rows emitted (LOAD, STORE) or busy cycles (MXU; VPU: from the first read to the last)
  std::int64_t vectors = 0;  ///< activation vectors that the matrix unit takes: its cycles of the cause WORKING
  std::int64_t fresh = 0;    ///< cycles of a CONV's first tile when it overwrites: the accumulators are not read then
  int lag = 0;               ///< cycles from a position to its sum (MXU)
  bool depthwise = false;    ///< on the depthwise unit (MXU)
  int lead = 0;              ///< of the depthwise unit: positions before the first output
  int setup = 0;             ///< cycles before `cycles` in which the previous command may still be running (MXU, VPU)
  std::int64_t tile = 0;     ///< of the cycles, those of a weight tile (CONV)
  int tile_rows = 0;         ///< rows of a weight tile
  int tail = 0;             ///< MXU: last of the cycles, which take no vector. VPU: cycles behind them until it commits
  int early = 0;            ///< cycles before its commit when the engine takes the next one (VPU)
  int held = 0;             ///< cycles that the next one waits then before its set-up, but for a kernel (VPU)
  std::int64_t kernel = 0;  ///< least cycles of a kernel from its start to its commit
  PortUse ports;  ///< of MXU and VPU; the MXU reads the accumulators' rows that it writes, unless it overwrites
};

/// For VECTOR, `kernels` is the content of the kernel memory; without it, a kernel counts as one strip. Throws
/// kernel::KernelFault for a kernel that cannot go on.
Work work_of(const isa::Instruction& instruction, const Configuration& configuration,
             const std::vector<kernel::Word>* kernels = nullptr);

/// An instruction as the cost model sees it: its work and, per stream, the latest instruction (index in the same list)
/// that must have committed before it starts, or -1. An engine executes in order, so those of its own need only come
/// first. In a program all are in lane 0.
struct Event {
  Work work;
  StreamPlaces after = kNowhere;
  int lane = 0;
  std::size_t stream() const { return static_cast<std::size_t>(lane * kEngines + static_cast<int>(work.engine)); }
};

/// When things happen, in cycles since the doorbell.
struct Timeline {
  std::vector<std::int64_t> issue;   ///< the engine takes the instruction
  std::vector<std::int64_t> commit;  ///< its effect is complete
  /// For an instruction of the matrix unit, when its first and last vectors pass; otherwise both 0.
  std::vector<std::int64_t> computes_from, computes_until;
  std::int64_t cycles = 0;                    ///< interrupt
  std::array<std::int64_t, kEngines> busy{};  ///< cycles of useful work per engine
};

/// Processes `events`, all of lane 0, in program order.
Timeline estimate(const std::vector<Event>& events, const Configuration& configuration, const MemoryTiming& memory);

/// Which of two instructions an engine takes that could both start.
enum class LaneOrder {
  kTurns,     ///< the one that has been waiting longer
  kFillsGaps  ///< that of lane 0
};

/// The order in which engines could start the events if all were available from the beginning and queues never filled.
/// Streams keep their order; an engine takes from the lane whose next instruction can start first.
std::vector<int> start_order(const std::vector<Event>& events, const Configuration& configuration,
                             const MemoryTiming& memory, LaneOrder lanes);

}  // namespace systole::compiler

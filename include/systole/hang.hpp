// SPDX-License-Identifier: Apache-2.0
// Why a machine stands still: who waits for whom, since when, and the most likely culprit in one sentence. Made from
// what the registers of a stopped device say, or from the state in which a program must end (systole/deadlock.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systole/generated/isa.hpp"
#include "systole/listing.hpp"
#include "systole/owed_burst.hpp"

namespace systole {

/// What is known of a machine that stands still. Commands are numbered as in the program, END last.
struct HangState {
  struct Engine {
    std::size_t oldest = 0;  ///< oldest uncommitted command, if one is in flight or queued
    unsigned in_flight = 0;  ///< commands taken and not committed
    unsigned queued = 0;     ///< dispatched and not taken
    /// Hardware says that the first of the queue is short of a semaphore, or that it is not; nothing: it does not say.
    std::optional<bool> waiting;
    std::optional<isa::Cause> cause;     ///< of its last cycle; nothing where there is no time
    std::optional<std::uint64_t> since;  ///< cycle of the run in which that cause began
  };
  std::array<Engine, 4> engines{};
  std::array<std::uint8_t, isa::kSemaphores> semaphores{};
  std::size_t dispatched = 0;          ///< commands, END included
  std::optional<std::uint64_t> cycle;  ///< cycles since the doorbell
  std::uint64_t quiet_cycles = 0;      ///< of these, without movement
  bool one_at_a_time = false;          ///< no dispatch ahead of the engines (functional model)
  /// Bursts that memory owes; nothing where nobody knows (real hardware).
  std::optional<std::vector<OwedBurst>> owed;
};

struct HangReport {
  enum class Origin {
    kDevice,   ///< a device stopped
    kProgram,  ///< no device has seen the program
  };
  /// What keeps an engine, or the dispatcher (engine COMMAND), from going on.
  enum class Wait {
    kSemaphore,    ///< its next command waits for a semaphore
    kMemory,       ///< the command in flight waits for the bus
    kUnfinished,   ///< the command in flight has not committed, and waits for nothing outside the engine
    kNotStarted,   ///< its next command has all it waits for
    kDispatch,     ///< its next command has not been dispatched
    kInstruction,  ///< dispatcher: the next instruction has not arrived
    kFullQueue,    ///< dispatcher: the queue of the next instruction is full
    kEngines,      ///< dispatcher: END waits for the engines
  };
  /// In the order in which they are looked for.
  enum class Culprit {
    kLostToken,
    kMemory,
    kUnfinished,
    kNotStarted,
    kFetch,
    kStolenToken,
    kMissingSignal,
    kLateSignal,
    kCircularWait
  };
  enum class State { kCommitted, kInFlight, kQueued, kNotDispatched };

  struct Command {
    std::size_t index = 0;  ///< in the program
    isa::Engine engine = isa::Engine::kCommand;
    std::string text;   ///< disassembled
    std::string layer;  ///< operator that it belongs to, or ""
    State state = State::kNotDispatched;
  };
  /// A command still to come that signals what a node waits for; the first one of its engine.
  struct Signaller {
    Command command;
    unsigned amount = 0;
  };
  struct Node {
    isa::Engine engine = isa::Engine::kCommand;
    Wait wait = Wait::kSemaphore;
    Command command;                    ///< that cannot go on
    int semaphore = -1;                 ///< kSemaphore: which,
    unsigned value = 0;                 ///< what it holds,
    unsigned amount = 0;                ///< what the command needs,
    std::vector<Signaller> signallers;  ///< and who could signal it, in program order
    std::optional<isa::Cause> cause;
    std::optional<std::uint64_t> since;   ///< cycle of the run
    std::optional<OwedBurst> burst;       ///< kMemory: the oldest burst owed to it, if known
    std::optional<isa::Engine> upstream;  ///< whom it waits for in turn
  };

  Origin origin = Origin::kDevice;
  std::uint64_t quiet_cycles = 0;
  std::optional<std::uint64_t> cycle;  ///< cycles since the doorbell
  std::size_t commands = 0;            ///< of the program, END included
  std::size_t dispatched = 0;
  std::size_t committed = 0;
  std::array<std::uint8_t, isa::kSemaphores> semaphores{};
  std::vector<Node> nodes;          ///< engines with work left, in the order LOAD to COMMAND
  std::vector<isa::Engine> chain;   ///< from the earliest command that cannot go on; each waits for the next
  std::optional<std::size_t> loop;  ///< the last of the chain waits for chain[loop]
  std::vector<Command> recent;      ///< the last kRecent commands dispatched
  Culprit culprit = Culprit::kUnfinished;
  std::string suspect;  ///< one sentence
  std::string remedy;

  static constexpr std::size_t kRecent = 64;

  /// The node of an engine, or nullptr.
  const Node* node(isa::Engine engine) const;
  /// Several lines, without a newline at the end. The last commands are listed for a device only.
  std::string to_text() const;
  nlohmann::ordered_json to_json() const;
};

/// Base of the errors that can tell why nothing moves.
class HangExplained {
 public:
  std::shared_ptr<const HangReport> hang;  ///< null when the error is of another kind

 protected:
  HangExplained() = default;
  explicit HangExplained(HangReport report) : hang(std::make_shared<const HangReport>(std::move(report))) {}
};

/// Names as they stand in JSON.
const char* to_string(HangReport::Wait wait);
const char* to_string(HangReport::Culprit culprit);
const char* to_string(HangReport::State state);

/// `state` must be that of a machine in which nothing moves.
HangReport explain_hang(const Listing& program, const HangState& state, HangReport::Origin origin);

}  // namespace systole

// SPDX-License-Identifier: Apache-2.0
// Explains why a machine hangs: which engine waits for which, since when, and the most likely cause in one sentence. It
// uses the registers of a hanging device, or the state in which a program deadlocks (systole/deadlock.hpp).
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

/// The known state of a hanging machine. Commands are numbered as in the program, with END last.
struct HangState {
  struct Engine {
    std::size_t oldest = 0;  ///< oldest uncommitted command, if one is in flight or queued
    unsigned in_flight = 0;  ///< commands taken and not committed
    unsigned queued = 0;     ///< commands dispatched and not taken
    /// Whether the first command of the queue waits for a semaphore. No value if the hardware does not report it.
    std::optional<bool> waiting;
    std::optional<isa::Cause> cause;     ///< cause of its last cycle; no value on the functional model
    std::optional<std::uint64_t> since;  ///< cycle of the run in which that cause began
  };
  std::array<Engine, 4> engines{};
  std::array<std::uint8_t, isa::kSemaphores> semaphores{};
  std::size_t dispatched = 0;          ///< number of dispatched commands, including END
  std::optional<std::uint64_t> cycle;  ///< cycles since the doorbell
  std::uint64_t quiet_cycles = 0;      ///< the last of these, in which the core was quiet
  bool one_at_a_time = false;          ///< commands are not dispatched ahead of the engines (functional model)
  /// Bursts that memory has not completed; no value if unknown (real hardware).
  std::optional<std::vector<OwedBurst>> owed;
};

struct HangReport {
  enum class Origin {
    kDevice,   ///< a device stopped
    kProgram,  ///< the program was analysed before it ran
  };
  /// Why an engine, or the dispatcher (engine COMMAND), cannot continue.
  enum class Wait {
    kSemaphore,    ///< its next command waits for a semaphore
    kMemory,       ///< the command in flight waits for the bus
    kUnfinished,   ///< the command in flight has not committed, although it waits for nothing outside the engine
    kNotStarted,   ///< its next command has not started, although its waits are satisfied
    kDispatch,     ///< its next command has not been dispatched
    kInstruction,  ///< dispatcher: the next instruction has not arrived
    kFullQueue,    ///< dispatcher: the queue of the next instruction is full
    kEngines,      ///< dispatcher: END waits for the engines
  };
  /// The most likely cause, in the order in which they are tested.
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
    std::size_t index = 0;  ///< index in the program
    isa::Engine engine = isa::Engine::kCommand;
    std::string text;   ///< disassembly
    std::string layer;  ///< layer that it belongs to, or ""
    State state = State::kNotDispatched;
  };
  /// The first command of an engine, not yet committed, that signals the semaphore that a node waits for.
  struct Signaller {
    Command command;
    unsigned amount = 0;
  };
  struct Node {
    isa::Engine engine = isa::Engine::kCommand;
    Wait wait = Wait::kSemaphore;
    Command command;                    ///< the command that cannot continue
    int semaphore = -1;                 ///< kSemaphore: the semaphore,
    unsigned value = 0;                 ///< its value,
    unsigned amount = 0;                ///< the tokens that the command waits for,
    std::vector<Signaller> signallers;  ///< and the commands that will signal it, in program order
    std::optional<isa::Cause> cause;
    std::optional<std::uint64_t> since;   ///< cycle of the run
    std::optional<OwedBurst> burst;       ///< kMemory: its oldest incomplete burst, if known
    std::optional<isa::Engine> upstream;  ///< the engine that it waits for
  };

  Origin origin = Origin::kDevice;
  std::uint64_t quiet_cycles = 0;
  std::optional<std::uint64_t> cycle;  ///< cycles since the doorbell
  std::size_t commands = 0;            ///< number of commands of the program, including END
  std::size_t dispatched = 0;
  std::size_t committed = 0;
  std::array<std::uint8_t, isa::kSemaphores> semaphores{};
  std::vector<Node> nodes;          ///< engines with work left, in the order LOAD to COMMAND
  std::vector<isa::Engine> chain;   ///< begins with the earliest blocked command; each engine waits for the next
  std::optional<std::size_t> loop;  ///< if set, the last engine of the chain waits for chain[loop]
  std::vector<Command> recent;      ///< the last kRecent commands dispatched
  Culprit culprit = Culprit::kUnfinished;
  std::string suspect;  ///< the most likely cause in one sentence
  std::string remedy;

  static constexpr std::size_t kRecent = 64;

  /// The node of an engine, or nullptr.
  const Node* node(isa::Engine engine) const;
  /// Several lines, without a newline at the end. The last commands are listed for a device only.
  std::string to_text() const;
  nlohmann::ordered_json to_json() const;
};

/// Base of the errors that can explain a hang.
class HangExplained {
 public:
  std::shared_ptr<const HangReport> hang;  ///< null when the error is not a hang

 protected:
  HangExplained() = default;
  explicit HangExplained(HangReport report) : hang(std::make_shared<const HangReport>(std::move(report))) {}
};

/// The names used in JSON.
const char* to_string(HangReport::Wait wait);
const char* to_string(HangReport::Culprit culprit);
const char* to_string(HangReport::State state);

/// Explains the hang of a program from the state of the machine, which must not be able to make progress.
HangReport explain_hang(const Listing& program, const HangState& state, HangReport::Origin origin);

}  // namespace systole

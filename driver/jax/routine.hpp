// SPDX-License-Identifier: Apache-2.0
// A program of JAX's as Systole runs it: graphs for the device, and between them loops and branches, whose conditions
// the host reads. Values are in registers, each of which is written once, except by a loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "meeting.hpp"
#include "systole/device_value.hpp"
#include "systole/graph.hpp"
#include "systole/network.hpp"

namespace systole::pjrt {

using Register = std::size_t;

struct Routine;

/// A graph, whose inputs and outputs are registers.
struct Block {
  graph::Graph graph;
  std::vector<Register> inputs, outputs;
};

/// `while condition(values): values = body(values)`, on `inputs`; the last values are `outputs`.
struct Loop {
  std::shared_ptr<Routine> condition, body;
  std::vector<Register> inputs, outputs;
};

/// The branch of a number, the last one for numbers without a branch, on `inputs`.
struct Choice {
  Register number = 0;
  std::vector<std::shared_ptr<Routine>> branches;
  std::vector<Register> inputs, outputs;
};

/// Each device gets the input of all devices of the call: those are its outputs, by device.
struct Exchange {
  Register input = 0;
  std::vector<Register> outputs;
};

using Step = std::variant<Block, Loop, Choice, Exchange>;

struct Routine {
  std::size_t registers = 0;
  std::vector<Register> inputs, outputs;
  std::vector<Step> steps;
};

/// A simulated core. Several devices of JAX may share one; then one of them computes at a time.
struct Core {
  explicit Core(systole::Device opened);

  /// DeviceValue::on_host(). Takes a turn.
  const graph::Value& on_host(const SharedDeviceValue& value);

  systole::Device device;
  std::shared_ptr<Arena> arena;  ///< of the values of all calls
  std::mutex turn;               ///< held by who uses the device, or a value
};

/// What a run of a routine is given besides its inputs.
struct Surroundings {
  RunOptions options;
  /// Is told the network of each graph after it ran, and when it began (profile_time()).
  std::function<void(const Network&, std::int64_t)> observer;
  std::shared_ptr<Observer> of_core;  ///< watches the core while it computes a graph; may be null
  /// Is told how many bytes this device gives to all others in an exchange.
  std::function<void(std::size_t)> exchanged;
  Meeting* meeting = nullptr;  ///< null if no other device takes part
  std::size_t number = 0;      ///< of the device in the meeting
};

/// A routine whose graphs have been compiled for a core. The routine and the core outlive it. It is destroyed by who
/// holds Core::turn.
class LoadedRoutine {
 public:
  /// Throws what compile_network() throws. May be called while the core works.
  LoadedRoutine(Core& core, const Routine& routine);
  /// The same routine on another core of the same configuration, without compiling it again.
  LoadedRoutine(Core& core, const LoadedRoutine& compiled);
  LoadedRoutine(LoadedRoutine&&) noexcept;
  ~LoadedRoutine();

  /// Reserves device memory when a graph runs for the first time. Throws what Network() and its run() throw.
  std::vector<SharedDeviceValue> run(const std::vector<SharedDeviceValue>& inputs, const Surroundings& surroundings);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace systole::pjrt

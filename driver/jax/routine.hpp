// SPDX-License-Identifier: Apache-2.0
// A program of JAX's as Systole runs it: graphs for the device, and between them loops and branches, whose conditions
// the host reads. Values are in registers, each of which is written once, except by a loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "systole/graph.hpp"
#include "systole/graph_value.hpp"
#include "systole/network.hpp"

namespace systole::pjrt {

using Register = std::size_t;
using SharedValue = std::shared_ptr<const graph::Value>;

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

using Step = std::variant<Block, Loop, Choice>;

struct Routine {
  std::size_t registers = 0;
  std::vector<Register> inputs, outputs;
  std::vector<Step> steps;
};

/// A routine whose graphs have been compiled for a device, which outlives it, as the routine does.
class LoadedRoutine {
 public:
  /// Throws what compile_network() throws. May be called while the device works.
  LoadedRoutine(systole::Device& device, const Routine& routine);
  LoadedRoutine(LoadedRoutine&&) noexcept;
  ~LoadedRoutine();

  /// Reserves device memory when a graph runs for the first time. Throws what Network() and its run() throw.
  /// `observer` is told the network of each graph after it ran.
  using Observer = std::function<void(const Network&)>;
  std::vector<SharedValue> run(const std::vector<SharedValue>& inputs, const RunOptions& options,
                               const Observer& observer);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace systole::pjrt

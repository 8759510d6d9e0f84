// SPDX-License-Identifier: Apache-2.0
// The wait-for graph of a hang: which engine waits for which.
#include <algorithm>

#include "command_history.hpp"

namespace systole::hang {
namespace {

using Node = HangReport::Node;
using Wait = HangReport::Wait;
using State = HangReport::State;

/// First uncommitted command of each engine that signals a semaphore, in program order. Excludes `waiting`: a command
/// cannot satisfy its own wait.
std::vector<HangReport::Signaller> signallers_of(const History& history, int semaphore, std::size_t waiting) {
  std::vector<HangReport::Signaller> found;
  std::array<bool, kEngines> seen{};
  const std::size_t first = history.earliest();
  for (std::size_t i = first; i < history.size(); ++i) {
    const auto e = static_cast<std::size_t>(history.engine(i));
    const unsigned amount = history.given(i, semaphore);
    if (amount > 0 && i != waiting && !seen[e] && !history.committed(i)) {
      seen[e] = true;
      found.push_back({history.describe(i), amount});
    }
  }
  return found;
}

void look_at_semaphores(const History& history, Node& node) {
  const isa::Semaphores s = isa::decode_semaphores(history.program().instructions[node.command.index]);
  const auto& values = history.machine().semaphores;
  const auto is_short = [&](std::uint8_t semaphore, std::uint8_t amount) {
    if (values[semaphore] >= amount) {
      return false;
    }
    node.wait = Wait::kSemaphore;
    node.semaphore = semaphore;
    node.value = values[semaphore];
    node.amount = amount;
    node.signallers = signallers_of(history, semaphore, node.command.index);
    if (!node.signallers.empty()) {
      node.upstream = node.signallers.front().command.engine;
    }
    return true;
  };
  const bool may_wait = history.machine().engines[static_cast<std::size_t>(node.engine)].waiting.value_or(true);
  if (!may_wait || (!is_short(s.wait0_sem, s.wait0_amount) && !is_short(s.wait1_sem, s.wait1_amount))) {
    node.wait = Wait::kNotStarted;
  }
}

/// The state of a command in flight: waiting for the bus, or busy in its engine.
void look_inside(const History& history, Node& node) {
  const bool load = node.engine == isa::Engine::kLoad;
  const auto& owed = history.machine().owed;
  node.wait = Wait::kUnfinished;
  if (!load && node.engine != isa::Engine::kStore) {
    return;
  }
  if (owed) {
    const auto burst = std::find_if(owed->begin(), owed->end(),
                                    [&](const OwedBurst& b) { return load ? !b.write && b.id == 1 : b.write; });
    if (burst != owed->end()) {
      node.wait = Wait::kMemory;
      node.burst = *burst;
    }
  } else if (node.cause == isa::Cause::kMemoryLatency || node.cause == isa::Cause::kMemoryBandwidth) {
    node.wait = Wait::kMemory;
  }
}

Node engine_node(const History& history, std::size_t engine) {
  const std::size_t oldest = history.oldest(static_cast<isa::Engine>(engine));
  const HangState::Engine& e = history.machine().engines[engine];
  Node node;
  node.engine = static_cast<isa::Engine>(engine);
  node.command = history.describe(oldest);
  node.cause = e.cause;
  node.since = e.since;
  switch (node.command.state) {
    case State::kInFlight: look_inside(history, node); break;
    case State::kQueued: look_at_semaphores(history, node); break;
    default:
      node.wait = Wait::kDispatch;
      if (!history.machine().one_at_a_time) {
        node.upstream = isa::Engine::kCommand;
      }
  }
  return node;
}

Node dispatcher_node(const History& history) {
  Node node;
  node.engine = isa::Engine::kCommand;
  node.command = history.describe(history.dispatched());
  const auto target = static_cast<std::size_t>(node.command.engine);
  if (history.is_end(node.command.index)) {
    const std::size_t first = history.earliest();
    node.wait = first == node.command.index ? Wait::kNotStarted : Wait::kEngines;
    if (node.wait == Wait::kEngines) {
      node.upstream = history.engine(first);
    }
  } else if (target < kEngines && history.machine().engines[target].queued >= isa::kQueueDepth) {
    node.wait = Wait::kFullQueue;
    node.upstream = node.command.engine;
  } else {
    node.wait = Wait::kInstruction;
    if (const auto& owed = history.machine().owed) {
      const auto burst =
          std::find_if(owed->begin(), owed->end(), [](const OwedBurst& b) { return !b.write && b.id == 0; });
      if (burst != owed->end()) {
        node.burst = *burst;
      }
    }
  }
  return node;
}

/// Follows the wait-for graph from the earliest command that cannot proceed.
void follow(const History& history, HangReport& report) {
  const std::size_t earliest = history.earliest();
  const bool dispatched = earliest < history.dispatched();
  const Node* node = report.node(dispatched ? history.engine(earliest) : isa::Engine::kCommand);
  while (node) {
    const auto seen = std::find(report.chain.begin(), report.chain.end(), node->engine);
    if (seen != report.chain.end()) {
      report.loop = static_cast<std::size_t>(seen - report.chain.begin());
      return;
    }
    report.chain.push_back(node->engine);
    node = node->upstream ? report.node(*node->upstream) : nullptr;
  }
}

}  // namespace

void find_waits(const History& history, HangReport& report) {
  for (std::size_t e = 0; e < kEngines; ++e) {
    if (history.oldest(static_cast<isa::Engine>(e)) != kNone) {
      report.nodes.push_back(engine_node(history, e));
    }
  }
  if (history.dispatched() < history.size() && !history.machine().one_at_a_time) {
    report.nodes.push_back(dispatcher_node(history));
  }
  follow(history, report);
}

}  // namespace systole::hang

// SPDX-License-Identifier: Apache-2.0
#include "command_history.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/disassemble.hpp"
#include "systole/isa_check.hpp"

namespace systole::hang {

isa::Engine engine_of(const isa::Instruction& instruction) {
  const isa::InstructionInfo* info = isa::find_instruction(instruction);
  return info ? info->engine : isa::Engine::kCommand;
}

unsigned taken_by(const isa::Instruction& instruction, int semaphore) {
  const isa::Semaphores s = isa::decode_semaphores(instruction);
  return (s.wait0_sem == semaphore ? s.wait0_amount : 0u) + (s.wait1_sem == semaphore ? s.wait1_amount : 0u);
}

unsigned given_by(const isa::Instruction& instruction, int semaphore) {
  const isa::Semaphores s = isa::decode_semaphores(instruction);
  return (s.signal0_sem == semaphore ? s.signal0_amount : 0u) + (s.signal1_sem == semaphore ? s.signal1_amount : 0u);
}

History::History(const Listing& program, const HangState& state)
    : program_(program), machine_(state), dispatched_(std::min(state.dispatched, size())), states_(size()) {
  for (const HangState::Engine& e : state.engines) {
    if (e.in_flight + e.queued > 0 && e.oldest < size()) {
      dispatched_ = std::max(dispatched_, e.oldest + 1);
    }
  }
  oldest_.fill(kNone);
  std::array<unsigned, kEngines> held{};
  for (std::size_t i = 0; i < size(); ++i) {
    const auto e = static_cast<std::size_t>(engine(i));
    if (i >= dispatched_) {
      states_[i] = State::kNotDispatched;
    } else if (e >= kEngines || state.engines[e].in_flight + state.engines[e].queued == 0 ||
               i < state.engines[e].oldest) {
      states_[i] = State::kCommitted;
    } else {
      states_[i] = held[e]++ < state.engines[e].in_flight ? State::kInFlight : State::kQueued;
    }
    if (e < kEngines && oldest_[e] == kNone && states_[i] != State::kCommitted) {
      oldest_[e] = i;
    }
  }
}

isa::Engine History::engine(std::size_t command) const {
  return command < program_.instructions.size() ? engine_of(program_.instructions[command]) : isa::Engine::kCommand;
}

bool History::is_end(std::size_t command) const {
  return command == program_.instructions.size() ||
         isa::get(program_.instructions[command], 0, 8) == static_cast<std::uint32_t>(isa::Opcode::kEnd);
}

unsigned History::taken(std::size_t command, int semaphore) const {
  return engine(command) == isa::Engine::kCommand ? 0 : taken_by(program_.instructions[command], semaphore);
}

unsigned History::given(std::size_t command, int semaphore) const {
  return engine(command) == isa::Engine::kCommand ? 0 : given_by(program_.instructions[command], semaphore);
}

std::size_t History::earliest() const {
  const auto first = std::min_element(oldest_.begin(), oldest_.end());
  return std::min(*first, dispatched_);
}

HangReport::Command History::describe(std::size_t command) const {
  const bool appended = command >= program_.instructions.size();
  return {command, engine(command), appended ? "END" : isa::disassemble(program_.instructions[command]),
          appended ? std::string() : program_.label(command), states_[std::min(command, size() - 1)]};
}

std::string name(const HangReport::Command& command) {
  return fmt::format("{} #{}", isa::to_string(command.engine), command.index);
}

std::string name_with_layer(const HangReport::Command& command) {
  return command.layer.empty() ? name(command) : fmt::format("{} of '{}'", name(command), command.layer);
}

}  // namespace systole::hang

namespace systole {

HangReport explain_hang(const Listing& program, const HangState& state, HangReport::Origin origin) {
  const hang::History history(program, state);
  HangReport report;
  report.origin = origin;
  report.quiet_cycles = state.quiet_cycles;
  report.cycle = state.cycle;
  report.commands = history.size();
  report.dispatched = history.dispatched();
  report.semaphores = state.semaphores;
  for (std::size_t i = 0; i < history.dispatched(); ++i) {
    report.committed += history.committed(i);
  }
  for (std::size_t i = history.dispatched() - std::min(history.dispatched(), HangReport::kRecent);
       i < history.dispatched(); ++i) {
    report.recent.push_back(history.describe(i));
  }
  hang::find_waits(history, report);
  hang::find_culprit(history, report);
  return report;
}

const HangReport::Node* HangReport::node(isa::Engine engine) const {
  for (const Node& n : nodes) {
    if (n.engine == engine) {
      return &n;
    }
  }
  return nullptr;
}

}  // namespace systole

// SPDX-License-Identifier: Apache-2.0
#include "model_machine.hpp"

#include <fmt/core.h>

#include "model_operations.hpp"
#include "systole/disassemble.hpp"
#include "systole/isa_check.hpp"

namespace systole::model {

Machine::Machine(const Configuration& configuration, DeviceMemory& memory) : state_(configuration, memory) {}

Machine::Outcome Machine::execute(const isa::Instruction& instruction) { return execute(instruction, commands_); }

Machine::Outcome Machine::execute(const isa::Instruction& instruction, std::uint32_t index) {
  if (halted()) {
    return Outcome::kError;
  }
  const isa::InstructionInfo* info = isa::find_instruction(instruction);
  if (!info || !isa::is_legal(instruction, state_.dim(), state_.configuration().parts)) {
    fail(isa::ErrorCode::kIllegalInstruction, isa::Engine::kCommand, index, instruction.words[0],
         fmt::format("{}; {}", isa::disassemble(instruction),
                     isa::check(instruction, state_.dim(), state_.configuration().parts).front().text));
    return Outcome::kError;
  }
  const isa::Semaphores sem = info->has_semaphores ? isa::decode_semaphores(instruction) : isa::Semaphores{};
  if (!take_waits(sem, info->engine, index)) {
    return Outcome::kBlocked;
  }
  const bool queued = info->engine != isa::Engine::kCommand;  // END and JUMP count after they are done
  commands_ += queued;
  try {
    operate(instruction);
    give_signals(sem);
    commands_ += !queued;
  } catch (const Fault& fault) {
    fail(fault.code, info->engine, index, fault.address,
         isa::disassemble(instruction) + (fault.why.empty() ? "" : "; " + fault.why));
    return Outcome::kError;
  }
  return Outcome::kDone;
}

void Machine::fail(isa::ErrorCode code, isa::Engine engine, std::uint32_t index, std::uint32_t address,
                   std::string text) {
  if (halted()) {
    return;
  }
  error_ = {code, engine, index, address, {}};
  error_.text = fmt::format("{} at command {} ({}), address 0x{:x}: {}; {}", isa::to_string(code), index,
                            isa::to_string(engine), address, text, isa::remedy(code));
}

void Machine::reset() {
  semaphores_.fill(0);
  error_ = {};
  blocked_ = {};
  commands_ = 0;
  end_tag_ = 0;
  end_count_ = 0;
}

/// Both waits are satisfied together or not at all.
bool Machine::take_waits(const isa::Semaphores& sem, isa::Engine engine, std::uint32_t index) {
  const bool first = semaphores_[sem.wait0_sem] >= sem.wait0_amount;
  const bool second = semaphores_[sem.wait1_sem] >= sem.wait1_amount;
  blocked_ = {!first || !second, engine, first ? sem.wait1_sem : sem.wait0_sem, index};
  if (blocked_.blocked) {
    return false;
  }
  semaphores_[sem.wait0_sem] = static_cast<std::uint8_t>(semaphores_[sem.wait0_sem] - sem.wait0_amount);
  semaphores_[sem.wait1_sem] = static_cast<std::uint8_t>(semaphores_[sem.wait1_sem] - sem.wait1_amount);
  return true;
}

void Machine::give_signals(const isa::Semaphores& sem) {
  const auto give = [&](std::uint8_t semaphore, std::uint8_t amount) {
    if (semaphores_[semaphore] + amount > isa::kSemaphoreMax) {
      throw Fault{isa::ErrorCode::kSemaphoreOverflow, semaphore};
    }
    semaphores_[semaphore] = static_cast<std::uint8_t>(semaphores_[semaphore] + amount);
  };
  give(sem.signal0_sem, sem.signal0_amount);
  give(sem.signal1_sem, sem.signal1_amount);
}

void Machine::end(const isa::End& op) {
  // operation: END
  // All engines have committed. The lowest semaphore that is not zero is an error.
  for (std::uint32_t s = 0; s < semaphores_.size(); ++s) {
    if (semaphores_[s] != 0) {
      throw Fault{isa::ErrorCode::kSemaphoreAtEnd, s};
    }
  }
  if (op.clear != 0) {
    state_.clear();  // all memories, vector registers and tables; the performance counters, too
  }
  end_tag_ = op.tag;
  ++end_count_;
  // The interrupt DONE is raised.
  // end operation
}

void Machine::operate(const isa::Instruction& instruction) {
  const auto with_fast_path = [&](const auto& op, auto fast) {
    if (!fast_ || !fast(state_, op)) {
      run(state_, op);
    }
  };
  switch (static_cast<isa::Opcode>(isa::get(instruction, 0, 8))) {
    case isa::Opcode::kEnd: return end(isa::End::decode(instruction));
    case isa::Opcode::kLoad: return with_fast_path(isa::Load::decode(instruction), fast_load);
    case isa::Opcode::kStore: return with_fast_path(isa::Store::decode(instruction), fast_store);
    case isa::Opcode::kConv: return with_fast_path(isa::Conv::decode(instruction), fast_conv);
    case isa::Opcode::kDepthwise: return run(state_, isa::Depthwise::decode(instruction));
    case isa::Opcode::kDrain: return run(state_, isa::Drain::decode(instruction));
    case isa::Opcode::kDrain32: return run(state_, isa::Drain32::decode(instruction));
    case isa::Opcode::kPreload: return run(state_, isa::Preload::decode(instruction));
    case isa::Opcode::kMaxpool: return run(state_, isa::Maxpool::decode(instruction));
    case isa::Opcode::kAvgpool: return run(state_, isa::Avgpool::decode(instruction));
    case isa::Opcode::kAdd: return run(state_, isa::Add::decode(instruction));
    case isa::Opcode::kMultiply: return run(state_, isa::Multiply::decode(instruction));
    case isa::Opcode::kTable: return run(state_, isa::Table::decode(instruction));
    case isa::Opcode::kMap: return run(state_, isa::Map::decode(instruction));
    case isa::Opcode::kVector: return run(state_, isa::Vector::decode(instruction));
    case isa::Opcode::kJump:  // acted on by the fetcher
    case isa::Opcode::kSyncLoad:
    case isa::Opcode::kSyncMxu:
    case isa::Opcode::kSyncVpu:
    case isa::Opcode::kSyncStore: return;  // waits and signals are the whole instruction
  }
}

}  // namespace systole::model

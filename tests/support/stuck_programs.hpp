// SPDX-License-Identifier: Apache-2.0
// Programs of SYNC instructions, which only wait and signal.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "systole/generated/isa.hpp"
#include "systole/program.hpp"

namespace systole::test {

struct Amount {
  int semaphore = 0;
  int amount = 0;
};

inline isa::Instruction sync(isa::Engine engine, std::vector<Amount> waits, std::vector<Amount> signals) {
  waits.resize(2);
  signals.resize(2);
  isa::Instruction instruction;
  switch (engine) {
    case isa::Engine::kLoad: instruction = isa::SyncLoad{}.encode(); break;
    case isa::Engine::kMxu: instruction = isa::SyncMxu{}.encode(); break;
    case isa::Engine::kVpu: instruction = isa::SyncVpu{}.encode(); break;
    case isa::Engine::kStore: instruction = isa::SyncStore{}.encode(); break;
    case isa::Engine::kCommand: return isa::End{}.encode();
  }
  isa::Semaphores s;
  const auto put = [](const Amount& a, std::uint8_t& semaphore, std::uint8_t& amount) {
    semaphore = static_cast<std::uint8_t>(a.semaphore);
    amount = static_cast<std::uint8_t>(a.amount);
  };
  put(waits[0], s.wait0_sem, s.wait0_amount);
  put(waits[1], s.wait1_sem, s.wait1_amount);
  put(signals[0], s.signal0_sem, s.signal0_amount);
  put(signals[1], s.signal1_sem, s.signal1_amount);
  isa::encode(s, instruction);
  return instruction;
}

inline isa::Instruction load(std::vector<Amount> waits, std::vector<Amount> signals) {
  return sync(isa::Engine::kLoad, std::move(waits), std::move(signals));
}
inline isa::Instruction mxu(std::vector<Amount> waits, std::vector<Amount> signals) {
  return sync(isa::Engine::kMxu, std::move(waits), std::move(signals));
}
inline isa::Instruction vpu(std::vector<Amount> waits, std::vector<Amount> signals) {
  return sync(isa::Engine::kVpu, std::move(waits), std::move(signals));
}
inline isa::Instruction store(std::vector<Amount> waits, std::vector<Amount> signals) {
  return sync(isa::Engine::kStore, std::move(waits), std::move(signals));
}

/// The first half of the instructions belongs to the operator "first", the rest to "second".
inline Program program_of(std::vector<isa::Instruction> instructions) {
  Program program;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    program.label_of.push_back(i < (instructions.size() + 1) / 2 ? 0 : 1);
  }
  program.labels = {"first", "second"};
  program.instructions = std::move(instructions);
  return program;
}

/// Random waits and signals. With `owners`, only engine s % 4 waits for semaphore s.
inline Program random_program(std::mt19937_64& rng, bool owners) {
  const auto below = [&](std::uint64_t n) { return static_cast<int>(rng() % n); };
  std::vector<isa::Instruction> instructions;
  const int length = 2 + below(12);
  for (int i = 0; i < length; ++i) {
    const int engine = below(4);
    std::vector<Amount> waits, signals;
    const int first = below(8);
    for (int k = 0; k < 2; ++k) {
      const int semaphore = owners ? engine + 4 * k : (first + k) % 6;
      if (below(4) == 0) waits.push_back({semaphore, 1 + below(2)});
      if (below(4) != 0) signals.push_back({(first + 3 * k) % (owners ? 8 : 6), 1 + below(2)});
    }
    instructions.push_back(sync(static_cast<isa::Engine>(engine), waits, signals));
  }
  return program_of(instructions);
}

}  // namespace systole::test

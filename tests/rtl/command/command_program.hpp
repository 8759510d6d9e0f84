// SPDX-License-Identifier: Apache-2.0
// Random programs for the command processor that end at any speed of the engines: they never block when run one
// instruction at a time, leave all semaphores at zero at each END, cannot overflow in any order that the four queues
// allow, and each semaphore has one engine that waits for it. Without the last rule deadlocks are possible: of two
// engines that wait for one semaphore the later instruction may take the token that the earlier one needs before it can
// signal again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "systole/generated/isa.hpp"

namespace systole::test {

using isa::Instruction;
using Rng = std::mt19937_64;

inline unsigned pick(Rng& rng, unsigned low, unsigned high) {
  return low + static_cast<unsigned>(rng() % (high - low + 1));
}

/// The simplest instruction of each engine, or its SYNC; `mark` is written to an unrestricted field.
inline Instruction plain(int engine, bool sync, const isa::Semaphores& sem, std::uint32_t mark = 0) {
  switch (engine * 2 + (sync ? 1 : 0)) {
    case 0: {
      isa::Load i;
      i.sem = sem;
      i.src = mark;
      return i.encode();
    }
    case 1: {
      isa::SyncLoad i;
      i.sem = sem;
      return i.encode();
    }
    case 2: {
      isa::Conv i;
      i.sem = sem;
      i.act_row = static_cast<std::uint16_t>(mark);
      i.kernel_h = i.kernel_w = i.stride_h = i.stride_w = i.dilation_h = i.dilation_w = 1;
      return i.encode();
    }
    case 3: {
      isa::SyncMxu i;
      i.sem = sem;
      return i.encode();
    }
    case 4: {
      isa::Drain i;
      i.sem = sem;
      i.src = static_cast<std::uint16_t>(mark);
      return i.encode();
    }
    case 5: {
      isa::SyncVpu i;
      i.sem = sem;
      return i.encode();
    }
    case 6: {
      isa::Store i;
      i.sem = sem;
      i.dst = mark;
      return i.encode();
    }
    default: {
      isa::SyncStore i;
      i.sem = sem;
      return i.encode();
    }
  }
}

inline Instruction end_with(std::uint32_t tag, bool clear = false) {
  isa::End i;
  i.tag = tag;
  i.clear = clear;
  return i.encode();
}

inline Instruction jump_to(std::uint32_t target, std::uint32_t count, std::uint8_t window) {
  isa::Jump i;
  i.target = target;
  i.count = count;
  i.window = window;
  return i.encode();
}

inline isa::Opcode opcode(const Instruction& i) { return static_cast<isa::Opcode>(isa::get(i, 0, 8)); }
inline bool is_sync(const Instruction& i) { return (isa::get(i, 0, 8) & 15) == 15; }
inline int engine_of(const Instruction& i) {
  const auto code = isa::get(i, 0, 8);
  return code < 0x10 ? static_cast<int>(isa::Engine::kCommand) : static_cast<int>(code >> 4) - 1;
}

/// The contents of the ring and of jump targets, and the expected order of dispatch.
struct Program {
  struct Block {
    std::uint32_t offset;
    std::vector<Instruction> instructions;
  };
  std::vector<Instruction> ring;
  std::vector<Block> blocks;
  std::vector<Instruction> dispatched;
};

/// `length` instructions between ENDs, `ends` times; jumped-to blocks lie from `block_offset` on in `block_window`.
inline Program random_program(Rng& rng, unsigned length, unsigned ends, std::uint32_t block_offset,
                              std::uint8_t block_window) {
  std::vector<Instruction> flat;
  for (unsigned e = 0; e < ends; ++e) {
    std::array<unsigned, isa::kSemaphores> held{}, signalled{};
    const unsigned used = pick(rng, 2, isa::kSemaphores);
    std::array<int, isa::kSemaphores> waiter{};
    for (auto& engine : waiter) engine = static_cast<int>(rng() % 4);
    const auto wait_for = [&](int engine, std::uint8_t& sem, std::uint8_t& amount) {
      const unsigned s = pick(rng, 0, used - 1);
      if (held[s] == 0 || waiter[s] != engine) return;
      sem = static_cast<std::uint8_t>(s);
      amount = static_cast<std::uint8_t>(pick(rng, 1, held[s]));
      held[s] -= amount;
    };
    const auto signal = [&](std::uint8_t& sem, std::uint8_t& amount, unsigned avoid) {
      const unsigned s = pick(rng, 0, used - 1);
      const unsigned n = pick(rng, 1, rng() % 8 ? 2 : 30);
      if (s == avoid || signalled[s] + n > isa::kSemaphoreMax) return;
      sem = static_cast<std::uint8_t>(s);
      amount = static_cast<std::uint8_t>(n);
      held[s] += n;
      signalled[s] += n;
    };
    for (unsigned i = 0; i < length; ++i) {
      isa::Semaphores sem;
      const int engine = static_cast<int>(rng() % 4);
      for (int tries = 0; tries < 4 && !sem.wait0_amount; ++tries) wait_for(engine, sem.wait0_sem, sem.wait0_amount);
      if (rng() % 2) {
        wait_for(engine, sem.wait1_sem, sem.wait1_amount);
        if (sem.wait1_amount && sem.wait0_amount && sem.wait1_sem == sem.wait0_sem) {
          held[sem.wait1_sem] += sem.wait1_amount;
          sem.wait1_amount = 0;
        }
      }
      if (rng() % 2) signal(sem.signal0_sem, sem.signal0_amount, ~0u);
      if (rng() % 3 == 0) signal(sem.signal1_sem, sem.signal1_amount, sem.signal0_amount ? sem.signal0_sem : ~0u);
      flat.push_back(plain(engine, rng() % 6 == 0, sem, pick(rng, 0, 0xffff)));
    }
    for (unsigned s = 0; s < used; ++s) {
      if (held[s] == 0) continue;
      isa::Semaphores sem;
      sem.wait0_sem = static_cast<std::uint8_t>(s);
      sem.wait0_amount = static_cast<std::uint8_t>(held[s]);
      flat.push_back(plain(waiter[s], rng() % 2 == 0, sem));
    }
    flat.push_back(end_with(static_cast<std::uint32_t>(rng()), rng() % 3 == 0));
  }
  Program program;
  for (std::size_t i = 0; i < flat.size();) {
    if (rng() % 12 == 0) {
      const std::size_t count = std::min<std::size_t>(pick(rng, 1, 40), flat.size() - i);
      Program::Block block{block_offset + 64 * pick(rng, 0, 9),
                           {flat.begin() + static_cast<long>(i), flat.begin() + static_cast<long>(i + count)}};
      block_offset = block.offset + static_cast<std::uint32_t>(64 * count);
      program.ring.push_back(jump_to(block.offset, static_cast<std::uint32_t>(count), block_window));
      program.dispatched.push_back(program.ring.back());
      program.dispatched.insert(program.dispatched.end(), block.instructions.begin(), block.instructions.end());
      program.blocks.push_back(std::move(block));
      i += count;
    } else {
      program.ring.push_back(flat[i]);
      program.dispatched.push_back(flat[i++]);
    }
  }
  return program;
}

}  // namespace systole::test

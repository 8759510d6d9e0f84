// SPDX-License-Identifier: Apache-2.0
// Programs for the checkers.
#pragma once

#include <vector>

#include "model_state.hpp"
#include "systole/generated/isa.hpp"

namespace systole::test {

inline AddressWindows open_windows() {
  AddressWindows windows;
  windows.fill({0, 1 << 20, isa::kPermissionRead | isa::kPermissionWrite | isa::kPermissionExecute});
  return windows;
}

template <typename Op>
Op waiting(Op op, int semaphore, int amount = 1) {
  auto& s = op.sem;
  (s.wait0_amount ? s.wait1_sem : s.wait0_sem) = static_cast<std::uint8_t>(semaphore);
  (s.wait0_amount ? s.wait1_amount : s.wait0_amount) = static_cast<std::uint8_t>(amount);
  return op;
}

template <typename Op>
Op signalling(Op op, int semaphore, int amount = 1) {
  auto& s = op.sem;
  (s.signal0_amount ? s.signal1_sem : s.signal0_sem) = static_cast<std::uint8_t>(semaphore);
  (s.signal0_amount ? s.signal1_amount : s.signal0_amount) = static_cast<std::uint8_t>(amount);
  return op;
}

class Program {
 public:
  template <typename Op>
  Program& operator<<(const Op& op) {
    commands.push_back(op.encode());
    return *this;
  }
  std::vector<isa::Instruction> commands;
};

/// One row of memory bytes into row `dst`.
inline isa::Load load_row(isa::Space space, int dst, std::uint32_t address = 0) {
  isa::Load op;
  op.space = static_cast<std::uint8_t>(space);
  op.src = address;
  op.run_bytes = op.piece_bytes = op.slot_bytes = 4;
  op.valid_to = 1;
  op.dst = static_cast<std::uint16_t>(dst);
  return op;
}

inline isa::Store store_row(int src, std::uint32_t address = 0) {
  isa::Store op;
  op.dst = address;
  op.piece_bytes = 4;
  op.src = static_cast<std::uint16_t>(src);
  return op;
}

inline isa::Conv conv_row(int act, int acc, int weight = 0) {
  isa::Conv op;
  op.act_row = static_cast<std::uint16_t>(act);
  op.acc_row = static_cast<std::uint16_t>(acc);
  op.weight_row = static_cast<std::uint16_t>(weight);
  return op;
}

inline isa::Drain drain_row(int acc, int dst) {
  isa::Drain op;
  op.src = static_cast<std::uint16_t>(acc);
  op.dst = static_cast<std::uint16_t>(dst);
  return op;
}

inline isa::Map map_row(int src, int dst) {
  isa::Map op;
  op.src = static_cast<std::uint16_t>(src);
  op.dst = static_cast<std::uint16_t>(dst);
  return op;
}

inline isa::Preload preload_row(int src, int acc) {
  isa::Preload op;
  op.src = static_cast<std::uint16_t>(src);
  op.dst = static_cast<std::uint16_t>(acc);
  return op;
}

/// A tiled loop with double buffering: LOAD, CONV, DRAIN and STORE overlap, synchronized by one semaphore for each
/// hand-over in either direction. Semaphores: 0 loaded, 1 activations free, 2 summed, 3 sums free, 4 drained, 5 drained
/// rows free. `omit` leaves out the waits for one semaphore (which is also illegal at END, but that is another check).
inline Program pipeline(int tiles, int omit = -1) {
  Program p;
  const auto wait = [&](auto op, int semaphore) { return semaphore == omit ? op : waiting(op, semaphore); };
  for (int t = 0; t < tiles; ++t) {
    const int half = t % 2;
    const bool reuse = t >= 2;
    auto load = load_row(isa::Space::kScratch, half, 64 * static_cast<std::uint32_t>(t));
    p << signalling(reuse ? wait(load, 1) : load, 0);
    auto conv = wait(conv_row(half, half), 0);
    p << signalling(signalling(reuse ? wait(conv, 3) : conv, 1), 2);
    auto drain = wait(drain_row(half, 10 + half), 2);
    p << signalling(signalling(reuse ? wait(drain, 5) : drain, 3), 4);
    p << signalling(wait(store_row(10 + half, 4096 + 64 * static_cast<std::uint32_t>(t)), 4), 5);
  }
  // Nothing waits for the last signals in the reverse direction.
  isa::SyncLoad last;
  p << waiting(last, 1, std::min(tiles, 2));
  p << waiting(isa::SyncMxu{}, 3, std::min(tiles, 2));
  p << waiting(isa::SyncVpu{}, 5, std::min(tiles, 2));
  p << isa::End{};
  return p;
}

}  // namespace systole::test

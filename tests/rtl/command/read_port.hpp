// SPDX-License-Identifier: Apache-2.0
// The memory behind the fetch port: random latency and stalls, bus errors in a range; checks the rules of requests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "bus_ports.hpp"
#include "command_program.hpp"

namespace systole::test {

struct Timing {
  unsigned latency_low = 1, latency_high = 1;  ///< cycles from an accepted address to its first beat
  unsigned stall_percent = 0;                  ///< chance that the read port does not move in a cycle
  unsigned work_low = 1, work_high = 1;        ///< cycles of a command
  unsigned ready_percent = 100;                ///< chance that an engine takes a command
  unsigned depth = 2;                          ///< commands that an engine holds
};

template <int kDim>
class ReadPort {
 public:
  /// Sets the inputs of a cycle. `bench` has rng, timing, now, memory and the range `bad`.
  template <class Top, class Bench>
  void drive(Top& top, Bench& bench) {
    const auto moves = [&] { return pick(bench.rng, 0, 99) >= bench.timing.stall_percent; };
    top.ar_ready_i = moves();
    top.r_i = !reads_.empty() && reads_.front().ready <= bench.now && moves() ? kAnswer : 0;
    if (!top.r_i) return;
    Read& read = reads_.front();
    std::memcpy(&top.r_data_i, &bench.memory.at(read.address), kDim);
    if (read.address >= bench.bad.first && read.address < bench.bad.second) top.r_i |= kAnswerError;
    read.address += kDim;
    if (--read.beats == 0) reads_.pop_front();
  }

  /// Takes the request of a cycle.
  template <class Top, class Bench>
  void observe(Top& top, Bench& bench) {
    if (!requested(top.ar_o) || !top.ar_ready_i) return;
    const std::uint32_t address = static_cast<std::uint32_t>(top.ar_o);
    const unsigned beats = static_cast<unsigned>(top.ar_o >> 32 & 255) + 1u;
    EXPECT_EQ(address % kDim, 0u);
    EXPECT_EQ(address / 4096, (address + beats * kDim - 1) / 4096) << "a burst crosses 4 KiB";
    bool inside = false;
    for (std::size_t w = 0; w < isa::kWindows; ++w) {
      const std::uint64_t base = bench.window_base[w], size = bench.window_size[w];
      inside |= (bench.window_permission[w] & isa::kPermissionExecute) && address >= base &&
                address + beats * kDim <= base + size;
    }
    EXPECT_TRUE(inside) << "a read outside the windows";
    reads_.push_back(
        {address, beats, bench.now + pick(bench.rng, bench.timing.latency_low, bench.timing.latency_high)});
  }

 private:
  struct Read {
    std::uint32_t address;
    unsigned beats;
    std::uint64_t ready;
  };
  std::deque<Read> reads_;
};

}  // namespace systole::test

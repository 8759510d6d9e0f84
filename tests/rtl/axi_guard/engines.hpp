// SPDX-License-Identifier: Apache-2.0
// The engines of the guard: two readers and a writer with random requests. Each records its outstanding responses, and
// forgets them when the guard resets it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <random>

#include "bus_ports.hpp"
#include "bus_slave.hpp"

namespace systole::test {

constexpr int kLongestWrite = 32;  ///< beats of a burst of STORE

struct BurstRequest {
  std::uint32_t address = 0;
  int beats = 1;
};

/// As a tpu_axi_pkg::request_t.
inline std::uint64_t packed(bool valid, const BurstRequest& request) {
  return request_port(valid, request.address, static_cast<unsigned>(request.beats));
}

template <int kDim>
BurstRequest random_burst(std::mt19937_64& rng, int longest) {
  const std::uint32_t address = static_cast<std::uint32_t>(rng()) / kDim * kDim;
  const int room = static_cast<int>(4096 - address % 4096) / kDim;
  return {address, 1 + static_cast<int>(rng() % std::min(longest, room))};
}

/// FETCH or LOAD: holds a request until it is taken, expects its beats in order.
template <int kDim>
struct Reader {
  bool valid = false;
  BurstRequest request;
  std::deque<std::uint32_t> expected;  // addresses of the beats to come

  void offer(std::mt19937_64& rng, int percent, int longest) {
    if (valid || static_cast<int>(rng() % 100) >= percent || expected.size() > 600) return;
    valid = true;
    request = random_burst<kDim>(rng, longest);
  }
  void taken() {
    for (int i = 0; i < request.beats; ++i) expected.push_back(request.address + static_cast<unsigned>(i * kDim));
    valid = false;
  }
  void answered(const void* data, bool error) {
    ASSERT_FALSE(expected.empty()) << "beat that was not asked for";
    std::array<std::uint8_t, kDim> bytes;
    for (int b = 0; b < kDim; ++b) bytes[b] = memory_byte(expected.front() + b);
    EXPECT_EQ(std::memcmp(data, bytes.data(), kDim), 0);
    EXPECT_EQ(error, faulty(expected.front()));
    expected.pop_front();
  }
};

/// One beat of write data.
template <int kDim>
struct WriteBeat {
  std::array<std::uint8_t, kDim> data{};
  std::uint32_t strobes = 0;
  bool last = false;
};

/// STORE: addresses and data are offered independently; data may come before their address is taken.
template <int kDim>
struct Writer {
  bool aw_valid = false, w_valid = false;
  BurstRequest request;
  std::deque<WriteBeat<kDim>> beats;   // of the bursts begun, not taken yet
  std::deque<std::uint32_t> expected;  // addresses of the responses to come

  void offer(std::mt19937_64& rng, int aw_percent, int w_percent, int longest) {
    if (!aw_valid && static_cast<int>(rng() % 100) < aw_percent && beats.size() < 300) {
      aw_valid = true;
      request = random_burst<kDim>(rng, longest);
      for (int i = 0; i < request.beats; ++i) {
        WriteBeat<kDim> beat;
        for (auto& byte : beat.data) byte = static_cast<std::uint8_t>(rng() >> 32);
        beat.strobes = static_cast<std::uint32_t>(rng()) & static_cast<std::uint32_t>((1ull << kDim) - 1);
        beat.last = i == request.beats - 1;
        beats.push_back(beat);
      }
    }
    if (!w_valid && !beats.empty()) w_valid = static_cast<int>(rng() % 100) < w_percent;
  }
};

}  // namespace systole::test

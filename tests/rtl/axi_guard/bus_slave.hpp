// SPDX-License-Identifier: Apache-2.0
// A bus slave without storage at the far side of the guard: random latency, random stalls, responses of the two read
// identifiers in any order and interleaved beat by beat. The data of a beat depend only on its address.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>

namespace systole::test {

/// Byte `address` of device memory.
inline std::uint8_t memory_byte(std::uint32_t address) {
  return static_cast<std::uint8_t>((address * 0x9e3779b1u ^ address >> 7) >> 21);
}
/// Whether the beat at `address` answers with an error.
inline bool faulty(std::uint32_t address) { return (address * 0x85ebca77u >> 24) % 16 == 0; }

struct SlaveTiming {
  int stall_percent = 30;  ///< chance per cycle and channel
  int latency = 20;        ///< longest random wait of a burst
};

template <int kDim>
class BusSlave {
 public:
  SlaveTiming timing;
  bool frozen_reads = false, frozen_writes = false;

  explicit BusSlave(std::mt19937_64& rng) : rng_(rng) {}

  /// Resets the bus: no responses are outstanding any more.
  void reset() {
    reads_ = {};
    addresses_.clear();
    responses_.clear();
    data_complete_ = 0;
  }

  /// Whether a read of the identifier is outstanding; whether a response may come: the guard counts bursts whose data
  /// are complete.
  bool reading(int id) const { return !reads_[static_cast<std::size_t>(id)].empty(); }
  bool responding() const { return !responses_.empty() || data_complete_ > 0; }

  /// Pins for the coming edge.
  template <class Pins>
  void drive(Pins& p) {
    p.m_axi_arready_i = !frozen_reads && !stall();
    p.m_axi_awready_i = !frozen_writes && !stall();
    p.m_axi_wready_i = !frozen_writes && !stall();
    drive_read(p);
    p.m_axi_bvalid_i = !frozen_writes && !responses_.empty() && responses_.front().due <= now_ && !stall();
    if (p.m_axi_bvalid_i) p.m_axi_bresp_i = faulty(responses_.front().address) ? 2 : 0;
    p.m_axi_bid_i = 0;
  }

  /// Samples the handshakes of the edge; responses are always accepted.
  template <class Pins>
  void sample(const Pins& p) {
    if (p.m_axi_rvalid_i) {
      auto& queue = reads_[p.m_axi_rid_i];
      queue.front().address += kDim;
      if (--queue.front().beats == 0) queue.pop_front();
      ++read_beats;
    }
    if (p.m_axi_bvalid_i) responses_.pop_front();
    if (p.m_axi_arvalid_o && p.m_axi_arready_i) {
      reads_[p.m_axi_arid_o].push_back({p.m_axi_araddr_o, p.m_axi_arlen_o + 1, due()});
    }
    if (p.m_axi_awvalid_o && p.m_axi_awready_i) addresses_.push_back(p.m_axi_awaddr_o);
    if (p.m_axi_wvalid_o && p.m_axi_wready_i) {
      ++write_beats;
      if (p.m_axi_wlast_o) ++data_complete_;
    }
    while (data_complete_ > 0 && !addresses_.empty()) {
      responses_.push_back({addresses_.front(), 0, due()});
      addresses_.pop_front();
      --data_complete_;
    }
    ++now_;
  }

  bool idle() const {
    return reads_[0].empty() && reads_[1].empty() && responses_.empty() && addresses_.empty() && data_complete_ == 0;
  }

  long read_beats = 0, write_beats = 0;

 private:
  struct Burst {
    std::uint32_t address;
    int beats;
    long due;
  };

  bool stall() { return static_cast<int>(rng_() % 100) < timing.stall_percent; }
  long due() { return now_ + (timing.latency ? static_cast<long>(rng_() % timing.latency) : 0); }

  template <class Pins>
  void drive_read(Pins& p) {
    p.m_axi_rvalid_i = 0;
    if (frozen_reads || stall()) return;
    const int first = rng_() & 1;
    for (int i = 0; i < 2 && !p.m_axi_rvalid_i; ++i) {
      const int id = first ^ i;
      if (reads_[id].empty() || reads_[id].front().due > now_) continue;
      const Burst& burst = reads_[id].front();
      std::array<std::uint8_t, kDim> data;
      for (int b = 0; b < kDim; ++b) data[b] = memory_byte(burst.address + b);
      p.m_axi_rvalid_i = 1;
      p.m_axi_rid_i = id;
      p.m_axi_rlast_i = burst.beats == 1;
      p.m_axi_rresp_i = faulty(burst.address) ? 2 : 0;
      std::memcpy(&p.m_axi_rdata_i, data.data(), kDim);
    }
  }

  std::mt19937_64& rng_;
  long now_ = 0;
  std::array<std::deque<Burst>, 2> reads_;  // by identifier; beats still to come
  std::deque<std::uint32_t> addresses_;     // write bursts whose data are not complete
  std::deque<Burst> responses_;
  int data_complete_ = 0;
};

}  // namespace systole::test

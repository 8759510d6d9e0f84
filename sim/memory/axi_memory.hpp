// SPDX-License-Identifier: Apache-2.0
// The device memory as an AXI4 slave in plain C++ without SystemC, stepped once per clock in the same loop as the core.
//
// Timing: a read address taken at edge t has its first beat taken at edge t + read_latency at the earliest; beats of
// all bursts then follow, one per read_interval. The last write beat taken at edge t has its response at edge t +
// write_latency. An address is taken every cycle, a write beat every write_interval; the number of outstanding
// transactions is unlimited. A beat outside the memory answers SLVERR and moves no data. Write data may come ahead of
// their address.
//
// `Pins` as in check::Axi4Checker. In each cycle call drive(), then sample() before the rising edge. Their tests are
// part of the clock loop; what a quiet bus does not need is called.
#pragma once

#include <cstring>
#include <deque>
#include <vector>

#include "response_queue.hpp"
#include "storage.hpp"
#include "systole/memory_timing.hpp"
#include "systole/owed_burst.hpp"

namespace systole::sim {

/// Faults that a test switches on and off while the memory runs.
struct AxiMemoryFaults {
  bool hold_reads = false;      ///< no read beat is answered
  bool hold_responses = false;  ///< no write burst is answered
};

struct AxiMemoryTiming {
  unsigned read_latency = MemoryTiming{}.read_latency;
  unsigned write_latency = MemoryTiming{}.write_latency;
  unsigned read_interval = 1;
  unsigned write_interval = 1;
  unsigned stall_percent = 0;  ///< chance per cycle and channel
  bool random_order = false;   ///< order between identifiers
  std::uint64_t seed = 1;
  const AxiMemoryFaults* faults = nullptr;  ///< must outlive the memory
};

template <int Bytes>
class AxiMemory {
 public:
  AxiMemory(Storage& storage, const AxiMemoryTiming& timing)
      : storage_(storage),
        timing_(timing),
        random_(timing.seed),
        reads_(timing.random_order),
        responses_(timing.random_order) {}

  /// Drives the slave's pins for the coming edge, from registered state only.
  template <class Pins>
  [[gnu::always_inline]] void drive(Pins& p) {
    if (timing_.stall_percent) draw_stalls();
    p.m_axi_arready_i = ar_ready_;
    p.m_axi_awready_i = aw_ready_;
    p.m_axi_wready_i = w_ready_ = now_ >= next_write_ && !w_stall_;
    if (read_beats_ | r_valid_) drive_read(p);
    if (writes_done_ | b_valid_) drive_response(p);
  }

  /// Samples the handshakes of the edge.
  template <class Pins>
  [[gnu::always_inline]] void sample(const Pins& p) {
    if (p.m_axi_arvalid_o | p.m_axi_awvalid_o | p.m_axi_wvalid_o | r_valid_ | b_valid_) sample_valid(p);
    ++now_;
  }

  /// Number of handshakes so far, on all channels.
  std::uint64_t traffic() const { return traffic_; }
  /// True if every request has been answered.
  bool idle() const {
    return !read_beats_ && (!r_valid_ || r_taken_) && writes_.empty() && early_.empty() && !writes_done_ &&
           (!b_valid_ || b_taken_);
  }
  /// Requests taken but not answered; oldest first among reads of one identifier and among writes.
  std::vector<OwedBurst> owed() const {
    std::vector<OwedBurst> bursts;
    reads_.for_each([&](const Read& r) { bursts.push_back({false, r.address, r.beats, r.id}); });
    responses_.for_each([&](const Response& r) { bursts.push_back({true, r.address, r.beats, r.id}); });
    for (const Write& w : writes_) bursts.push_back({true, w.address, w.beats, w.id});
    return bursts;
  }

 private:
  struct Read {
    std::uint64_t ready;
    std::uint64_t address;
    unsigned beats;
    unsigned id;
  };
  struct Write {
    std::uint64_t address;
    unsigned beats;
    unsigned id;
    bool error;
    unsigned length;  ///< beats of the whole burst
  };
  struct Response {
    std::uint64_t ready;
    unsigned id;
    bool error;
    std::uint64_t address;
    unsigned beats;
  };
  struct EarlyBeat {
    unsigned char data[Bytes];
    std::uint32_t strobes;
  };
  static constexpr std::uint32_t kAllStrobes = static_cast<std::uint32_t>((std::uint64_t{1} << Bytes) - 1);
  static constexpr unsigned kOkay = 0, kSlaveError = 2;

  template <class Pins>
  [[gnu::noinline]] void sample_valid(const Pins& p) {
    if (p.m_axi_arvalid_o & ar_ready_) take_read(p.m_axi_araddr_o, p.m_axi_arlen_o + 1u, p.m_axi_arid_o & 1u);
    if (p.m_axi_awvalid_o & aw_ready_) take_write(p.m_axi_awaddr_o, p.m_axi_awlen_o + 1u, p.m_axi_awid_o & 1u);
    if (p.m_axi_wvalid_o & w_ready_) take_data(&p.m_axi_wdata_o, p.m_axi_wstrb_o);
    if (r_valid_ & p.m_axi_rready_o) r_taken_ = true, ++traffic_;
    if (b_valid_ & p.m_axi_bready_o) b_taken_ = true, ++traffic_;
  }

  [[gnu::noinline]] void draw_stalls() {
    const unsigned percent = timing_.stall_percent;
    ar_ready_ = !random_.chance(percent);
    aw_ready_ = !random_.chance(percent);
    w_stall_ = random_.chance(percent);
    r_stall_ = random_.chance(percent);
    b_stall_ = random_.chance(percent);
  }

  void take_read(std::uint64_t address, unsigned beats, unsigned id) {
    ++traffic_;
    reads_.push(id, {now_ + timing_.read_latency, address, beats, id});
    read_beats_ += beats;
  }

  void take_write(std::uint64_t address, unsigned beats, unsigned id) {
    ++traffic_;
    writes_.push_back({address, beats, id, false, beats});
    while (!writes_.empty() && !early_.empty()) {
      write_beat(early_.front().data, early_.front().strobes);
      early_.pop_front();
    }
  }

  void take_data(const void* data, std::uint32_t strobes) {
    ++traffic_;
    next_write_ = now_ + timing_.write_interval;
    if (!writes_.empty()) {
      write_beat(data, strobes);
    } else {
      EarlyBeat& beat = early_.emplace_back();
      std::memcpy(beat.data, data, Bytes);
      beat.strobes = strobes;
    }
  }

  void write_beat(const void* data, std::uint32_t strobes) {
    Write& burst = writes_.front();
    if (!storage_.contains(burst.address, Bytes)) {
      burst.error = true;
    } else if (strobes == kAllStrobes) {
      std::memcpy(storage_.data() + burst.address, data, Bytes);
    } else {
      for (int i = 0; i < Bytes; ++i) {
        if (strobes >> i & 1) storage_.data()[burst.address + i] = static_cast<const std::byte*>(data)[i];
      }
    }
    burst.address += Bytes;
    if (--burst.beats == 0) {
      responses_.push(burst.id, {now_ + timing_.write_latency, burst.id, burst.error,
                                 burst.address - std::uint64_t{burst.length} * Bytes, burst.length});
      writes_.pop_front();
      ++writes_done_;
    }
  }

  template <class Pins>
  [[gnu::noinline]] void drive_read(Pins& p) {
    if (r_valid_ && !r_taken_) return;  // held until taken
    r_valid_ = r_taken_ = false;
    p.m_axi_rvalid_i = 0;
    if (timing_.faults && timing_.faults->hold_reads) return;
    if (!read_beats_ || now_ < next_read_ || r_stall_) return;
    Read* burst = reads_.select(now_, random_);
    if (!burst) return;
    const bool inside = storage_.contains(burst->address, Bytes);
    if (inside) std::memcpy(&p.m_axi_rdata_i, storage_.data() + burst->address, Bytes);
    p.m_axi_rvalid_i = 1;
    p.m_axi_rid_i = burst->id;
    p.m_axi_rresp_i = inside ? kOkay : kSlaveError;
    p.m_axi_rlast_i = burst->beats == 1;
    r_valid_ = true;
    next_read_ = now_ + timing_.read_interval;
    burst->address += Bytes;
    --read_beats_;
    if (--burst->beats == 0) reads_.pop();
  }

  template <class Pins>
  [[gnu::noinline]] void drive_response(Pins& p) {
    if (b_valid_ && !b_taken_) return;
    b_valid_ = b_taken_ = false;
    p.m_axi_bvalid_i = 0;
    if (timing_.faults && timing_.faults->hold_responses) return;
    if (!writes_done_ || b_stall_) return;
    Response* response = responses_.select(now_, random_);
    if (!response) return;
    p.m_axi_bvalid_i = 1;
    p.m_axi_bid_i = response->id;
    p.m_axi_bresp_i = response->error ? kSlaveError : kOkay;
    b_valid_ = true;
    --writes_done_;
    responses_.pop();
  }

  Storage& storage_;
  AxiMemoryTiming timing_;
  Random random_;
  std::uint64_t now_ = 0;  // index of the coming edge
  std::uint64_t traffic_ = 0;
  // The pins as driven, and whether the last edge took them.
  bool ar_ready_ = true, aw_ready_ = true, w_ready_ = false;
  bool r_valid_ = false, r_taken_ = false, b_valid_ = false, b_taken_ = false;
  bool w_stall_ = false, r_stall_ = false, b_stall_ = false;
  std::uint64_t next_read_ = 0, next_write_ = 0;  // earliest edge of the next beat
  std::uint64_t read_beats_ = 0;                  // taken by address, not yet on the bus
  std::uint64_t writes_done_ = 0;                 // write bursts complete, response not yet on the bus
  ResponseQueue<Read> reads_;
  std::deque<Write> writes_;     // addresses whose data are not complete
  std::deque<EarlyBeat> early_;  // data ahead of their address
  ResponseQueue<Response> responses_;
};

}  // namespace systole::sim

// SPDX-License-Identifier: Apache-2.0
// AXI4 protocol checker for the core's memory port: full-width aligned INCR bursts, one identifier bit. It checks both
// sides, the core as master and the memory as slave, from the first edge to the last, also while the core resets itself
// with transactions in flight: only the pin rst_ni clears it.
//
// `Pins` is any type with members named as the ports of tpu_core, sampled before a rising edge: the Verilated root or a
// plain struct in a test. An edge with no valid and no stall costs one test.
#pragma once

#include <array>
#include <cstring>
#include <deque>

#include "stream_checker.hpp"

namespace systole::check {

template <int Bytes>
class Axi4Checker {
 public:
  /// `patience`: maximum cycles from a write address to the last of its data, not counting cycles in which data wait
  /// for ready.
  explicit Axi4Checker(ViolationLog& log, const char* bus = "AXI4", std::uint64_t patience = 4096)
      : log_(&log), bus_(bus), patience_(patience) {}

  template <class Pins>
  [[gnu::always_inline]] void observe(const Pins& p) {
    const bool valids = p.m_axi_arvalid_o | p.m_axi_rvalid_i | p.m_axi_awvalid_o | p.m_axi_wvalid_o | p.m_axi_bvalid_i;
    if (!p.rst_ni) {
      in_reset(p, valids);
    } else {
      reset_edges_ = 0;
      if (valids || stalled_) active(p);
    }
    ++cycle_;
  }

  /// Transactions whose last response has not been seen.
  std::size_t outstanding() const {
    return reads_[0].size() + reads_[1].size() + write_lengths_.size() + early_bursts_.size() + responses_due_[0] +
           responses_due_[1];
  }
  /// Call at the end of a test: reports outstanding transactions.
  void expect_idle() {
    if (outstanding()) fail(Rule::kLeftOver, Channel::kR, outstanding());
  }

 private:
  struct Data {
    std::array<unsigned char, Bytes> data;
    std::uint32_t side;  // strobes, or identifier and response
    bool last;
    bool operator==(const Data& other) const { return data == other.data && side == other.side && last == other.last; }
  };
  struct WriteBurst {
    unsigned id;
    unsigned beats;
    std::uint64_t since;  ///< own_cycles() when the address was accepted
  };
  // The core registers rst_ni, and its state is random before the first edges of reset.
  static constexpr unsigned kResetGrace = 4;
  static constexpr unsigned kBeatSize = Bytes == 4 ? 2 : Bytes == 8 ? 3 : Bytes == 16 ? 4 : 5;
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16 || Bytes == 32);

  /// Cycles, not counting those in which write data waited for ready.
  std::uint64_t own_cycles() const { return cycle_ - write_waits_; }

  void fail(Rule rule, Channel channel, std::uint64_t detail) { log_->add({rule, channel, cycle_, detail, bus_}); }

  template <class Pins>
  [[gnu::noinline]] void in_reset(const Pins& p, bool valids) {
    if (++reset_edges_ > kResetGrace && valids) {
      const Channel channel = p.m_axi_arvalid_o   ? Channel::kAr
                              : p.m_axi_awvalid_o ? Channel::kAw
                              : p.m_axi_wvalid_o  ? Channel::kW
                              : p.m_axi_rvalid_i  ? Channel::kR
                                                  : Channel::kB;
      fail(Rule::kValidInReset, channel, reset_edges_);
    }
    stalled_ = false;
    ar_.reset(), aw_.reset(), w_.reset(), r_.reset(), b_.reset();
    for (auto& queue : reads_) queue.clear();
    write_lengths_.clear();
    early_bursts_.clear();
    write_beat_ = 0;
    read_beat_.fill(0);
    responses_due_.fill(0);
  }

  template <class Pins>
  [[gnu::noinline]] void active(const Pins& p) {
    // Responses first: none may answer a request that is accepted at this same edge.
    observe_read(p);
    observe_response(p);
    observe_read_address(p);
    observe_write_address(p);
    observe_write_data(p);
    stalled_ = ar_.stalled() | aw_.stalled() | w_.stalled() | r_.stalled() | b_.stalled();
  }

  static std::uint64_t pack(std::uint64_t address, unsigned len, unsigned size, unsigned burst, unsigned id) {
    return address | std::uint64_t{len} << 32 | std::uint64_t{size} << 40 | std::uint64_t{burst} << 43 |
           std::uint64_t{id} << 45;
  }

  void check_address(Channel channel, std::uint64_t address, unsigned len, unsigned size, unsigned burst) {
    if (burst != 1) fail(Rule::kBurstType, channel, burst);
    if (size != kBeatSize) fail(Rule::kNarrow, channel, size);
    if (address % Bytes != 0) fail(Rule::kUnaligned, channel, address);
    if (address / 4096 != (address + (len + 1) * Bytes - 1) / 4096) fail(Rule::kBoundary, channel, address);
  }

  template <class Pins>
  void observe_read_address(const Pins& p) {
    const bool valid = p.m_axi_arvalid_o, ready = p.m_axi_arready_i;
    ar_.observe(
        valid, ready,
        [&] { return pack(p.m_axi_araddr_o, p.m_axi_arlen_o, p.m_axi_arsize_o, p.m_axi_arburst_o, p.m_axi_arid_o); },
        [&](Rule rule) { fail(rule, Channel::kAr, p.m_axi_araddr_o); });
    if (!valid || !ready) return;
    check_address(Channel::kAr, p.m_axi_araddr_o, p.m_axi_arlen_o, p.m_axi_arsize_o, p.m_axi_arburst_o);
    reads_[p.m_axi_arid_o & 1].push_back(p.m_axi_arlen_o + 1u);
  }

  template <class Pins>
  void observe_write_address(const Pins& p) {
    const bool valid = p.m_axi_awvalid_o, ready = p.m_axi_awready_i;
    aw_.observe(
        valid, ready,
        [&] { return pack(p.m_axi_awaddr_o, p.m_axi_awlen_o, p.m_axi_awsize_o, p.m_axi_awburst_o, p.m_axi_awid_o); },
        [&](Rule rule) { fail(rule, Channel::kAw, p.m_axi_awaddr_o); });
    if (!valid || !ready) return;
    check_address(Channel::kAw, p.m_axi_awaddr_o, p.m_axi_awlen_o, p.m_axi_awsize_o, p.m_axi_awburst_o);
    const WriteBurst burst{p.m_axi_awid_o & 1u, p.m_axi_awlen_o + 1u, own_cycles()};
    if (!early_bursts_.empty()) {  // the data came ahead of the address
      if (early_bursts_.front() != burst.beats) fail(Rule::kBeatCount, Channel::kW, early_bursts_.front());
      early_bursts_.pop_front();
      ++responses_due_[burst.id];
      return;
    }
    const bool data_ahead = write_lengths_.empty();  // of the current data burst
    if (data_ahead && write_beat_ >= burst.beats) fail(Rule::kLastMissing, Channel::kW, burst.beats);
    write_lengths_.push_back(burst);
  }

  template <class Pins>
  void observe_write_data(const Pins& p) {
    const bool valid = p.m_axi_wvalid_o, ready = p.m_axi_wready_i, last = p.m_axi_wlast_o;
    w_.observe(
        valid, ready, [&] { return copy(p.m_axi_wdata_o, p.m_axi_wstrb_o, last); },
        [&](Rule rule) { fail(rule, Channel::kW, write_beat_); });
    write_waits_ += valid && !ready;
    if (!valid || !ready) return;
    ++write_beat_;
    if (write_lengths_.empty()) {
      if (last) early_bursts_.push_back(write_beat_), write_beat_ = 0;
      return;
    }
    const WriteBurst burst = write_lengths_.front();
    if (last != (write_beat_ == burst.beats))
      fail(last ? Rule::kLastEarly : Rule::kLastMissing, Channel::kW, write_beat_);
    if (last || write_beat_ == burst.beats) {
      if (own_cycles() - burst.since > patience_) fail(Rule::kDataLate, Channel::kW, own_cycles() - burst.since);
      write_lengths_.pop_front();
      ++responses_due_[burst.id];
      write_beat_ = 0;
    }
  }

  template <class Pins>
  void observe_read(const Pins& p) {
    const bool valid = p.m_axi_rvalid_i, ready = p.m_axi_rready_o, last = p.m_axi_rlast_i;
    const unsigned id = p.m_axi_rid_i & 1;
    r_.observe(
        valid, ready, [&] { return copy(p.m_axi_rdata_i, std::uint32_t{p.m_axi_rresp_i} << 1 | id, last); },
        [&](Rule rule) { fail(rule, Channel::kR, id); });
    if (!valid || !ready) return;
    if (p.m_axi_rresp_i == 1) fail(Rule::kResponseCode, Channel::kR, p.m_axi_rresp_i);
    if (reads_[id].empty()) {
      fail(reads_[id ^ 1].empty() ? Rule::kUnexpectedResponse : Rule::kIdMismatch, Channel::kR, id);
      return;
    }
    const unsigned beats = reads_[id].front();
    ++read_beat_[id];
    if (last != (read_beat_[id] == beats))
      fail(last ? Rule::kLastEarly : Rule::kLastMissing, Channel::kR, read_beat_[id]);
    if (last || read_beat_[id] == beats) {
      reads_[id].pop_front();
      read_beat_[id] = 0;
    }
  }

  template <class Pins>
  void observe_response(const Pins& p) {
    const bool valid = p.m_axi_bvalid_i, ready = p.m_axi_bready_o;
    const unsigned id = p.m_axi_bid_i & 1;
    b_.observe(
        valid, ready, [&] { return std::uint32_t{p.m_axi_bresp_i} << 1 | id; },
        [&](Rule rule) { fail(rule, Channel::kB, id); });
    if (!valid || !ready) return;
    if (p.m_axi_bresp_i == 1) fail(Rule::kResponseCode, Channel::kB, p.m_axi_bresp_i);
    if (responses_due_[id] == 0) {
      fail(responses_due_[id ^ 1] ? Rule::kIdMismatch : Rule::kUnexpectedResponse, Channel::kB, id);
      return;
    }
    --responses_due_[id];
  }

  template <class Wide>
  static Data copy(const Wide& wide, std::uint32_t side, bool last) {
    static_assert(sizeof(Wide) == Bytes);
    Data data;
    std::memcpy(data.data.data(), &wide, Bytes);
    data.side = side;
    data.last = last;
    return data;
  }

  ViolationLog* log_;
  const char* bus_;
  std::uint64_t patience_;
  std::uint64_t cycle_ = 0, write_waits_ = 0;
  unsigned reset_edges_ = 0;
  bool stalled_ = false;  // a channel has valid without ready
  ChannelHold<std::uint64_t> ar_, aw_;
  ChannelHold<Data> w_, r_;
  ChannelHold<std::uint32_t> b_;
  std::array<std::deque<unsigned>, 2> reads_;     // beats of each outstanding read, by identifier
  std::array<unsigned, 2> read_beat_{};           // beats seen of the front read
  std::deque<WriteBurst> write_lengths_;          // addresses accepted, data not complete
  std::deque<unsigned> early_bursts_;             // lengths of complete data bursts whose address has not come
  unsigned write_beat_ = 0;                       // beats seen of the current write burst
  std::array<std::uint64_t, 2> responses_due_{};  // writes complete but not answered, by identifier
};

}  // namespace systole::check

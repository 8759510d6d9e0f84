// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite protocol checker for the core's register port; checks both sides, like Axi4Checker.
#pragma once

#include "stream_checker.hpp"

namespace systole::check {

class AxiLiteChecker {
 public:
  explicit AxiLiteChecker(ViolationLog& log, const char* bus = "AXI4-Lite") : log_(&log), bus_(bus) {}

  template <class Pins>
  [[gnu::always_inline]] void observe(const Pins& p) {
    const bool valids =
        p.s_axil_awvalid_i | p.s_axil_wvalid_i | p.s_axil_bvalid_o | p.s_axil_arvalid_i | p.s_axil_rvalid_o;
    if (!p.rst_ni) {
      in_reset(p, valids);
    } else {
      reset_edges_ = 0;
      if (valids || stalled_) active(p);
    }
    ++cycle_;
  }

  /// Accesses not answered yet.
  unsigned outstanding() const { return reads_ + (addresses_ > data_ ? addresses_ : data_); }
  void expect_idle() {
    if (outstanding()) fail(Rule::kLeftOver, Channel::kR, outstanding());
  }

 private:
  static constexpr unsigned kResetGrace = 4;  // as in Axi4Checker

  void fail(Rule rule, Channel channel, std::uint64_t detail) { log_->add({rule, channel, cycle_, detail, bus_}); }

  template <class Pins>
  [[gnu::noinline]] void in_reset(const Pins& p, bool valids) {
    if (++reset_edges_ > kResetGrace && valids) {
      const Channel channel = p.s_axil_rvalid_o    ? Channel::kR
                              : p.s_axil_bvalid_o  ? Channel::kB
                              : p.s_axil_arvalid_i ? Channel::kAr
                              : p.s_axil_awvalid_i ? Channel::kAw
                                                   : Channel::kW;
      fail(Rule::kValidInReset, channel, reset_edges_);
    }
    stalled_ = false;
    aw_.reset(), w_.reset(), b_.reset(), ar_.reset(), r_.reset();
    addresses_ = data_ = reads_ = 0;
  }

  template <class Pins>
  [[gnu::noinline]] void active(const Pins& p) {
    observe_responses(p);
    observe_requests(p);
    stalled_ = aw_.stalled() | w_.stalled() | b_.stalled() | ar_.stalled() | r_.stalled();
  }

  template <class Pins>
  void observe_responses(const Pins& p) {
    b_.observe(
        p.s_axil_bvalid_o, p.s_axil_bready_i, [&] { return std::uint32_t{p.s_axil_bresp_o}; },
        [&](Rule rule) { fail(rule, Channel::kB, 0); });
    if (p.s_axil_bvalid_o && p.s_axil_bready_i) {
      if (p.s_axil_bresp_o == 1) fail(Rule::kResponseCode, Channel::kB, p.s_axil_bresp_o);
      if (addresses_ == 0 || data_ == 0) {
        fail(Rule::kUnexpectedResponse, Channel::kB, 0);
      } else {
        --addresses_, --data_;
      }
    }
    r_.observe(
        p.s_axil_rvalid_o, p.s_axil_rready_i, [&] { return std::uint64_t{p.s_axil_rresp_o} << 32 | p.s_axil_rdata_o; },
        [&](Rule rule) { fail(rule, Channel::kR, 0); });
    if (p.s_axil_rvalid_o && p.s_axil_rready_i) {
      if (p.s_axil_rresp_o == 1) fail(Rule::kResponseCode, Channel::kR, p.s_axil_rresp_o);
      if (reads_ == 0) {
        fail(Rule::kUnexpectedResponse, Channel::kR, 0);
      } else {
        --reads_;
      }
    }
  }

  template <class Pins>
  void observe_requests(const Pins& p) {
    aw_.observe(
        p.s_axil_awvalid_i, p.s_axil_awready_o, [&] { return std::uint32_t{p.s_axil_awaddr_i}; },
        [&](Rule rule) { fail(rule, Channel::kAw, p.s_axil_awaddr_i); });
    if (p.s_axil_awvalid_i && p.s_axil_awready_o) {
      if (p.s_axil_awaddr_i % 4 != 0) fail(Rule::kUnaligned, Channel::kAw, p.s_axil_awaddr_i);
      ++addresses_;
    }
    w_.observe(
        p.s_axil_wvalid_i, p.s_axil_wready_o, [&] { return std::uint64_t{p.s_axil_wstrb_i} << 32 | p.s_axil_wdata_i; },
        [&](Rule rule) { fail(rule, Channel::kW, 0); });
    if (p.s_axil_wvalid_i && p.s_axil_wready_o) ++data_;
    ar_.observe(
        p.s_axil_arvalid_i, p.s_axil_arready_o, [&] { return std::uint32_t{p.s_axil_araddr_i}; },
        [&](Rule rule) { fail(rule, Channel::kAr, p.s_axil_araddr_i); });
    if (p.s_axil_arvalid_i && p.s_axil_arready_o) {
      if (p.s_axil_araddr_i % 4 != 0) fail(Rule::kUnaligned, Channel::kAr, p.s_axil_araddr_i);
      ++reads_;
    }
  }

  ViolationLog* log_;
  const char* bus_;
  std::uint64_t cycle_ = 0;
  unsigned reset_edges_ = 0;
  bool stalled_ = false;
  ChannelHold<std::uint32_t> aw_, ar_, b_;
  ChannelHold<std::uint64_t> w_, r_;
  unsigned addresses_ = 0, data_ = 0;  // write addresses and write data accepted, not answered
  unsigned reads_ = 0;                 // read addresses accepted, not answered
};

}  // namespace systole::check

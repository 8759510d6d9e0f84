// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite master of the register bus, stepped in the core's clock loop while an access is in flight.
#pragma once

#include "core_model.hpp"
#include "random.hpp"

namespace systole::sim {

class LiteMaster {
 public:
  LiteMaster(unsigned stall_percent, std::uint64_t seed) : stall_percent_(stall_percent), random_(seed) {}

  void start(const RegisterAccess& access) {
    access_ = access;
    address_ = true;
    data_ = access.write;
    pending_ = driving_ = true;
    address_shown_ = data_shown_ = false;
  }
  bool pending() const { return pending_; }
  /// Whether drive() and sample() must be called: from start() until the pins are idle again.
  bool driving() const { return driving_; }
  RegisterAnswer answer() const { return answer_; }

  template <class Pins>
  void drive(Pins& p) {
    // A valid signal stays high until its handshake. Raising valid and ready is delayed at random.
    address_shown_ = address_ && (address_shown_ || !stall());
    data_shown_ = data_ && (data_shown_ || !stall());
    p.s_axil_awvalid_i = address_shown_ && access_.write;
    p.s_axil_arvalid_i = address_shown_ && !access_.write;
    p.s_axil_wvalid_i = data_shown_;
    p.s_axil_awaddr_i = access_.offset;
    p.s_axil_araddr_i = access_.offset;
    p.s_axil_wdata_i = access_.value;
    p.s_axil_wstrb_i = 0xF;
    p.s_axil_bready_i = pending_ && access_.write && !stall();
    p.s_axil_rready_i = pending_ && !access_.write && !stall();
    driving_ = pending_;
  }

  template <class Pins>
  void sample(const Pins& p) {
    if ((p.s_axil_awvalid_i && p.s_axil_awready_o) || (p.s_axil_arvalid_i && p.s_axil_arready_o)) address_ = false;
    if (p.s_axil_wvalid_i && p.s_axil_wready_o) data_ = false;
    if (p.s_axil_bvalid_o && p.s_axil_bready_i) finish({0, p.s_axil_bresp_o});
    if (p.s_axil_rvalid_o && p.s_axil_rready_i) finish({p.s_axil_rdata_o, p.s_axil_rresp_o});
  }

 private:
  bool stall() { return stall_percent_ && random_.chance(stall_percent_); }
  void finish(const RegisterAnswer& answer) {
    answer_ = answer;
    pending_ = false;
    driving_ = true;  // once more, to lower ready
  }

  unsigned stall_percent_;
  Random random_;
  RegisterAccess access_{};
  RegisterAnswer answer_{};
  bool address_ = false, data_ = false;              // not transferred yet
  bool address_shown_ = false, data_shown_ = false;  // driven on the pins
  bool pending_ = false, driving_ = false;
};

}  // namespace systole::sim

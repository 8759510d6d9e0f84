// SPDX-License-Identifier: Apache-2.0
// The registers between an AXI4-Lite master with random pauses and the signals of the core, which the test drives.
// Their clock runs in cycles with event_o or the valid of a pin only; that of the counters always.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>

#include "block_model.hpp"
#include "engine_report.hpp"
#include "plain_pins.hpp"
#include "systole/generated/isa.hpp"
#include "systole/generated/registers.hpp"

namespace systole::test {

enum class Answer { kOkay = 0, kSlaveError = 2 };

template <class Model>
class Bench {
 public:
  explicit Bench(std::uint64_t seed) : rng(seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
    top = std::make_unique<BlockModel<Model>>(&context);
    auto& t = *top;
    t.resetting_i = t.bus_fault_i = t.read_beat_i = t.write_beat_i = t.padded_vector_i = t.end_i = 0;
    t.error_i[2] = 0;
    t.test_en_i = 0;
    t.clearing_i = t.nonfinite_i = 0;
    t.engine_busy_i = t.engine_waiting_i = t.waiting_semaphores_i = t.head_i = t.commands_i = 0;
    for (int e = 0; e < 4; ++e) cause(e, isa::Cause::kIdle);
    t.rst_ni = t.core_rst_ni = 0;
    for (int i = 0; i < 3; ++i) tick();
    t.rst_ni = 1;
    tick();
    t.core_rst_ni = 1;
    tick();
    doorbells = 0;  // before reset registers hold anything
    program = false;
  }
  ~Bench() { top->final(); }

  void cause(int e, isa::Cause value) {
    const std::uint64_t mask = std::uint64_t{0x7ff} << (11 * e);
    top->cause_i = (top->cause_i & ~mask) | std::uint64_t{1} << (11 * e + static_cast<int>(value));
  }

  /// One clock cycle. Busy follows the doorbell as the command processor has it.
  void tick() {
    auto& t = *top;
    t.clk_i = t.count_clk_i = 0;
    eval();
    if (before_edge) before_edge();
    if (t.doorbell_o) ++doorbells;
    t.busy_i = t.doorbell_o || program;
    eval();
    t.clk_i = !t.rst_ni || t.event_o || pins.s_axil_awvalid_i || pins.s_axil_wvalid_i || pins.s_axil_arvalid_i;
    t.count_clk_i = 1;
    rested += !t.clk_i;
    eval();
    program = (program || t.busy_i) && !end_valid() && t.core_rst_ni;
    t.clk_i = t.count_clk_i = 0;
    ++now;
  }

  /// A write whose address and data come in any order, and whose answer is taken at any time.
  Answer write(std::uint32_t offset, std::uint32_t value, unsigned strobes = 15) {
    unsigned address_wait = pause(), data_wait = pause(), answer_wait = pause();
    bool address_done = false, data_done = false;
    pins.s_axil_awaddr_i = static_cast<std::uint16_t>(offset);
    pins.s_axil_wdata_i = value;
    pins.s_axil_wstrb_i = static_cast<std::uint8_t>(strobes);
    for (int i = 0; i < 100; ++i) {
      pins.s_axil_awvalid_i = !address_done && address_wait == 0;
      pins.s_axil_wvalid_i = !data_done && data_wait == 0;
      pins.s_axil_bready_i = answer_wait == 0;
      eval();
      const bool address = pins.s_axil_awvalid_i && pins.s_axil_awready_o,
                 data = pins.s_axil_wvalid_i && pins.s_axil_wready_o;
      const bool answer = pins.s_axil_bvalid_o && pins.s_axil_bready_i;
      EXPECT_FALSE(pins.s_axil_bvalid_o && !(address_done && data_done)) << "an answer before its request";
      const auto code = static_cast<Answer>(pins.s_axil_bresp_o);
      if (address || data) handshake = now;
      tick();
      address_done |= address;
      data_done |= data;
      for (unsigned* wait : {&address_wait, &data_wait, &answer_wait}) *wait -= *wait > 0;
      if (answer) {
        pins.s_axil_awvalid_i = pins.s_axil_wvalid_i = pins.s_axil_bready_i = 0;
        return code;
      }
    }
    ADD_FAILURE() << fmt::format("write of {:#x} has no answer", offset);
    return Answer::kSlaveError;
  }

  std::uint32_t read(std::uint32_t offset, Answer expected = Answer::kOkay) {
    unsigned address_wait = pause(), answer_wait = pause();
    bool address_done = false, answered = false;
    pins.s_axil_araddr_i = static_cast<std::uint16_t>(offset);
    // A counter waits until its engine keeps a cause for two cycles, or comes back to one.
    for (int i = 0; i < 2000; ++i) {
      pins.s_axil_arvalid_i = !address_done && address_wait == 0;
      pins.s_axil_rready_i = answer_wait == 0;
      eval();
      const bool address = pins.s_axil_arvalid_i && pins.s_axil_arready_o;
      const bool answer = pins.s_axil_rvalid_o && pins.s_axil_rready_i;
      const std::uint32_t value = pins.s_axil_rdata_o;
      const auto code = static_cast<Answer>(pins.s_axil_rresp_o);
      // A read is answered three cycles after its address, or later: the cycle of an address that did not wait.
      if (address) answered = false;
      if (pins.s_axil_rvalid_o && !answered) {
        answered = true;
        read_handshake = now - 3;
      }
      tick();
      address_done |= address;
      for (unsigned* wait : {&address_wait, &answer_wait}) *wait -= *wait > 0;
      if (answer) {
        pins.s_axil_arvalid_i = pins.s_axil_rready_i = 0;
        EXPECT_EQ(code, expected) << fmt::format("read of {:#x}", offset);
        return value;
      }
    }
    ADD_FAILURE() << fmt::format("read of {:#x} has no answer", offset);
    return 0;
  }

  void end_program(std::uint32_t tag, bool clear = false) {
    end(true, clear, tag);
    tick();
    top->end_i = 0;
  }
  void raise(isa::Engine engine, isa::ErrorCode code, std::uint32_t index, std::uint32_t address, unsigned number) {
    auto& t = *top;
    t.error_i[0] = address;
    t.error_i[1] = index;
    t.error_i[2] = 1u << 14 | number << 11 | static_cast<unsigned>(engine) << 8 | static_cast<unsigned>(code);
    tick();
    t.error_i[2] = 0;
  }

  void end(bool valid, bool clear = false, std::uint32_t tag = 0) {
    top->end_i = std::uint64_t{valid} << 33 | std::uint64_t{clear} << 32 | tag;
  }
  void bus_fault(isa::ErrorCode code, std::uint32_t address) {
    top->bus_fault_i = packed(FaultPort{true, static_cast<unsigned>(code), address});
  }

  std::mt19937_64 rng;
  VerilatedContext context;
  std::unique_ptr<BlockModel<Model>> top;
  check::PlainPins<4> pins;           ///< AXI4-Lite
  std::function<void()> before_edge;  ///< called in each cycle before its clock edge
  bool hurry = false;                 ///< no pauses
  bool program = false;
  unsigned doorbells = 0;
  std::uint64_t rested = 0;              ///< cycles without a clock
  std::uint64_t now = 0, handshake = 0;  ///< cycle, and that of the last write's last handshake
  std::uint64_t read_handshake = 0;      ///< of the last read's address

 private:
  bool end_valid() const { return top->end_i >> 33 & 1; }

  /// The model with its AXI4-Lite port taken apart.
  void eval() {
    const auto bit = [](std::uint8_t value, unsigned place) { return std::uint32_t{value} << place; };
    top->s_axil_i[0] = pins.s_axil_wdata_i;
    top->s_axil_i[1] = pins.s_axil_wstrb_i | std::uint32_t{pins.s_axil_araddr_i} << 4 |
                       std::uint32_t{pins.s_axil_awaddr_i} << 16 | bit(pins.s_axil_rready_i, 28) |
                       bit(pins.s_axil_arvalid_i, 29) | bit(pins.s_axil_bready_i, 30) | bit(pins.s_axil_wvalid_i, 31);
    top->s_axil_i[2] = pins.s_axil_awvalid_i;
    top->eval();
    const std::uint64_t out = top->s_axil_o;
    pins.s_axil_rdata_o = static_cast<std::uint32_t>(out);
    pins.s_axil_rresp_o = out >> 32 & 3;
    pins.s_axil_rvalid_o = out >> 34 & 1;
    pins.s_axil_arready_o = out >> 35 & 1;
    pins.s_axil_bresp_o = out >> 36 & 3;
    pins.s_axil_bvalid_o = out >> 38 & 1;
    pins.s_axil_wready_o = out >> 39 & 1;
    pins.s_axil_awready_o = out >> 40 & 1;
  }

  unsigned pause() { return hurry || rng() % 2 ? 0 : static_cast<unsigned>(rng() % 6); }
};

}  // namespace systole::test

// SPDX-License-Identifier: Apache-2.0
// A second command processor with the same inputs, whose clock runs only in cycles with event_o, as with a clock gate
// without grace cycles. Its outputs must never differ from those of the instance whose clock always runs.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <cstring>

namespace systole::test {

template <class Model>
class GatedTwin {
 public:
  /// `context` is that of the other instance, already made: seeding it again gives registers without reset the same
  /// initial values.
  explicit GatedTwin(VerilatedContext& context) : top_((context.randSeed(context.randSeed()), &context), "twin") {}
  ~GatedTwin() { top_.final(); }

  /// The ring registers or windows were written: the write runs the clock for two more cycles.
  void configured() { configured_ = 2; }

  /// Compares the outputs of a cycle, all inputs being set.
  void compare(Model& other, std::uint64_t cycle) {
    copy_inputs(other);
    each_output(top_, other, [&](const char* name, const auto& gated, const auto& running) {
      EXPECT_EQ(std::memcmp(&gated, &running, sizeof gated), 0)
          << name << " differs where the clock is gated, in cycle " << cycle;
    });
  }
  /// Whether the clock rests in this cycle.
  bool rests() const { return top_.rst_ni && !top_.event_o && configured_ == 0; }

  /// The edge that ends the cycle.
  void edge(Model& other) {
    copy_inputs(other);
    if (rests()) return;
    configured_ -= configured_ > 0;
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
  }

 private:
  void copy_inputs(Model& other) {
    each_input(top_, other, [](auto& to, const auto& from) { std::memcpy(&to, &from, sizeof to); });
    top_.eval();
  }

  template <class F>
  static void each_input(Model& a, Model& b, F f) {
    f(a.rst_ni, b.rst_ni), f(a.halt_i, b.halt_i), f(a.clearing_i, b.clearing_i);
    f(a.doorbell_i, b.doorbell_i), f(a.tail_i, b.tail_i);
    f(a.ring_i, b.ring_i), f(a.windows_i, b.windows_i);
    f(a.ar_ready_i, b.ar_ready_i), f(a.r_i, b.r_i), f(a.r_data_i, b.r_data_i);
    f(a.cmd_ready_i, b.cmd_ready_i), f(a.report_i, b.report_i);
  }

  template <class F>
  static void each_output(Model& a, Model& b, F f) {
    f("ar_o", a.ar_o, b.ar_o);
    f("cmd_valid_o", a.cmd_valid_o, b.cmd_valid_o);
    // Without a command in flight or at the output of the queue, these are what a RAM shows before its first read.
    for (unsigned e = 0; e < 4; ++e) {
      if (b.engine_level_o >> (16 * e) & 0xff) f("oldest_index_o", a.oldest_index_o[e], b.oldest_index_o[e]);
      if (b.cmd_valid_o >> e & 1) {
        for (unsigned w = 16 * e; w < 16 * (e + 1); ++w) f("cmd_instr_o", a.cmd_instr_o[w], b.cmd_instr_o[w]);
      }
    }
    f("cause_o", a.cause_o, b.cause_o), f("retire_valid_o", a.retire_valid_o, b.retire_valid_o);
    f("retire_index_o", a.retire_index_o, b.retire_index_o), f("event_o", a.event_o, b.event_o),
        f("busy_o", a.busy_o, b.busy_o);
    f("engine_busy_o", a.engine_busy_o, b.engine_busy_o), f("engine_active_o", a.engine_active_o, b.engine_active_o);
    f("engine_waiting_o", a.engine_waiting_o, b.engine_waiting_o);
    f("waiting_semaphores_o", a.waiting_semaphores_o, b.waiting_semaphores_o);
    f("engine_level_o", a.engine_level_o, b.engine_level_o);
    f("semaphore_o", a.semaphore_o, b.semaphore_o), f("head_o", a.head_o, b.head_o),
        f("commands_o", a.commands_o, b.commands_o);
    f("clear_o", a.clear_o, b.clear_o), f("end_o", a.end_o, b.end_o);
    f("error_o", a.error_o, b.error_o);
  }

  Model top_;
  int configured_ = 0;  ///< cycles for which the clock runs after a write
};

}  // namespace systole::test

// SPDX-License-Identifier: Apache-2.0
// The command processor between a memory that holds programs and four engines that only take time. Checks in each
// cycle: order per engine, waits against a shadow of the semaphores, retirement, levels, causes. A second instance has
// a clock that runs only when event_o requests it, without grace cycles; it must have the same outputs in every cycle.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "../loop_nest/pins.hpp"
#include "../window_check/windows_port.hpp"
#include "block_model.hpp"
#include "command_program.hpp"
#include "engine_report.hpp"
#include "gated_twin.hpp"
#include "read_port.hpp"

namespace systole::test {

struct ErrorEvent {
  unsigned engine, code;
  std::uint32_t index, address;
  unsigned number;
};

template <class Model, int kDim>
class Bench {
 public:
  static constexpr int kDimension = kDim;
  static constexpr std::uint32_t kMemory = 1u << 20;
  struct Fault {
    unsigned code;
    std::uint32_t address;
  };

  Bench(std::uint64_t seed, const Timing& timing) : rng(seed), timing(timing), memory(kMemory, 0xff) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
    top = std::make_unique<BlockModel<Model>>(&context);
    twin = std::make_unique<GatedTwin<Model>>(context);
    reset();
  }
  ~Bench() { top->final(); }

  void reset() {
    top->halt_i = top->doorbell_i = top->tail_i = top->r_i = top->ar_ready_i = top->clearing_i = 0;
    port = {};
    dispatched.clear();
    for (auto& engine : engines) engine = {};
    shadow.fill(0);
    index = head = tail = 0;
    ends = clears = 0;
    signalling_.clear();
    clearing = clearing_left_ = 0;
    error.reset();
    errors = 0;
    for (int e = 0; e < 4; ++e) drive_engine(e);
    top->rst_ni = 0;
    for (int i = 0; i < 3; ++i) edge();
    top->rst_ni = 1;
  }

  void window(int w, std::uint32_t base, std::uint32_t size, unsigned permission) {
    const auto index = static_cast<std::size_t>(w);
    window_base[index] = base, window_size[index] = size, window_permission[index] = permission;
    set_windows(top->windows_i, window_base, window_size, window_permission);
    configured();
  }
  void ring(std::uint32_t offset, unsigned log2, unsigned in_window) {
    ring_base = offset, ring_log2 = log2, ring_window = in_window;
    top->ring_i = std::uint64_t{in_window} << 31 | std::uint64_t{log2} << 26 | offset >> 6;
    configured();
  }
  void write(int w, std::uint32_t offset, const Instruction& instruction) {
    std::memcpy(&memory.at(window_base[static_cast<std::size_t>(w)] + offset), instruction.words.data(), 64);
  }
  std::uint32_t slot(std::uint32_t entry) const { return ring_base + (entry & ((1u << ring_log2) - 1)) * 64; }
  /// Puts an instruction into the ring and expects it (unless told not to); rings the bell with ring_bell().
  void put(const Instruction& instruction, bool expect = true) {
    write(static_cast<int>(ring_window), slot(tail++), instruction);
    if (expect) dispatched.push_back(instruction);
  }
  void ring_bell() {
    // A write of a register and one of the tail are further apart than this.
    for (; settling_ > 0; --settling_) edge();
    top->tail_i = tail;
    top->doorbell_i = 1;
  }

  void edge() {
    if (!expect_assertion) twin->edge(*top);
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
    top->clk_i = 0;
  }
  /// One clock cycle.
  void tick() {
    port.drive(*top, *this);
    for (int e = 0; e < 4; ++e) drive_engine(e);
    top->clearing_i = clearing_left_ > 0;
    top->eval();
    observe();
    if (!expect_assertion) {
      twin->compare(*top, now);
      rested += twin->rests();
    }
    edge();
    top->doorbell_i = 0;
    ++now;
  }
  /// Ticks until `done` holds; fails after `limit` cycles.
  template <class Done>
  void run_until(Done done, unsigned limit = 100000) {
    for (unsigned i = 0; i < limit && !::testing::Test::HasFatalFailure(); ++i) {
      if (done()) return;
      tick();
    }
    FAIL() << fmt::format(
        "nothing after {} cycles: head {}, tail {}, commands {}, busy engines {:#x}, waiting {:#x} for {:#x}", limit,
        top->head_o, tail, top->commands_o, top->engine_busy_o, top->engine_waiting_o, top->waiting_semaphores_o);
  }

  /// Puts the whole program through the ring as room allows, a few entries at a time, and waits for its ENDs.
  void run(const Program& program) {
    for (const auto& block : program.blocks) {
      for (std::size_t i = 0; i < block.instructions.size(); ++i) {
        write(1, block.offset + static_cast<std::uint32_t>(64 * i), block.instructions[i]);
      }
    }
    dispatched.insert(dispatched.end(), program.dispatched.begin(), program.dispatched.end());
    std::size_t next = 0, wanted = ends;
    for (const auto& i : program.dispatched) wanted += opcode(i) == isa::Opcode::kEnd;
    const std::uint32_t size = 1u << ring_log2;
    std::uint32_t wiped = tail;
    run_until(
        [&] {
          // Entries that the head has passed are free: overwrites them.
          while (wiped != top->head_o) std::memset(&memory[window_base[ring_window] + slot(wiped++)], 0xff, 64);
          if (next < program.ring.size() && tail - top->head_o < size && rng() % 40 == 0) {
            const unsigned room = size - (tail - top->head_o);
            for (unsigned n = pick(rng, 1, room); n > 0 && next < program.ring.size(); --n)
              put(program.ring[next++], false);
            ring_bell();
          }
          return ends == wanted;
        },
        400000);
    tick();
    EXPECT_EQ(next, program.ring.size());
    EXPECT_EQ(top->head_o, tail);
    EXPECT_EQ(top->commands_o, dispatched.size());
    EXPECT_FALSE(top->busy_o);
    EXPECT_EQ(top->engine_busy_o, 0);
  }

  /// Clears memories for some cycles, as after a reset.
  void start_clearing(unsigned cycles) { clearing_left_ = cycles; }

  /// The cycle numbers of engine e's commands as they were accepted.
  const std::vector<std::uint64_t>& accepted(int e) const { return engines[e].accepted; }
  std::size_t held(int e) const { return engines[e].work.size(); }

  Rng rng;
  WindowValues window_base{}, window_size{}, window_permission{};
  std::uint32_t ring_base = 0;
  unsigned ring_log2 = 0, ring_window = 0;
  Timing timing;
  VerilatedContext context;
  std::unique_ptr<BlockModel<Model>> top;
  std::unique_ptr<GatedTwin<Model>> twin;
  std::vector<std::uint8_t> memory;
  std::vector<Instruction> dispatched;                ///< expected, in order; position is the command's index
  std::map<std::uint32_t, Fault> faults;              ///< commands that fault instead of retiring
  std::array<bool, 4> blocked{};                      ///< engines that accept nothing
  std::pair<std::uint32_t, std::uint32_t> bad{0, 0};  ///< device addresses where reads fail, from and to
  std::uint64_t now = 0;
  std::size_t ends = 0;
  std::size_t clears = 0;      ///< ENDs that asked for cleared memories
  std::uint64_t clearing = 0;  ///< cycles in which memories were being cleared
  std::uint32_t tag = 0, tail = 0, head = 0, index = 0;
  std::optional<ErrorEvent> error;  ///< first
  unsigned errors = 0;
  std::array<std::uint64_t, 4> idle_cycles{};  ///< with cause IDLE while a program runs
  bool expect_assertion = false;
  std::uint64_t rested = 0;  ///< cycles in which the second instance had no clock

 private:
  struct Work {
    std::uint32_t index;
    std::uint64_t done;
  };
  struct Engine {
    std::deque<Work> work;
    std::vector<std::uint64_t> accepted;
    std::size_t next = 0;               ///< position in `dispatched` after the last command accepted or SYNC observed
    std::deque<std::uint32_t> retired;  ///< and not committed
    bool faulted = false;
  };

  void drive_engine(int e) {
    Engine& engine = engines[e];
    ReportPort report;
    if (!engine.work.empty() && engine.work.front().done <= now && !engine.faulted) {
      const auto found = faults.find(engine.work.front().index);
      if (found != faults.end()) {
        engine.faulted = true;
        report.fault = {true, found->second.code, found->second.address};
      } else {
        report.retire = true;
      }
    }
    report.cause = 1u << static_cast<int>(engine.work.empty() ? isa::Cause::kIdle : isa::Cause::kWorking);
    set_bits(top->report_i, kReportBits * e, 32, static_cast<std::uint32_t>(packed(report)));
    set_bits(top->report_i, kReportBits * e + 32, kReportBits - 32, static_cast<std::uint32_t>(packed(report) >> 32));
    set_bits(
        top->cmd_ready_i, e, 1,
        !engine.faulted && !blocked[e] && engine.work.size() < timing.depth && pick(rng, 0, 99) < timing.ready_percent);
  }

  void take_waits(const Instruction& instruction, int e) {
    const auto sem = isa::decode_semaphores(instruction);
    for (auto [s, n] : {std::pair{sem.wait0_sem, sem.wait0_amount}, std::pair{sem.wait1_sem, sem.wait1_amount}}) {
      EXPECT_GE(shadow[s], n) << "engine " << e << " passed a wait for semaphore " << int{s} << " too early in cycle "
                              << now;
      shadow[s] -= n;
    }
  }
  void give_signals(const Instruction& instruction) {
    const auto sem = isa::decode_semaphores(instruction);
    shadow[sem.signal0_sem] += sem.signal0_amount;
    shadow[sem.signal1_sem] += sem.signal1_amount;
  }
  /// Index of engine e's next instruction that has not been issued.
  std::size_t next_of(int e) {
    std::size_t i = engines[e].next;
    while (i < dispatched.size() && engine_of(dispatched[i]) != e) ++i;
    return i;
  }

  bool end_valid() const { return top->end_o >> 33; }

  void observe() {
    auto& t = *top;
    // What signals from this cycle on retired in the one before.
    for (const std::uint32_t number : signalling_) give_signals(dispatched.at(number));
    signalling_.clear();
    for (int e = 0; e < 4; ++e) observe_commits(e);
    for (int e = 0; e < 4; ++e) observe_engine(e);

    port.observe(t, *this);
    if (closing_ && !t.doorbell_i) {
      EXPECT_EQ(*closing_, !t.busy_o) << "IDLE is for the last END alone; cycle " << now;
    }
    closing_.reset();
    observe_clearing();
    if (end_valid()) {
      closing_ = ending();
      for (int e = 0; e < 4; ++e) EXPECT_TRUE(engines[e].work.empty()) << "END before engine " << e << " has committed";
      ASSERT_LT(t.commands_o, dispatched.size());
      const Instruction& instruction = dispatched[t.commands_o];
      EXPECT_EQ(opcode(instruction), isa::Opcode::kEnd);
      EXPECT_EQ(static_cast<std::uint32_t>(t.end_o), isa::End::decode(instruction).tag);
      EXPECT_EQ(t.end_o >> 32 & 1, isa::End::decode(instruction).clear);
      EXPECT_EQ(asked_, isa::End::decode(instruction).clear != 0) << "END in cycle " << now;
      asked_ = false;
      for (auto count : shadow) EXPECT_EQ(count, 0u);
      tag = static_cast<std::uint32_t>(t.end_o);
      ++ends;
    }
    if (t.error_o[2] >> 14) {
      const auto& word = t.error_o;  // address, index; code, engine and number
      if (!error) error = ErrorEvent{word[2] >> 8 & 7, word[2] & 255, word[1], word[0], word[2] >> 11 & 7};
      errors += word[2] >> 11 & 7;
    }
  }

  /// The memories are cleared once, by the END that requests it, when all engines are idle; nothing proceeds meanwhile.
  void observe_clearing() {
    auto& t = *top;
    if (t.clearing_i) {
      EXPECT_FALSE(end_valid()) << "END is reached while memories are being cleared, cycle " << now;
      EXPECT_EQ(commands_before_, t.commands_o)
          << "a command is dispatched while memories are being cleared, cycle " << now;
      --clearing_left_;
      ++clearing;
    }
    commands_before_ = t.commands_o;
    if (!t.clear_o) return;
    EXPECT_FALSE(t.clearing_i || end_valid() || asked_) << "cycle " << now;
    EXPECT_EQ(t.engine_busy_o, 0) << "memories are cleared while an engine works, cycle " << now;
    asked_ = true;
    ++clears;
    clearing_left_ = pick(rng, 1, 90);
  }

  /// Whether decode holds the last END that has been rung. Its arrival is not visible from outside, so it is inferred
  /// from one engine; it has arrived at the latest when END is done, and then the idle core shows whether more was to
  /// come.
  bool ending() {
    auto& t = *top;
    bool said = false;
    for (int e = 0; e < 4; ++e)
      said |= t.busy_o && (t.cause_o >> (11 * e) & 0x7ff) == 1u << static_cast<int>(isa::Cause::kIdle);
    if (said) {
      // An END that an error prevents is not among the expected ones.
      if (t.commands_o < dispatched.size()) {
        EXPECT_EQ(opcode(dispatched[t.commands_o]), isa::Opcode::kEnd) << "cycle " << now;
      }
      EXPECT_LE(t.tail_i - t.head_o, 1u) << "more was rung; cycle " << now;
    }
    return said;
  }

  /// Commands commit in order, after they have retired; a SYNC is first seen among the commands in flight.
  void observe_commits(int e) {
    Engine& engine = engines[e];
    if (top->retire_valid_o >> e & 1) {
      ASSERT_FALSE(engine.retired.empty()) << "engine " << e << " commits what has not retired";
      ASSERT_EQ(top->retire_index_o[e], engine.retired.front()) << "engine " << e;
      engine.retired.pop_front();
    }
    const std::size_t in_flight = top->engine_level_o >> (16 * e) & 0xff;
    if (in_flight == engine.work.size() + engine.retired.size()) return;
    const std::size_t number = next_of(e);
    ASSERT_LT(number, dispatched.size()) << "engine " << e;
    ASSERT_TRUE(is_sync(dispatched[number])) << "engine " << e << " has a command in flight that it did not take";
    ASSERT_EQ(in_flight, 1u) << "SYNC before its engine has committed";
    engine.next = number + 1;
    take_waits(dispatched[number], e);
    retires(e, static_cast<std::uint32_t>(number));
  }
  void retires(int e, std::uint32_t number) {
    engines[e].retired.push_back(number);
    signalling_.push_back(number);
  }

  void observe_engine(int e) {
    Engine& engine = engines[e];
    const bool valid = top->cmd_valid_o >> e & 1, ready = top->cmd_ready_i >> e & 1,
               retire = get_bits(top->report_i, kReportBits * e + kReportRetire, 1);
    EXPECT_FALSE(valid && error) << "engine " << e << " is offered a command after an error";
    if (valid) {
      const std::size_t i = next_of(e);
      ASSERT_LT(i, dispatched.size());
      EXPECT_EQ(std::memcmp(&top->cmd_instr_o[16 * e], dispatched[i].words.data(), 64), 0)
          << "engine " << e << " command " << i;
      if (ready) {
        take_waits(dispatched[i], e);
        engine.next = i + 1;
        engine.accepted.push_back(now);
      }
    }
    // The cause: the engine's own, or the reason why it is idle.
    const unsigned cause = static_cast<unsigned>(top->cause_o >> (11 * e)) & 0x7ff;
    const bool queued = top->engine_level_o >> (16 * e + 8) & 0xff;
    const auto expected = !engine.work.empty()                   ? isa::Cause::kWorking
                          : top->engine_waiting_o >> e & 1       ? isa::Cause::kSemaphore
                          : top->busy_o && (queued || !ending()) ? isa::Cause::kFetch
                                                                 : isa::Cause::kIdle;
    EXPECT_EQ(cause, 1u << static_cast<int>(expected)) << "engine " << e << " cycle " << now;
    idle_cycles[e] += top->busy_o && expected == isa::Cause::kIdle;
    if (retire) {
      if (!engine.work.empty()) retires(e, engine.work.front().index);
      if (!engine.work.empty()) engine.work.pop_front();
    }
    if (valid && ready) {
      engine.work.push_back(
          {static_cast<std::uint32_t>(engine.next - 1), now + pick(rng, timing.work_low, timing.work_high)});
    }
  }

  void configured() {
    twin->configured();
    settling_ = 2;
  }

  ReadPort<kDim> port;
  std::array<Engine, 4> engines;
  std::vector<std::uint32_t> signalling_;  ///< retired in this cycle, so that their signals count in the next
  unsigned settling_ = 0;                  ///< cycles until registers that were written may be used
  unsigned clearing_left_ = 0;             ///< cycles for which memories are still being cleared
  std::uint32_t commands_before_ = 0;      ///< dispatched up to the cycle before
  bool asked_ = false;                     ///< for memories to be cleared, by the END at hand
  std::optional<bool> closing_;            ///< END in the cycle before: whether the engines were IDLE
  std::array<std::uint32_t, isa::kSemaphores> shadow{};
};

}  // namespace systole::test

// SPDX-License-Identifier: Apache-2.0
// CoreModel for a Verilated class with the pins of tpu_core. It contains the clock loop, which steps model, memory,
// register bus and checkers. For speed, everything is inlined; no virtual functions or SystemC are used per cycle.
//
// run() chooses one of four loops, with or without observing and recording, so that the plain loop contains no code for
// them. A loop ends in the cycle in which the recorder must be called again.
//
// Both clock edges are evaluated: while the clock is low, the core's clock gates select the blocks that are clocked.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <ctime>
#include <memory>

#include "axi4_checker.hpp"
#include "axi_lite_checker.hpp"
#include "axi_memory.hpp"
#include "core_model.hpp"
#include "core_watch.hpp"
#include "lite_master.hpp"
#include "print.hpp"
#include "wave_recorder.hpp"

namespace systole::sim {

/// `Signals` gives access to the signals inside the model that an observer needs.
template <class Model, int Bytes, class Signals = NoSignals>
class VerilatedCore final : public CoreModel {
 public:
  VerilatedCore(Storage& storage, const CoreOptions& options)
      : memory_(storage, options.memory),
        lite_(options.memory.stall_percent, options.memory.seed ^ 0x5A5A),
        context_(make_context(options)),
        model_(std::make_unique<Model>(context_.get(), "TOP")),
        waves_(options.trace, *context_, *model_) {
    auto& p = *model_->rootp;
    p.clk_i = 0;
    p.rst_ni = 0;
    p.test_en_i = 0;
    p.m_axi_rvalid_i = p.m_axi_bvalid_i = 0;
    lite_.drive(p);
    model_->eval();
    while (cycle_ < kResetCycles && !context_->gotFinish()) {
      simulate([this] {
        const std::uint64_t cycles = waves_.prepare(cycle_, kResetCycles - cycle_, 0);
        return waves_.recording() ? reset<true>(cycles) : reset<false>(cycles);
      });
    }
    p.rst_ni = 1;
  }

  ~VerilatedCore() override {
    Verilated::threadContextp(context_.get());
    model_->final();
  }

  std::uint64_t run(std::uint64_t cycles) override {
    return simulate([this, cycles] {
      const std::uint64_t now = waves_.prepare(cycle_, cycles, memory_.traffic());
      if (waves_.recording()) return watch_.active() ? loop<true, true>(now) : loop<false, true>(now);
      return watch_.active() ? loop<true, false>(now) : loop<false, false>(now);
    });
  }
  void observe(CoreObserver* observer) override { watch_.observe(observer); }
  OnChip on_chip() const override {
    if constexpr (Signals::kPresent) {
      return Signals::memories(*model_->rootp);
    } else {
      return {};
    }
  }
  void start_access(const RegisterAccess& access) override { lite_.start(access); }
  bool access_pending() const override { return lite_.pending(); }
  RegisterAnswer answer() const override { return lite_.answer(); }
  bool interrupt() const override { return model_->rootp->irq_o; }
  std::uint64_t traffic() const override { return memory_.traffic(); }
  bool bus_idle() const override { return memory_.idle(); }
  std::vector<OwedBurst> owed_bursts() const override { return memory_.owed(); }
  std::uint64_t cycles() const override { return cycle_; }
  double seconds() const override { return seconds_; }
  void run_begins(const std::string& name) override { waves_.run_begins(name, cycle_); }
  void run_ended() override { waves_.run_ended(cycle_); }
  std::string record_failure() override { return waves_.failed(cycle_); }
  bool finish_recording() override { return waves_.finish(); }

 private:
  static constexpr std::uint64_t kResetCycles = 16;
  static constexpr std::uint64_t kPeriodPs = 1000;  // of the waveform's time axis: cycle n begins at n ns

  static std::unique_ptr<VerilatedContext> make_context(const CoreOptions& options) {
    auto context = std::make_unique<VerilatedContext>();
    context->randReset(2);
    context->randSeed(1 + static_cast<int>(options.seed % 0x7FFFFFFE));  // 0 would be a seed from the time of day
    context->assertOn(true);
    context->fatalOnError(false);  // a failed assertion is reported as SimulationError
    return context;
  }

  /// Calls one of the loops below in this model's context. Measures time, captures output and throws failures.
  template <class Loop>
  std::uint64_t simulate(Loop&& loop) {
    Verilated::threadContextp(context_.get());
    std::uint64_t ran;
    {
      const PrintCapture capture(console_);
      const double start = cpu_seconds();
      ran = run_loop(std::forward<Loop>(loop));
      seconds_ += cpu_seconds() - start;
    }
    waves_.simulated(cycle_);
    if (log_.any() || context_->gotError()) fail();
    if (!console_.empty()) {
      std::fputs(console_.c_str(), stdout);
      console_.clear();
    }
    return ran;
  }

  /// An exception of an observer ends the simulation in the middle of a cycle.
  template <class Loop>
  std::uint64_t run_loop(Loop&& loop) {
    try {
      return loop();
    } catch (...) {
      waves_.failed(cycle_ + 1);
      throw;
    }
  }

  /// Power-on reset. The memory is in reset too and ignores the core, whose state is still random. The reset signal
  /// passes through a register of the core, so assertions are enabled only after it has arrived.
  template <bool kRecorded>
  std::uint64_t reset(const std::uint64_t cycles) {
    auto& p = *model_->rootp;
    std::uint64_t ran = 0;
    for (; ran < cycles && !context_->gotFinish(); ++ran) {
      context_->assertOn(cycle_ >= kResetCycles / 4);
      memory_.drive(p);
      before_edge<kRecorded>(p);
      edge<kRecorded>(p);
    }
    return ran;
  }

  /// Separate functions, so that the other loops do not affect the code that the compiler generates for the plain one.
  template <bool kObserved, bool kRecorded>
  [[gnu::noinline]] std::uint64_t loop(const std::uint64_t cycles) {
    auto& p = *model_->rootp;
    const bool interrupt = p.irq_o;
    const bool access = lite_.pending();
    std::uint64_t ran = 0;
    while (ran < cycles) {
      memory_.drive(p);
      if (lite_.driving()) lite_.drive(p);
      before_edge<kRecorded>(p);
      memory_.sample(p);
      if (lite_.driving()) lite_.sample(p);
      if constexpr (kObserved) watch_.sample(p, cycle_);
      edge<kRecorded>(p);
      ++ran;
      if ((p.irq_o != interrupt) | (access != lite_.pending()) | log_.any() | context_->gotFinish()) break;
    }
    return ran;
  }

  template <bool kRecorded, class Pins>
  void before_edge(Pins& p) {
    p.clk_i = 0;
    model_->eval();
    if constexpr (kRecorded) waves_.dump(cycle_ * kPeriodPs);
    bus_checker_.observe(p);
    register_checker_.observe(p);
  }

  template <bool kRecorded, class Pins>
  void edge(Pins& p) {
    p.clk_i = 1;
    context_->time(cycle_ * kPeriodPs + kPeriodPs / 2);
    model_->eval();
    if constexpr (kRecorded) waves_.dump(cycle_ * kPeriodPs + kPeriodPs / 2);
    ++cycle_;
  }

  [[noreturn]] void fail() {
    const std::string waves = waves_.failed(cycle_);
    throw SimulationError(fmt::format("simulation stopped in cycle {}:\n{}{}{}{}", cycle_ - 1, log_.text(), console_,
                                      waves, waves.empty() ? "" : "\n"),
                          cycle_ - 1);
  }

  static double cpu_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  AxiMemory<Bytes> memory_;
  LiteMaster lite_;
  check::ViolationLog log_;
  check::Axi4Checker<Bytes> bus_checker_{log_};
  check::AxiLiteChecker register_checker_{log_};
  CoreWatch<Signals> watch_;
  std::string console_;  // output of the model in this quantum
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  WaveRecorder<Model> waves_;
  std::uint64_t cycle_ = 0;
  double seconds_ = 0;
};

}  // namespace systole::sim

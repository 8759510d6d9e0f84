// SPDX-License-Identifier: Apache-2.0
// CoreModel for one Verilated class with the pins of tpu_core. The clock loop is here: model, memory, register bus and
// checkers stepped in turn, all inlined, nothing virtual and no SystemC per cycle.
//
// run() chooses one of two loops: the one that observes costs something in every cycle, the other knows nothing of it.
//
// Both edges are evaluated: while the clock is low the core's clock gates decide which blocks see the next rising edge.
#pragma once

#include <fmt/core.h>
#include <verilated_fst_c.h>

#include <cstdio>
#include <ctime>
#include <memory>

#include "checkers/axi4_checker.hpp"
#include "checkers/axi_lite_checker.hpp"
#include "tlm/axi_memory.hpp"
#include "verilated/core_model.hpp"
#include "verilated/core_watch.hpp"
#include "verilated/lite_master.hpp"
#include "verilated/print.hpp"

namespace systole::sim {

/// `Signals`: what the model lets an observer see inside.
template <class Model, int Bytes, class Signals = NoSignals>
class VerilatedCore final : public CoreModel {
 public:
  VerilatedCore(Storage& storage, const CoreOptions& options)
      : memory_(storage, options.memory),
        lite_(options.memory.stall_percent, options.memory.seed ^ 0x5A5A),
        context_(make_context(options)),
        model_(std::make_unique<Model>(context_.get(), "TOP")) {
    if (!options.trace_file.empty()) open_trace(options.trace_file);
    auto& p = *model_->rootp;
    p.clk_i = 0;
    p.rst_ni = 0;
    p.m_axi_rvalid_i = p.m_axi_bvalid_i = 0;
    lite_.drive(p);
    model_->eval();
    simulate([this] { return reset(); });
    p.rst_ni = 1;
  }

  ~VerilatedCore() override {
    if (trace_) trace_->close();
    Verilated::threadContextp(context_.get());
    model_->final();
  }

  std::uint64_t run(std::uint64_t cycles) override {
    return simulate([this, cycles] { return watch_.active() ? loop<true>(cycles) : loop<false>(cycles); });
  }
  void observe(CoreObserver* observer) override { watch_.observe(observer); }
  void start_access(const RegisterAccess& access) override { lite_.start(access); }
  bool access_pending() const override { return lite_.pending(); }
  RegisterAnswer answer() const override { return lite_.answer(); }
  bool interrupt() const override { return model_->rootp->irq_o; }
  std::uint64_t traffic() const override { return memory_.traffic(); }
  bool bus_idle() const override { return memory_.idle(); }
  std::vector<OwedBurst> owed_bursts() const override { return memory_.owed(); }
  std::uint64_t cycles() const override { return cycle_; }
  double seconds() const override { return seconds_; }

 private:
  static constexpr std::uint64_t kResetCycles = 16;
  static constexpr std::uint64_t kPeriodPs = 1000;  // of the waveform's time axis: cycle n begins at n ns

  static std::unique_ptr<VerilatedContext> make_context(const CoreOptions& options) {
    auto context = std::make_unique<VerilatedContext>();
    context->randReset(2);
    context->randSeed(1 + static_cast<int>(options.seed % 0x7FFFFFFE));  // 0 would be a seed from the time of day
    context->assertOn(true);
    context->fatalOnError(false);  // a failed assertion is reported as SimulationError
    context->traceEverOn(!options.trace_file.empty());
    return context;
  }

  void open_trace(const std::string& file) {
    trace_ = std::make_unique<VerilatedFstC>();
    model_->trace(trace_.get(), 99);
    if (std::FILE* probe = std::fopen(file.c_str(), "wb")) {
      std::fclose(probe);
      trace_->open(file.c_str());
    } else {
      throw std::invalid_argument(fmt::format("trace_file: cannot write {}", file));
    }
  }

  /// Calls one of the loops below: with this model's context, clock stopped, output captured, failures thrown.
  template <class Loop>
  std::uint64_t simulate(Loop&& loop) {
    Verilated::threadContextp(context_.get());
    std::uint64_t ran;
    {
      const PrintCapture capture(console_);
      const double start = cpu_seconds();
      ran = loop();
      seconds_ += cpu_seconds() - start;
    }
    if (log_.any() || context_->gotError()) fail();
    if (!console_.empty()) {
      std::fputs(console_.c_str(), stdout);
      console_.clear();
    }
    return ran;
  }

  /// Reset at power-on: the memory is in reset too and takes nothing from a core whose state is still random. The reset
  /// itself passes through a register of the core, so assertions count from the cycles on in which it has arrived.
  std::uint64_t reset() {
    auto& p = *model_->rootp;
    for (std::uint64_t i = 0; i < kResetCycles && !context_->gotFinish(); ++i) {
      context_->assertOn(i >= kResetCycles / 4);
      memory_.drive(p);
      before_edge(p);
      edge(p);
    }
    return kResetCycles;
  }

  /// A function of its own, so that the observing loop has no part in how the compiler translates the other.
  template <bool kObserved>
  [[gnu::noinline]] std::uint64_t loop(const std::uint64_t cycles) {
    auto& p = *model_->rootp;
    const bool interrupt = p.irq_o;
    const bool access = lite_.pending();
    std::uint64_t ran = 0;
    while (ran < cycles) {
      memory_.drive(p);
      if (lite_.driving()) lite_.drive(p);
      before_edge(p);
      memory_.sample(p);
      if (lite_.driving()) lite_.sample(p);
      if constexpr (kObserved) watch_.sample(p, cycle_);
      edge(p);
      ++ran;
      if ((p.irq_o != interrupt) | (access != lite_.pending()) | log_.any() | context_->gotFinish()) break;
    }
    return ran;
  }

  template <class Pins>
  void before_edge(Pins& p) {
    p.clk_i = 0;
    model_->eval();
    if (trace_) trace_->dump(cycle_ * kPeriodPs);
    bus_checker_.observe(p);
    register_checker_.observe(p);
  }

  template <class Pins>
  void edge(Pins& p) {
    p.clk_i = 1;
    context_->time(cycle_ * kPeriodPs + kPeriodPs / 2);
    model_->eval();
    if (trace_) trace_->dump(cycle_ * kPeriodPs + kPeriodPs / 2);
    ++cycle_;
  }

  [[noreturn]] void fail() {
    if (trace_) trace_->flush();
    throw SimulationError(
        fmt::format("simulation stopped in cycle {}:\n{}{}", cycle_ - 1, log_.text(), console_), cycle_ - 1);
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
  std::string console_;  // what the model printed in this quantum
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t cycle_ = 0;
  double seconds_ = 0;
};

}  // namespace systole::sim

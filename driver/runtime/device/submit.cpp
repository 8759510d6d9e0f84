// SPDX-License-Identifier: Apache-2.0
// Runs of programs: submit, poll, wait, end and statistics.
#include <fmt/core.h>

#include <algorithm>

#include "program_checks.hpp"
#include "running.hpp"
#include "systole/generated/registers.hpp"
#include "systole/lockstep.hpp"

namespace systole {
namespace {

constexpr std::uint64_t kPoll = 4096;  // cycles that one call of poll() simulates

std::string run_name(const Program& program, const RunOptions& options) {
  std::string name = options.name;
  if (name.empty()) {
    for (const std::string& label : program.labels) {
      name += (name.empty() ? "" : ", ") + label;
    }
  }
  return name;
}

/// Adds the names of layer and instruction, which only the program knows, to a divergence.
[[noreturn]] void throw_named(const LockstepDivergence& found, const Program& program, const RunOptions& options,
                              std::uint32_t first) {
  Divergence divergence = found.divergence();
  divergence.first_index = first;
  const std::string label = program.label(divergence.index - first);
  divergence.layer = options.name.empty() || options.name == label ? label : options.name + ", " + label;
  throw LockstepDivergence(std::move(divergence));
}

/// Ignores exceptions of observers, which must not replace the error of the run.
void end_quietly(Backend& backend, Observers& observers, std::uint64_t cycle) {
  backend.run_ended();
  try {
    observers.run_ended(cycle);
  } catch (const std::exception&) {}
}

}  // namespace

RunTicket::RunTicket(RunTicket&& other) noexcept : device_(std::exchange(other.device_, nullptr)) {}

RunTicket& RunTicket::operator=(RunTicket&& other) noexcept {
  if (this != &other) {
    wait_quietly();
    device_ = std::exchange(other.device_, nullptr);
  }
  return *this;
}

RunTicket::~RunTicket() { wait_quietly(); }

bool RunTicket::done() { return device_ == nullptr || device_->poll(); }

RunStats RunTicket::wait() {
  Device* device = std::exchange(device_, nullptr);
  if (device == nullptr) {
    throw InvalidArgument(
        "run: wait() was called already, or the ticket was moved from or is empty; submit the program again");
  }
  return device->finish();
}

void RunTicket::wait_quietly() noexcept {
  if (device_ == nullptr) {
    return;
  }
  try {
    wait();
  } catch (...) {}
}

void Device::check_free(const char* what) const {
  if (running_) {
    throw InvalidArgument(
        fmt::format("device: {} while a submitted program runs; call wait() on its ticket first", what));
  }
}

void Device::end_failed_run(std::uint64_t cycle) {
  backend_->record_failure();
  end_quietly(*backend_, *observers_, cycle);
}

RunTicket Device::submit(Program& program, const RunOptions& options) {
  check_free("submit()");
  place(program);
  if (!options.admit_deadlocks) {
    check_deadlock(program);
  }
  if (options.check) {
    check_program(program, configuration(), *backend_);
  }
  running_ = std::make_unique<Running>(*backend_, program, options);
  try {
    start(*running_);
  } catch (const Cancelled&) {
    running_.reset();
    reset();
    throw;
  } catch (...) {
    running_.reset();
    throw;
  }
  return RunTicket(*this);
}

RunStats Device::run(Program& program, const RunOptions& options) {
  check_free("run()");
  return submit(program, options).wait();
}

/// All steps up to the doorbell.
void Device::start(Running& running) {
  try {
    load_constants(running.program);
    const std::uint32_t entries = write_ring(running.program);
    first_ = commands_;
    backend_->write_register(reg::kControl, reg::kControlClearCounters);
    const std::string name = run_name(running.program, running.options);
    observers_->run_begins(running.program, first_, name, backend_->simulated_cycles());
    backend_->run_begins(name);
    commands_ += entries;
    tail_ += entries;
    ring_doorbell(running);
  } catch (const LockstepDivergence& found) {
    throw_named(found, running.program, running.options, first_);
  }
}

void Device::ring_doorbell(Running& running) {
  try {
    backend_->write_register(reg::kTail, tail_);
    running.moved = running.looked = backend_->simulated_cycles();
  } catch (...) {
    end_failed_run(backend_->simulated_cycles());
    throw;
  }
}

/// The sum of counters that increase while the core makes progress: beats, commands, working cycles.
std::uint64_t Device::work_done() {
  std::uint64_t sum = backend_->read_register(reg::kCommands);
  sum += backend_->read_register(reg::kReadBeats);
  sum += backend_->read_register(reg::kWriteBeats);
  for (std::uint32_t engine = 0; engine < kEngineCount; ++engine) {
    sum += cycles_working(engine);
  }
  return sum;
}

/// If the core seems to hang, or the back end has no time, wait_interrupt() decides: it sees more than the registers.
bool Device::poll() {
  Running& running = *running_;
  if (running.ended) {
    return true;
  }
  const std::uint64_t quiet = running.options.quiet_cycles;
  try {
    const std::uint64_t before = backend_->simulated_cycles();
    if (backend_->poll_interrupt(std::min(kPoll, quiet))) {
      running.end(Backend::Wake::kInterrupt);
      return true;
    }
    if (running.options.cancel && running.options.cancel()) {
      running.end(Backend::Wake::kCancelled);
      return true;
    }
    const std::uint64_t now = backend_->simulated_cycles();
    if (now - running.looked >= quiet / 8) {
      const std::uint64_t work = work_done();
      running.moved = work == running.work ? running.moved : now;
      running.work = work;
      running.looked = now;
    }
    if (now == before || now - running.moved >= quiet) {
      running.end(backend_->wait_interrupt(quiet));
    }
  } catch (...) {
    running.fail(std::current_exception());
    end_failed_run(running.cycle);
  }
  return running.ended;
}

RunStats Device::finish() {
  Running& running = *running_;
  if (!running.ended) {
    try {
      running.end(backend_->wait_interrupt(running.options.quiet_cycles));
    } catch (...) {
      running.fail(std::current_exception());
      end_failed_run(running.cycle);
    }
  }
  const std::unique_ptr<Running> ended = std::move(running_);
  return end_run(*ended);
}

RunStats Device::end_run(const Running& running) {
  const Program& program = running.program;
  try {
    if (running.error) {
      std::rethrow_exception(running.error);
    }
    if (running.wake == Backend::Wake::kCancelled) {
      end_quietly(*backend_, *observers_, running.cycle);
      reset();
      throw Cancelled("run: cancelled");
    }
    if (running.wake == Backend::Wake::kTimeout) {
      end_failed_run(running.cycle);
      raise_timeout(program, running.options.quiet_cycles);
    }
    const std::uint32_t status = backend_->read_register(reg::kIrqStatus);
    if ((status & reg::kIrqStatusError) != 0) {
      end_failed_run(running.cycle);
      raise_error(program);
    }
    const std::uint32_t tag = backend_->read_register(reg::kEndTag);
    backend_->write_register(reg::kIrqStatus, status);
    backend_->run_ended();
    observers_->run_ended(running.cycle);
    if (tag != tag_) {
      reset();
      throw Failure(fmt::format("device: the program ended with tag {:#x}, not {:#x}", tag, tag_));
    }
    const RunStats stats = statistics(program);
    if (running.options.clear) {
      clear();
    }
    return stats;
  } catch (const LockstepDivergence& found) {
    throw_named(found, program, running.options, first_);
  }
}

}  // namespace systole

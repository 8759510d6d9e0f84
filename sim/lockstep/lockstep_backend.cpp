// SPDX-License-Identifier: Apache-2.0
#include "lockstep_backend.hpp"

#include <map>
#include <optional>
#include <utility>

#include "lockstep_checker.hpp"
#include "systole/errors.hpp"
#include "systole/generated/registers.hpp"
#include "systole/observer.hpp"

namespace systole::lockstep {
namespace {

/// Device memory of the simulated machine.
class LiveMemory final : public model::DeviceMemory {
 public:
  explicit LiveMemory(const Backend& backend) : backend_(backend) {}
  std::uint64_t size() const override { return backend_.memory_bytes(); }
  void read(std::uint64_t address, void* to, std::size_t bytes) const override {
    backend_.read_memory(address, to, bytes);
  }
  void write(std::uint64_t, const void*, std::size_t) override {
    throw InternalError("lockstep: the machine's memory is only read");
  }

 private:
  const Backend& backend_;
};

/// Follows the host's accesses to the device and, as an observer, the core's events.
class LockstepBackend final : public Backend, private CoreObserver {
 public:
  LockstepBackend(std::unique_ptr<Backend> rtl, const sim::OnChip& on_chip)
      : rtl_(std::move(rtl)), memory_(*rtl_), checker_(rtl_->configuration(), on_chip, memory_) {
    rtl_->observe(this);
    rtl_->on_progress([this](std::uint64_t cycles) {
      if (progress_) {
        progress_(cycles);
      }
    });
    rtl_->on_cancel([this] { return cancelled(); });
  }

  const Configuration& configuration() const override { return rtl_->configuration(); }
  std::string name() const override { return rtl_->name(); }
  std::uint64_t memory_bytes() const override { return rtl_->memory_bytes(); }

  std::uint32_t read_register(std::uint32_t offset) override {
    const std::uint32_t value = rtl_->read_register(offset);
    if (offset == reg::kIrqStatus) {
      good_end_ = (value & reg::kIrqStatusDone) != 0 && (value & reg::kIrqStatusError) == 0;
    }
    if (offset == reg::kIrqStatus && good_end_) {
      check([&] { checker_.finished(simulated_cycles()); });
    } else if (offset == reg::kEndTag && good_end_) {
      check([&] { checker_.ended(simulated_cycles(), value); });
    }
    return value;
  }

  void write_register(std::uint32_t offset, std::uint32_t value) override {
    if (offset == reg::kTail) {
      check([&] { checker_.doorbell(value); });
    }
    rtl_->write_register(offset, value);  // throws if the write is refused: nothing has changed then
    note_register(offset, value);
  }

  CopyId copy_to_device(std::uint64_t device_address, const void* host, std::size_t bytes) override {
    const CopyId id = rtl_->copy_to_device(device_address, host, bytes);
    copies_[id] = {device_address, bytes};
    return id;
  }
  CopyId copy_from_device(void* host, std::uint64_t device_address, std::size_t bytes) override {
    return rtl_->copy_from_device(host, device_address, bytes);
  }
  void wait_copy(CopyId id) override {
    rtl_->wait_copy(id);
    for (; !copies_.empty() && copies_.begin()->first <= id; copies_.erase(copies_.begin())) {
      checker_.host_wrote(copies_.begin()->second.address, copies_.begin()->second.bytes);
    }
  }
  void read_memory(std::uint64_t device_address, void* to, std::size_t bytes) const override {
    rtl_->read_memory(device_address, to, bytes);
  }

  std::optional<std::vector<OwedBurst>> owed_bursts() const override { return rtl_->owed_bursts(); }

  Wake wait_interrupt(std::uint64_t quiet_cycles) override {
    const Wake wake = rtl_->wait_interrupt(quiet_cycles);
    if (wake == Wake::kTimeout) {
      check([&] { checker_.stuck(simulated_cycles()); });
    }
    return wake;
  }
  bool poll_interrupt(std::uint64_t cycles) override { return rtl_->poll_interrupt(cycles); }
  void run(std::uint64_t cycles) override { rtl_->run(cycles); }
  std::uint64_t simulated_cycles() const override { return rtl_->simulated_cycles(); }
  double simulation_seconds() const override { return rtl_->simulation_seconds(); }
  void observe(CoreObserver* observer) override { outer_ = observer; }

 private:
  struct Range {
    std::uint64_t address;
    std::size_t bytes;
  };

  void note_register(std::uint32_t offset, std::uint32_t value) {
    const auto window_of = [&](std::uint32_t first, std::uint32_t stride) -> AddressWindow* {
      const std::uint32_t at = offset - first;
      return offset >= first && at % stride == 0 && static_cast<int>(at / stride) < configuration().windows
                 ? &checker_.windows()[at / stride]
                 : nullptr;
    };
    if (offset == reg::kRingBase) {
      checker_.stream().set_ring_base(value);
    } else if (offset == reg::kRingConfig) {
      checker_.stream().set_ring_config(value);
    } else if (AddressWindow* base = window_of(reg::kWindowBase, reg::kWindowBaseStride)) {
      base->base = value & ~(kWindowAlignment - 1);
    } else if (AddressWindow* size = window_of(reg::kWindowSize, reg::kWindowSizeStride)) {
      size->size = value & ~(kWindowAlignment - 1);
    } else if (AddressWindow* permission = window_of(reg::kWindowPermission, reg::kWindowPermissionStride)) {
      permission->permission = value;
    }
  }

  /// Keeps a divergence that is detected outside the simulation; those detected inside are kept already.
  template <class Comparison>
  void check(Comparison comparison) {
    if (diverged_) {
      throw LockstepDivergence(*diverged_);
    }
    try {
      comparison();
    } catch (const LockstepDivergence& divergence) {
      diverged_ = divergence.divergence();
      throw;
    }
  }

  void was_reset(std::uint64_t cycle) override {
    checker_.was_reset();
    if (outer_) outer_->was_reset(cycle);
  }
  void cause_changed(std::uint64_t cycle, unsigned engine, unsigned cause) override {
    if (outer_) outer_->cause_changed(cycle, engine, cause);
  }
  void semaphores_changed(std::uint64_t cycle, const std::array<std::uint8_t, isa::kSemaphores>& values) override {
    checker_.semaphores_changed(values);
    if (outer_) outer_->semaphores_changed(cycle, values);
  }
  // The other observers see the event first, since a divergence ends it.
  void retired(std::uint64_t cycle, unsigned engine, std::uint32_t index) override {
    if (outer_) outer_->retired(cycle, engine, index);
    checker_.retired(cycle, engine, index);
  }
  void started(std::uint64_t cycle, unsigned engine, std::uint32_t index) override {
    if (outer_) outer_->started(cycle, engine, index);
    checker_.started(cycle, engine, index);
  }
  void burst(std::uint64_t cycle, bool write, std::uint64_t address, unsigned beats, unsigned id) override {
    if (outer_) outer_->burst(cycle, write, address, beats, id);
    if (write) checker_.write_burst(cycle, address, std::uint64_t{beats} * static_cast<unsigned>(configuration().dim));
  }

  std::unique_ptr<Backend> rtl_;
  LiveMemory memory_;
  Checker checker_;
  CoreObserver* outer_ = nullptr;
  std::map<CopyId, Range> copies_;  ///< copies to the device in progress
  bool good_end_ = false;           ///< whether IRQ_STATUS showed END and no error when it was last read
  std::optional<Divergence> diverged_;
};

}  // namespace

std::unique_ptr<Backend> beside(std::unique_ptr<Backend> rtl, const sim::OnChip& on_chip) {
  return std::make_unique<LockstepBackend>(std::move(rtl), on_chip);
}

}  // namespace systole::lockstep

// SPDX-License-Identifier: Apache-2.0
// Converts the state of a core to the events of a CoreObserver, once per cycle of the observing clock loop.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "core_signals.hpp"
#include "systole/observer.hpp"

namespace systole::sim {

template <class Signals>
class CoreWatch {
 public:
  /// Reports events from the next cycle on; null ends this.
  void observe(CoreObserver* observer) {
    observer_ = observer;
    first_ = true;
  }
  bool active() const { return observer_ != nullptr; }

  /// Samples a cycle before the clock edge that ends it. Passes on the observer's exceptions.
  template <class Root>
  void sample(const Root& r, std::uint64_t cycle) {
    if constexpr (Signals::kPresent) sample_core(r, cycle);
    if (r.m_axi_arvalid_o & r.m_axi_arready_i) {
      observer_->burst(cycle, false, r.m_axi_araddr_o, r.m_axi_arlen_o + 1u, r.m_axi_arid_o);
    }
    if (r.m_axi_awvalid_o & r.m_axi_awready_i) {
      observer_->burst(cycle, true, r.m_axi_awaddr_o, r.m_axi_awlen_o + 1u, r.m_axi_awid_o);
    }
  }

 private:
  static constexpr unsigned kEngines = 4;
  using Causes = std::array<std::uint16_t, kEngines>;  // one-hot

  template <class Root>
  void sample_core(const Root& r, std::uint64_t cycle) {
    const bool in_reset = Signals::in_reset(r);
    if (in_reset && (first_ || !in_reset_)) observer_->was_reset(cycle);
    in_reset_ = in_reset;
    const Causes causes = Signals::causes(r);
    if (first_ || causes != causes_) report_causes(causes, cycle);
    if (first_ || std::memcmp(semaphores_.data(), Signals::semaphores(r), semaphores_.size()) != 0) {
      std::memcpy(semaphores_.data(), Signals::semaphores(r), semaphores_.size());
      observer_->semaphores_changed(cycle, semaphores_);
    }
    first_ = false;
    if (const unsigned retired = Signals::retired(r)) {
      for (unsigned engine = 0; engine < kEngines; ++engine) {
        if (retired >> engine & 1) observer_->retired(cycle, engine, Signals::retired_index(r, engine));
      }
    }
    if (const unsigned started = Signals::started(r)) {
      const auto indices = Signals::started_indices(r);
      for (unsigned engine = 0; engine < kEngines; ++engine) {
        if (started >> engine & 1) observer_->started(cycle, engine, indices[engine]);
      }
    }
  }

  void report_causes(const Causes& causes, std::uint64_t cycle) {
    for (unsigned engine = 0; engine < kEngines; ++engine) {
      if (first_ || causes[engine] != causes_[engine]) {
        observer_->cause_changed(cycle, engine, static_cast<unsigned>(__builtin_ctz(causes[engine])));
      }
    }
    causes_ = causes;
  }

  CoreObserver* observer_ = nullptr;
  bool first_ = true;  // nothing has been reported yet
  bool in_reset_ = false;
  Causes causes_{};
  std::array<std::uint8_t, isa::kSemaphores> semaphores_{};
};

}  // namespace systole::sim

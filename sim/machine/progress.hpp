// SPDX-License-Identifier: Apache-2.0
// Whether the core gets on, as far as one can tell from outside: traffic at its memory port, and, looked at only when
// that is quiet, its counters of dispatched commands and of working cycles. A long instruction moves no bus but works.
#pragma once

#include <array>
#include <cstdint>

#include "core_model.hpp"
#include "host_cpu.hpp"

namespace systole::sim {

class Progress {
 public:
  /// Takes the present state as the reference. Inside a job of the processor.
  Progress(const CoreModel& core, HostCpu& cpu);

  /// Whether the bus moved since the last call.
  bool bus_moved();
  /// Whether the engines moved since the last call (or construction).
  bool engines_moved();

 private:
  static constexpr int kEngines = 4;
  using Counters = std::array<std::uint32_t, kEngines + 2>;
  Counters read_counters();

  const CoreModel& core_;
  HostCpu& cpu_;
  std::uint64_t traffic_;
  Counters counters_;
};

}  // namespace systole::sim

// SPDX-License-Identifier: Apache-2.0
// The signals inside tpu_core from which the observer's events are made. rtl/top/observed.vlt keeps them accessible.
#pragma once

#include <array>
#include <cstdint>

#include "core_memories.hpp"
#include "systole/generated/isa.hpp"

namespace systole::sim {

/// For a design without these signals: an observer only sees the bus.
struct NoSignals {
  static constexpr bool kPresent = false;
};

/// For tpu_core; `Root` is the Verilated top level. Engines are numbered as in isa::Engine.
struct TpuCoreSignals {
  static constexpr bool kPresent = true;

  /// The memories, for lockstep.
  template <class Root>
  static OnChip memories(const Root& r) {
    return memories_of(r);
  }
  template <class Root>
  static bool in_reset(const Root& r) {
    return !r.tpu_core__DOT__core_rst_n;
  }
  /// Cause of each engine, one-hot.
  template <class Root>
  static std::array<std::uint16_t, 4> causes(const Root& r) {
    return {r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__0__KET____DOT__u_issue__DOT__cause_o,
            r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__1__KET____DOT__u_issue__DOT__cause_o,
            r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__2__KET____DOT__u_issue__DOT__cause_o,
            r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__3__KET____DOT__u_issue__DOT__cause_o};
  }
  template <class Root>
  static const void* semaphores(const Root& r) {
    static_assert(sizeof r.tpu_core__DOT__semaphores == isa::kSemaphores);
    return &r.tpu_core__DOT__semaphores;
  }
  /// One bit per engine.
  template <class Root>
  static unsigned retired(const Root& r) {
    return r.tpu_core__DOT__retire_valid;
  }
  template <class Root>
  static std::uint32_t retired_index(const Root& r, unsigned engine) {
    return r.tpu_core__DOT__retire_index[engine];
  }
  /// One bit per engine: its oldest queued command leaves the queue.
  template <class Root>
  static unsigned started(const Root& r) {
    return r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__0__KET____DOT__u_issue__DOT__pop |
           r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__1__KET____DOT__u_issue__DOT__pop << 1 |
           r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__2__KET____DOT__u_issue__DOT__pop << 2 |
           r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__3__KET____DOT__u_issue__DOT__pop << 3;
  }
  template <class Root>
  static std::array<std::uint32_t, 4> started_indices(const Root& r) {
    return {r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__0__KET____DOT__u_issue__DOT__head_index,
            r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__1__KET____DOT__u_issue__DOT__head_index,
            r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__2__KET____DOT__u_issue__DOT__head_index,
            r.tpu_core__DOT__u_command__DOT__gen_engine__BRA__3__KET____DOT__u_issue__DOT__head_index};
  }
};

}  // namespace systole::sim

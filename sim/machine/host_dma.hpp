// SPDX-License-Identifier: Apache-2.0
// The host's DMA engine: copies between host and device memory on its own, in simulated time, beside the core. Copies
// run one after the other in the order started; a copy moves its first byte `latency` after its start at the earliest,
// then `bytes_per_period` per clock period. The bytes move in chunks as time passes, by DMI where the memory grants it.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <systemc>
#include <tlm>

namespace systole::sim {

class HostDma : public sc_core::sc_module {
 public:
  struct Timing {
    sc_core::sc_time period;  ///< clock period
    unsigned latency = 500;   ///< periods
    unsigned bytes_per_period = 16;
  };
  struct Copy {
    std::uint64_t host;
    std::uint64_t device;
    std::uint64_t bytes;
    bool to_device;
  };

  tlm_utils::simple_initiator_socket<HostDma> host;
  tlm_utils::simple_initiator_socket<HostDma> device;
  /// High while a copy has completed that was not acknowledged.
  sc_core::sc_out<bool> irq;

  SC_HAS_PROCESS(HostDma);
  HostDma(sc_core::sc_module_name name, const Timing& timing);

  /// Starts a copy and returns its ticket: 1, 2, 3, ...
  std::uint64_t start(const Copy& copy);
  /// Copies completed: tickets up to this one.
  std::uint64_t completed() const { return completed_; }
  /// Acknowledges the completions so far.
  void acknowledge();
  /// Whether a copy met a bus error; its remaining bytes were not moved.
  bool failed(std::uint64_t ticket) const;

 private:
  struct Queued {
    Copy copy;
    sc_core::sc_time earliest;
  };
  static constexpr std::uint64_t kChunk = 64 * 1024;

  void engine();
  void drive_irq();
  bool move(const Copy& copy, std::uint64_t offset, std::uint64_t bytes);
  sc_core::sc_time duration(std::uint64_t bytes) const;

  Timing timing_;
  std::deque<Queued> queue_;
  std::deque<std::uint64_t> failed_;
  sc_core::sc_event started_, changed_;
  std::uint64_t tickets_ = 0, completed_ = 0, acknowledged_ = 0;
};

}  // namespace systole::sim

// SPDX-License-Identifier: Apache-2.0
// The processor that the driver runs on, as seen from the machine: one SystemC thread that executes jobs handed in from
// outside the kernel. A job may wait(), access registers and see interrupts.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_initiator_socket.h>

#include <exception>
#include <functional>
#include <systemc>
#include <tlm>

namespace systole::sim {

class HostCpu : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<HostCpu> bus;
  sc_core::sc_in<bool> core_irq;
  sc_core::sc_in<bool> dma_irq;

  SC_HAS_PROCESS(HostCpu);
  explicit HostCpu(sc_core::sc_module_name name);

  /// From outside the kernel: hands in a job. The kernel pauses when it is done.
  void post(std::function<void()> job);
  bool done() const { return done_; }
  /// What the job threw; cleared by the next post().
  std::exception_ptr error() const { return error_; }

  /// From inside a job. Throws std::runtime_error naming the offset when the bus answers with an error.
  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);

 private:
  void run();
  void access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value);

  std::function<void()> job_;
  bool done_ = true;
  std::exception_ptr error_;
  sc_core::sc_event posted_;
};

}  // namespace systole::sim

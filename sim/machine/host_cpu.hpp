// SPDX-License-Identifier: Apache-2.0
// The processor that the driver runs on, as seen from the machine: one SystemC thread that executes jobs handed in from
// outside the kernel. A job may wait(), access registers and see interrupts; it does not throw, since exceptions on a
// coroutine's stack confuse the address sanitizer.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <string>
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

  /// From inside a job. False when the bus answered with an error, which bus_error() then describes.
  bool read(std::uint32_t offset, std::uint32_t& value) { return access(tlm::TLM_READ_COMMAND, offset, value); }
  bool write(std::uint32_t offset, std::uint32_t value) { return access(tlm::TLM_WRITE_COMMAND, offset, value); }
  const std::string& bus_error() const { return bus_error_; }

 private:
  void run();
  bool access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value);

  std::function<void()> job_;
  bool done_ = true;
  std::string bus_error_;
  sc_core::sc_event posted_;
};

}  // namespace systole::sim

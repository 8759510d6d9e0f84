// SPDX-License-Identifier: Apache-2.0
// The host's memory on its bus: the address space of this process, as far as it was pinned for DMA. Addresses on the
// bus are the pointers' values.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_target_socket.h>

#include <list>
#include <systemc>
#include <tlm>

namespace systole::sim {

class HostMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<HostMemory> socket;

  HostMemory(sc_core::sc_module_name name, sc_core::sc_time latency);

  /// Opens bytes to the bus until unpin(); returns their bus address. Ranges may overlap and nest.
  std::uint64_t pin(const void* bytes, std::size_t length);     ///< for reads
  std::uint64_t pin_writable(void* bytes, std::size_t length);  ///< for reads and writes
  void unpin(std::uint64_t address, std::size_t length);

 private:
  struct Range {
    std::uint64_t address;
    std::uint64_t length;
    bool writable;
  };
  const Range* find(const tlm::tlm_generic_payload& payload, std::uint64_t length) const;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);

  std::list<Range> ranges_;
  sc_core::sc_time latency_;
};

}  // namespace systole::sim

// SPDX-License-Identifier: Apache-2.0
// TLM-2.0 socket shell of the device memory: the host side's way to the bytes that the core reaches over AXI.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "storage.hpp"

namespace systole::sim {

class DeviceMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<DeviceMemory> socket;

  /// `latency` is that of one b_transport() access; DMI and debug accesses take no time by themselves.
  DeviceMemory(sc_core::sc_module_name name, Storage& storage, sc_core::sc_time latency);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);

  Storage& storage_;
  sc_core::sc_time latency_;
};

/// Moves the bytes of a generic payload to or from `bytes`, the memory at its address, with byte enables and streaming
/// width as TLM-2.0 defines them.
void copy_payload(tlm::tlm_generic_payload& payload, std::byte* bytes);

}  // namespace systole::sim

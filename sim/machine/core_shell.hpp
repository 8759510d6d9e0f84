// SPDX-License-Identifier: Apache-2.0
// SystemC shell of a Verilated core: its clock, its register bus as a TLM-2.0 target, its interrupt.
//
// One process activation simulates a quantum of clock cycles and then lets simulated time catch up. The quantum ends
// early at an interrupt edge, at the end of a register access, and where another process of the machine is due, so the
// core is never ahead of anything that could touch it: timing is exact for any quantum.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_target_socket.h>

#include <exception>
#include <systemc>
#include <tlm>

#include "core_model.hpp"

namespace systole::sim {

class CoreShell : public sc_core::sc_module {
 public:
  /// Word accesses, one at a time; b_transport() returns when the AXI4-Lite access has completed. SLVERR is
  /// TLM_GENERIC_ERROR_RESPONSE, DECERR is TLM_ADDRESS_ERROR_RESPONSE. No DMI, no debug access: registers have effects.
  tlm_utils::simple_target_socket<CoreShell> registers;
  sc_core::sc_out<bool> irq;

  SC_HAS_PROCESS(CoreShell);
  CoreShell(sc_core::sc_module_name name, CoreModel& core, sc_core::sc_time period, std::uint64_t quantum);

  /// With the gate closed the clock stands still while no register access is under way. For a core that is known to be
  /// idle: it saves simulating it through a long copy.
  void gate_clock(bool closed);

  /// What stopped the model, if anything has: it will not run again.
  std::exception_ptr failure() const { return failure_; }

 private:
  void clock();
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  static tlm::tlm_response_status refuse(const tlm::tlm_generic_payload& payload);
  std::uint64_t cycles_to_next_event() const;

  CoreModel& core_;
  sc_core::sc_time period_;
  std::uint64_t quantum_;
  bool gated_ = false;
  bool accessing_ = false;
  std::exception_ptr failure_;
  sc_core::sc_event wake_;      // the gate opened, or an access waits
  sc_core::sc_event answered_;  // the access completed
  sc_core::sc_event stopped_;   // never notified: where a failed core waits
};

}  // namespace systole::sim

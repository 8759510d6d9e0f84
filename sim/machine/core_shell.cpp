// SPDX-License-Identifier: Apache-2.0
#include "core_shell.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace systole::sim {

CoreShell::CoreShell(sc_core::sc_module_name name, CoreModel& core, sc_core::sc_time period, std::uint64_t quantum)
    : sc_module(name), registers("registers"), irq("irq"), core_(core), period_(period), quantum_(quantum) {
  registers.register_b_transport(this, &CoreShell::b_transport);
  // A method, not a thread: the model runs on the program's own stack, whose size it may need.
  SC_METHOD(clock);
}

void CoreShell::gate_clock(bool closed) {
  gated_ = closed;
  wake_.notify(sc_core::SC_ZERO_TIME);
}

std::uint64_t CoreShell::cycles_to_next_event() const {
  if (!sc_core::sc_pending_activity_at_future_time()) return quantum_;
  const double cycles = std::ceil(sc_core::sc_time_to_pending_activity() / period_);
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(cycles), 1, quantum_);
}

void CoreShell::clock() {
  irq.write(core_.interrupt());
  if (accessing_ && !core_.access_pending()) {
    accessing_ = false;
    answered_.notify();
  }
  if (sc_core::sc_pending_activity_at_current_time()) {
    next_trigger(sc_core::SC_ZERO_TIME);  // let all others react before the next cycle
    return;
  }
  if (gated_ && !accessing_) {
    next_trigger(wake_);
    return;
  }
  try {
    next_trigger(period_ * static_cast<double>(core_.run(cycles_to_next_event())));
  } catch (...) {
    failure_ = std::current_exception();
    next_trigger(stopped_);
    sc_core::sc_pause();
  }
}

tlm::tlm_response_status CoreShell::refuse(const tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr()) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_data_length() != 4 || payload.get_streaming_width() != 4) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_address() % 4 != 0 || payload.get_address() > 0xFFC) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

void CoreShell::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  payload.set_response_status(refuse(payload));
  if (!payload.is_response_ok()) return;
  while (accessing_) wait(answered_);
  RegisterAccess access{payload.is_write(), static_cast<std::uint32_t>(payload.get_address()), 0};
  if (access.write) std::memcpy(&access.value, payload.get_data_ptr(), 4);
  core_.start_access(access);
  accessing_ = true;
  wake_.notify(sc_core::SC_ZERO_TIME);
  wait(answered_);
  const RegisterAnswer answer = core_.answer();
  if (!access.write) std::memcpy(payload.get_data_ptr(), &answer.value, 4);
  if (answer.response == 2) payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (answer.response == 3) payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace systole::sim

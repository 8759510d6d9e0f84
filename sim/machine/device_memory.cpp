// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <cstring>

namespace systole::sim {

void copy_payload(tlm::tlm_generic_payload& payload, std::byte* bytes) {
  auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  const unsigned length = payload.get_data_length();
  const unsigned width = payload.get_streaming_width();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const bool write = payload.is_write();
  if (!enables && width >= length) {
    std::memcpy(write ? bytes : data, write ? data : bytes, length);
    return;
  }
  for (unsigned i = 0; i < length; ++i) {
    if (enables && enables[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
    std::byte& at = bytes[i % width];
    (write ? at : data[i]) = write ? data[i] : at;
  }
}

DeviceMemory::DeviceMemory(sc_core::sc_module_name name, Storage& storage, sc_core::sc_time latency)
    : sc_module(name), socket("socket"), storage_(storage), latency_(latency) {
  socket.register_b_transport(this, &DeviceMemory::b_transport);
  socket.register_get_direct_mem_ptr(this, &DeviceMemory::get_direct_mem_ptr);
  socket.register_transport_dbg(this, &DeviceMemory::transport_dbg);
}

void DeviceMemory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.is_read() || payload.is_write()) {
    if (payload.get_streaming_width() == 0) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
      return;
    }
    if (!storage_.contains(payload.get_address(), payload.get_data_length())) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    copy_payload(payload, storage_.data() + payload.get_address());
  }
  delay += latency_;
  payload.set_dmi_allowed(true);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

bool DeviceMemory::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.set_start_address(0);
  dmi.set_end_address(storage_.size() - 1);
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(storage_.data()));
  dmi.allow_read_write();
  return storage_.contains(payload.get_address(), 1);
}

unsigned DeviceMemory::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!storage_.contains(payload.get_address(), payload.get_data_length())) return 0;
  copy_payload(payload, storage_.data() + payload.get_address());
  return payload.get_data_length();
}

}  // namespace systole::sim

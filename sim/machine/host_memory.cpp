// SPDX-License-Identifier: Apache-2.0
#include "host_memory.hpp"

#include <algorithm>

#include "device_memory.hpp"

namespace systole::sim {

HostMemory::HostMemory(sc_core::sc_module_name name, sc_core::sc_time latency)
    : sc_module(name), socket("socket"), latency_(latency) {
  socket.register_b_transport(this, &HostMemory::b_transport);
  socket.register_get_direct_mem_ptr(this, &HostMemory::get_direct_mem_ptr);
  socket.register_transport_dbg(this, &HostMemory::transport_dbg);
}

std::uint64_t HostMemory::pin(const void* bytes, std::size_t length) {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes);
  ranges_.push_back({address, length, false});
  return address;
}

std::uint64_t HostMemory::pin_writable(void* bytes, std::size_t length) {
  const std::uint64_t address = pin(bytes, length);
  ranges_.back().writable = true;
  return address;
}

void HostMemory::unpin(std::uint64_t address, std::size_t length) {
  const auto range = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const Range& r) { return r.address == address && r.length == length; });
  if (range != ranges_.end()) ranges_.erase(range);
}

const HostMemory::Range* HostMemory::find(const tlm::tlm_generic_payload& payload, std::uint64_t length) const {
  const std::uint64_t address = payload.get_address();
  for (const Range& range : ranges_) {
    const bool inside = address >= range.address && address - range.address <= range.length &&
                        length <= range.length - (address - range.address);
    if (inside && (range.writable || !payload.is_write())) return &range;
  }
  return nullptr;
}

void HostMemory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.is_read() || payload.is_write()) {
    if (payload.get_streaming_width() == 0) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
      return;
    }
    if (!find(payload, payload.get_data_length())) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    copy_payload(payload, reinterpret_cast<std::byte*>(payload.get_address()));
  }
  delay += latency_;
  payload.set_dmi_allowed(true);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

bool HostMemory::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  const Range* range = find(payload, 1);
  if (!range) return false;
  dmi.set_start_address(range->address);
  dmi.set_end_address(range->address + range->length - 1);
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(range->address));
  if (range->writable) {
    dmi.allow_read_write();
  } else {
    dmi.allow_read();
  }
  return true;
}

unsigned HostMemory::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!find(payload, payload.get_data_length())) return 0;
  copy_payload(payload, reinterpret_cast<std::byte*>(payload.get_address()));
  return payload.get_data_length();
}

}  // namespace systole::sim

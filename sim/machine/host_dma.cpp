// SPDX-License-Identifier: Apache-2.0
#include "host_dma.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace systole::sim {
namespace {

using Socket = tlm_utils::simple_initiator_socket<HostDma>;

/// The memory behind `address` for direct access, or nullptr where the target does not grant all of the bytes.
unsigned char* direct(Socket& socket, std::uint64_t address, std::uint64_t bytes, bool write) {
  tlm::tlm_generic_payload payload;
  payload.set_address(address);
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  tlm::tlm_dmi dmi;
  if (!socket->get_direct_mem_ptr(payload, dmi)) return nullptr;
  if (!(write ? dmi.is_write_allowed() : dmi.is_read_allowed())) return nullptr;
  if (address < dmi.get_start_address() || address + bytes - 1 > dmi.get_end_address()) return nullptr;
  return dmi.get_dmi_ptr() + (address - dmi.get_start_address());
}

bool transport(Socket& socket, std::uint64_t address, unsigned char* data, unsigned bytes, bool write) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  wait(delay);
  return payload.is_response_ok();
}

}  // namespace

HostDma::HostDma(sc_core::sc_module_name name, const Timing& timing)
    : sc_module(name), host("host"), device("device"), irq("irq"), timing_(timing) {
  SC_THREAD(engine);
  SC_METHOD(drive_irq);
  sensitive << changed_;
}

std::uint64_t HostDma::start(const Copy& copy) {
  queue_.push_back({copy, sc_core::sc_time_stamp() + timing_.period * timing_.latency});
  started_.notify(sc_core::SC_ZERO_TIME);
  return ++tickets_;
}

void HostDma::acknowledge() {
  acknowledged_ = completed_;
  changed_.notify(sc_core::SC_ZERO_TIME);
}

bool HostDma::failed(std::uint64_t ticket) const {
  return std::find(failed_.begin(), failed_.end(), ticket) != failed_.end();
}

sc_core::sc_time HostDma::duration(std::uint64_t bytes) const {
  const std::uint64_t periods = (bytes + timing_.bytes_per_period - 1) / timing_.bytes_per_period;
  return timing_.period * static_cast<double>(periods);
}

void HostDma::engine() {
  for (;;) {
    while (queue_.empty()) wait(started_);
    const Queued next = queue_.front();
    queue_.pop_front();
    if (next.earliest > sc_core::sc_time_stamp()) wait(next.earliest - sc_core::sc_time_stamp());
    bool good = true;
    for (std::uint64_t done = 0; good && done < next.copy.bytes;) {
      const std::uint64_t bytes = std::min(kChunk, next.copy.bytes - done);
      wait(duration(bytes));
      good = move(next.copy, done, bytes);
      done += bytes;
    }
    ++completed_;
    if (!good) failed_.push_back(completed_);
    changed_.notify(sc_core::SC_ZERO_TIME);
  }
}

void HostDma::drive_irq() { irq.write(completed_ != acknowledged_); }

bool HostDma::move(const Copy& copy, std::uint64_t offset, std::uint64_t bytes) {
  Socket& from = copy.to_device ? host : device;
  Socket& to = copy.to_device ? device : host;
  const std::uint64_t source = (copy.to_device ? copy.host : copy.device) + offset;
  const std::uint64_t target = (copy.to_device ? copy.device : copy.host) + offset;
  const unsigned char* read = direct(from, source, bytes, false);
  unsigned char* write = direct(to, target, bytes, true);
  if (read && write) {
    std::memcpy(write, read, bytes);
    return true;
  }
  std::array<unsigned char, 256> beat;
  for (std::uint64_t done = 0; done < bytes;) {
    const auto part = static_cast<unsigned>(std::min<std::uint64_t>(beat.size(), bytes - done));
    if (!transport(from, source + done, beat.data(), part, false)) return false;
    if (!transport(to, target + done, beat.data(), part, true)) return false;
    done += part;
  }
  return true;
}

}  // namespace systole::sim

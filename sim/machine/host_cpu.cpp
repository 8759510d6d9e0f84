// SPDX-License-Identifier: Apache-2.0
#include "host_cpu.hpp"

#include <fmt/core.h>

namespace systole::sim {

HostCpu::HostCpu(sc_core::sc_module_name name) : sc_module(name), bus("bus"), core_irq("core_irq"), dma_irq("dma_irq") {
  SC_THREAD(run);
}

void HostCpu::post(std::function<void()> job) {
  job_ = std::move(job);
  done_ = false;
  posted_.notify(sc_core::SC_ZERO_TIME);
}

void HostCpu::run() {
  for (;;) {
    while (done_) wait(posted_);
    job_();
    done_ = true;
    sc_core::sc_pause();
  }
}

bool HostCpu::access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  bus->b_transport(payload, delay);
  if (!payload.is_response_ok()) {
    bus_error_ = fmt::format("register {} at offset {:#05x}: {}", payload.is_write() ? "write" : "read", offset,
                             payload.get_response_string());
  }
  return payload.is_response_ok();
}

}  // namespace systole::sim

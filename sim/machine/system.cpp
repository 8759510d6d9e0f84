// SPDX-License-Identifier: Apache-2.0
#include "system.hpp"

namespace systole::sim {

sc_core::sc_time Machine::period() { return {1, sc_core::SC_NS}; }

Machine::Machine(sc_core::sc_module_name name, CoreModel& model, Storage& storage, const MachineOptions& options)
    : sc_module(name),
      cpu("cpu"),
      host_memory("host_memory", period() * 50),
      dma("dma", {period(), options.host_latency, options.host_bytes_per_cycle}),
      device_memory("device_memory", storage, period() * 100),
      core("core", model, period(), options.quantum),
      core_irq("core_irq"),
      dma_irq("dma_irq") {
  cpu.bus.bind(core.registers);
  dma.host.bind(host_memory.socket);
  dma.device.bind(device_memory.socket);
  core.irq(core_irq);
  cpu.core_irq(core_irq);
  dma.irq(dma_irq);
  cpu.dma_irq(dma_irq);
}

}  // namespace systole::sim

// SPDX-License-Identifier: Apache-2.0
// The machine around the core: host processor, host memory, host DMA engine, device memory, register bus, interrupts.
//
//   HostCpu --bus--> CoreShell.registers (core) --AXI--> Storage <--- DeviceMemory.socket <-- HostDma.device
//      ^---- core_irq, dma_irq                                          HostMemory.socket <-- HostDma.host
#pragma once

#include <memory>
#include <systemc>

#include "core_shell.hpp"
#include "device_memory.hpp"
#include "host_cpu.hpp"
#include "host_dma.hpp"
#include "host_memory.hpp"

namespace systole::sim {

struct MachineOptions {
  unsigned host_latency = 500;         ///< clock cycles before a DMA copy moves its first byte
  unsigned host_bytes_per_cycle = 16;  ///< DMA bandwidth
  std::uint64_t quantum = 1024;        ///< clock cycles simulated per process activation
};

struct Machine : sc_core::sc_module {
  /// `core` and `storage` must outlive the machine.
  Machine(sc_core::sc_module_name name, CoreModel& core, Storage& storage, const MachineOptions& options);

  static sc_core::sc_time period();  ///< of the clock

  HostCpu cpu;
  HostMemory host_memory;
  HostDma dma;
  DeviceMemory device_memory;
  CoreShell core;
  sc_core::sc_signal<bool> core_irq;
  sc_core::sc_signal<bool> dma_irq;
};

}  // namespace systole::sim

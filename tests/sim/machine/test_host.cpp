// SPDX-License-Identifier: Apache-2.0
// The TLM-2.0 side of the machine without a core: memory shells, host DMA data and timing, and several SystemC kernels
// in one process.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "device_memory.hpp"
#include "host_dma.hpp"
#include "host_memory.hpp"
#include "systemc_kernel.hpp"

namespace systole::sim {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;

struct Probe : sc_core::sc_module {
  SC_HAS_PROCESS(Probe);
  explicit Probe(sc_core::sc_module_name name) : sc_module(name), socket("socket") { SC_METHOD(idle); }
  void idle() {}  // SystemC warns when it is started with nothing to do
  tlm_utils::simple_initiator_socket<Probe> socket;
};

/// A target that stores bytes but grants no direct access, as an I/O device would.
struct Plain : sc_core::sc_module {
  Plain(sc_core::sc_module_name name, Storage& storage) : sc_module(name), socket("socket"), storage(storage) {
    socket.register_b_transport(this, &Plain::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    const bool inside = storage.contains(payload.get_address(), payload.get_data_length());
    if (inside) copy_payload(payload, storage.data() + payload.get_address());
    payload.set_response_status(inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    delay += sc_time(1, SC_NS);
  }
  tlm_utils::simple_target_socket<Plain> socket;
  Storage& storage;
};

/// The engine between host memory and a device memory with or without direct access.
struct Rig {
  explicit Rig(bool direct) {
    const Kernel::Scope scope(kernel);
    host = std::make_unique<HostMemory>("host", sc_time(50, SC_NS));
    dma = std::make_unique<HostDma>("dma", HostDma::Timing{sc_time(1, SC_NS), 500, 16});
    irq = std::make_unique<sc_core::sc_signal<bool>>("irq");
    dma->irq(*irq);
    dma->host.bind(host->socket);
    if (direct) {
      device = std::make_unique<DeviceMemory>("device", storage, sc_time(100, SC_NS));
      dma->device.bind(device->socket);
    } else {
      plain = std::make_unique<Plain>("plain", storage);
      dma->device.bind(plain->socket);
    }
  }
  ~Rig() {
    const Kernel::Scope scope(kernel);
    device.reset(), plain.reset(), dma.reset(), host.reset(), irq.reset();
  }
  void run(double ns) {
    const Kernel::Scope scope(kernel);
    sc_core::sc_start(sc_time(ns, SC_NS));
  }
  std::uint64_t start(const HostDma::Copy& copy) {
    const Kernel::Scope scope(kernel);
    return dma->start(copy);
  }
  Storage storage{1 << 20};
  Kernel kernel;
  std::unique_ptr<HostMemory> host;
  std::unique_ptr<HostDma> dma;
  std::unique_ptr<sc_core::sc_signal<bool>> irq;
  std::unique_ptr<DeviceMemory> device;
  std::unique_ptr<Plain> plain;
};

std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i * 31 + seed + (i >> 8));
  return data;
}

TEST(HostDma, LatencyBandwidthAndInterrupt) {
  Rig rig(true);
  const auto data = pattern(1600, 1);
  const std::uint64_t address = rig.host->pin(data.data(), data.size());
  EXPECT_EQ(rig.start({address, 0x100, data.size(), true}), 1u);
  rig.run(599);  // 500 of latency + 100 of transfer, less one
  EXPECT_EQ(rig.dma->completed(), 0u);
  EXPECT_FALSE(rig.irq->read());
  rig.run(2);
  EXPECT_EQ(rig.dma->completed(), 1u);
  EXPECT_TRUE(rig.irq->read());
  EXPECT_EQ(std::memcmp(rig.storage.data() + 0x100, data.data(), data.size()), 0);
  {
    const Kernel::Scope scope(rig.kernel);
    rig.dma->acknowledge();
  }
  rig.run(1);
  EXPECT_FALSE(rig.irq->read());
}

TEST(HostDma, QueuedCopiesOverlapTheirLatency) {
  Rig rig(true);
  const auto data = pattern(16000, 2);
  const std::uint64_t address = rig.host->pin(data.data(), data.size());
  for (int i = 0; i < 3; ++i) rig.start({address, static_cast<std::uint64_t>(i) * 0x10000, data.size(), true});
  rig.run(500 + 1999);
  EXPECT_EQ(rig.dma->completed(), 1u);
  rig.run(2);
  EXPECT_EQ(rig.dma->completed(), 2u);
  rig.run(1000);
  EXPECT_EQ(rig.dma->completed(), 3u);
}

TEST(HostDma, BytesMoveInChunks) {
  Rig rig(true);
  const auto data = pattern(200000, 3);
  const std::uint64_t address = rig.host->pin(data.data(), data.size());
  rig.start({address, 0, data.size(), true});
  rig.run(500 + 65536 / 16 + 1);
  EXPECT_EQ(rig.dma->completed(), 0u);
  EXPECT_EQ(std::memcmp(rig.storage.data(), data.data(), 65536), 0);
  EXPECT_EQ(static_cast<int>(rig.storage.data()[65536 + 1]), 0);
  rig.run(1e6);
  EXPECT_EQ(std::memcmp(rig.storage.data(), data.data(), data.size()), 0);
}

TEST(HostDma, WithoutDirectAccess) {
  Rig rig(false);
  const auto data = pattern(1000, 4);
  std::vector<unsigned char> back(1000);
  rig.start({rig.host->pin(data.data(), data.size()), 7, data.size(), true});
  rig.start({rig.host->pin_writable(back.data(), back.size()), 7, back.size(), false});
  rig.run(1e6);
  EXPECT_EQ(rig.dma->completed(), 2u);
  EXPECT_FALSE(rig.dma->failed(1));
  EXPECT_EQ(back, data);
}

TEST(HostDma, BusErrorEndsTheCopy) {
  Rig rig(true);
  const auto data = pattern(4096, 5);
  const std::uint64_t address = rig.host->pin(data.data(), data.size());
  rig.start({address, (1 << 20) - 100, data.size(), true});  // past the end of the device memory
  rig.start({address, 0, data.size(), false});               // into bytes that are pinned for reading
  rig.start({address + 1, 0, data.size(), true});            // past the pinned bytes
  rig.start({address, 0, data.size(), true});
  rig.run(1e7);
  EXPECT_EQ(rig.dma->completed(), 4u);
  EXPECT_TRUE(rig.dma->failed(1));
  EXPECT_TRUE(rig.dma->failed(2));
  EXPECT_TRUE(rig.dma->failed(3));
  EXPECT_FALSE(rig.dma->failed(4));
}

/// Accesses of a memory shell from a probe.
struct Shell {
  explicit Shell(Storage& storage) {
    const Kernel::Scope scope(kernel);
    memory = std::make_unique<DeviceMemory>("memory", storage, sc_time(100, SC_NS));
    probe = std::make_unique<Probe>("probe");
    probe->socket.bind(memory->socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  ~Shell() {
    const Kernel::Scope scope(kernel);
    probe.reset(), memory.reset();
  }
  static void fill(tlm::tlm_generic_payload& payload, bool write, std::uint64_t address, unsigned char* data,
                   unsigned n) {
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(n);
    payload.set_streaming_width(n);
    payload.set_byte_enable_ptr(nullptr);
  }
  Kernel kernel;
  std::unique_ptr<DeviceMemory> memory;
  std::unique_ptr<Probe> probe;
};

TEST(DeviceMemory, TransportDebugAndDirectAccessSeeTheSameBytes) {
  Storage storage(4096);
  Shell shell(storage);
  const Kernel::Scope scope(shell.kernel);
  unsigned char data[4] = {1, 2, 3, 4}, back[4] = {};
  tlm::tlm_generic_payload payload;
  sc_time delay = sc_core::SC_ZERO_TIME;
  Shell::fill(payload, true, 16, data, 4);
  shell.probe->socket->b_transport(payload, delay);
  EXPECT_TRUE(payload.is_response_ok());
  EXPECT_TRUE(payload.is_dmi_allowed());
  EXPECT_EQ(delay, sc_time(100, SC_NS));
  Shell::fill(payload, false, 16, back, 4);
  EXPECT_EQ(shell.probe->socket->transport_dbg(payload), 4u);
  EXPECT_EQ(std::memcmp(back, data, 4), 0);
  tlm::tlm_dmi dmi;
  EXPECT_TRUE(shell.probe->socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_dmi_ptr()[17], 2);
  EXPECT_EQ(dmi.get_end_address(), 4095u);
  EXPECT_EQ(static_cast<int>(storage.data()[18]), 3);
}

TEST(DeviceMemory, ByteEnablesAndStreaming) {
  Storage storage(4096);
  Shell shell(storage);
  const Kernel::Scope scope(shell.kernel);
  unsigned char data[4] = {1, 2, 3, 4}, enables[2] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
  tlm::tlm_generic_payload payload;
  sc_time delay = sc_core::SC_ZERO_TIME;
  Shell::fill(payload, true, 0, data, 4);
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(2);
  shell.probe->socket->b_transport(payload, delay);
  EXPECT_EQ(static_cast<int>(storage.data()[0]), 1);
  EXPECT_EQ(static_cast<int>(storage.data()[1]), 0);
  EXPECT_EQ(static_cast<int>(storage.data()[2]), 3);
  Shell::fill(payload, true, 8, data, 4);
  payload.set_streaming_width(2);  // a register written twice
  shell.probe->socket->b_transport(payload, delay);
  EXPECT_EQ(static_cast<int>(storage.data()[8]), 3);
  EXPECT_EQ(static_cast<int>(storage.data()[9]), 4);
  EXPECT_EQ(static_cast<int>(storage.data()[10]), 0);
}

TEST(DeviceMemory, OutsideIsAnAddressError) {
  Storage storage(4096);
  Shell shell(storage);
  const Kernel::Scope scope(shell.kernel);
  unsigned char data[4] = {};
  tlm::tlm_generic_payload payload;
  sc_time delay = sc_core::SC_ZERO_TIME;
  Shell::fill(payload, false, 4094, data, 4);
  shell.probe->socket->b_transport(payload, delay);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(shell.probe->socket->transport_dbg(payload), 0u);
}

TEST(Kernel, MachinesKeepTheirOwnTime) {
  const auto data = pattern(160, 6);
  Rig first(true);
  first.run(100);
  {
    Rig second(false);
    second.run(10);
    const std::uint64_t a = first.host->pin(data.data(), data.size()), b = second.host->pin(data.data(), data.size());
    first.start({a, 0, data.size(), true});
    second.start({b, 64, data.size(), true});
    second.run(1000);
    EXPECT_EQ(second.dma->completed(), 1u);
    EXPECT_EQ(first.dma->completed(), 0u);
  }
  first.run(600);
  EXPECT_EQ(first.dma->completed(), 1u);
  const Kernel::Scope scope(first.kernel);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(700, SC_NS));
}

}  // namespace
}  // namespace systole::sim

// SPDX-License-Identifier: Apache-2.0
// The RTL back end: every configuration identifies itself, registers and interrupt work, and a waveform
// changes nothing.
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "cores.hpp"
#include "rtl_backend.hpp"
#include "systole/backend.hpp"
#include "systole/generated/isa.hpp"
#include "systole/generated/registers.hpp"

namespace systole {
namespace {

class Configurations : public ::testing::TestWithParam<Configuration> {};

TEST_P(Configurations, IdentifyThemselves) {
  BackendOptions options;
  options.configuration = std::string(GetParam().name);
  options.stall_percent = 20;
  const auto device = make_rtl_backend(options);
  EXPECT_EQ(device->read_register(reg::kIdentity), 0x53595354u);
  EXPECT_EQ(device->read_register(reg::kDim), static_cast<std::uint32_t>(GetParam().dim));
  EXPECT_EQ(device->read_register(reg::kScratchRows), static_cast<std::uint32_t>(GetParam().scratch_rows));
  EXPECT_EQ(device->read_register(reg::kWeightRows), static_cast<std::uint32_t>(GetParam().weight_rows));
  EXPECT_EQ(device->read_register(reg::kAccRows), static_cast<std::uint32_t>(GetParam().acc_rows));
  EXPECT_EQ(device->read_register(reg::kParamRows), static_cast<std::uint32_t>(GetParam().param_rows));
  EXPECT_EQ(device->read_register(reg::kWatchdog), reg::kWatchdogReset);
  EXPECT_THROW(device->read_register(0xFFC), std::runtime_error);
  EXPECT_EQ(device->wait_interrupt(3000), Backend::Wake::kTimeout);  // no doorbell was rung
}
INSTANTIATE_TEST_SUITE_P(All, Configurations, ::testing::ValuesIn(test::built_configurations()),
                         [](const auto& info) { return std::string(info.param.name); });

/// A program that copies 64 runs of 256 bytes through the scratchpad, and the resulting memory.
struct Copied {
  std::vector<std::uint8_t> data;
  std::uint32_t cycles, read_beats, write_beats;
  std::uint64_t simulated;
  bool operator==(const Copied& o) const {
    return data == o.data && cycles == o.cycles && read_beats == o.read_beats && write_beats == o.write_beats &&
           simulated == o.simulated;
  }
};

std::vector<std::uint8_t> pattern() {
  std::vector<std::uint8_t> data(16384);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 13 + (i >> 7));
  return data;
}

Copied copy(Backend& device) {
  const int dim = device.configuration().dim;
  const int rows = 256 / dim;
  const auto data = pattern();
  isa::Load load;
  load.run_bytes = load.piece_bytes = load.slot_bytes = 256;
  load.count0 = load.valid_to = 8;
  load.src_stride0 = 256;
  load.dst_block = 1;
  load.dst_stride0 = rows;
  isa::Store store;
  store.piece_bytes = 256;
  store.count0 = 8;
  store.dst_stride0 = 256;
  store.src_block = 1;
  store.src_stride0 = rows;
  std::vector<isa::Instruction> ring;
  for (int i = 0; i < 8; ++i) {  // through one buffer in turn
    load.src = 0x2000 + i * 2048;
    store.dst = 0x8000 + i * 2048;
    load.sem = {};
    load.sem.wait0_sem = 1;
    load.sem.wait0_amount = i > 0;
    load.sem.signal0_sem = 0;
    load.sem.signal0_amount = 1;
    store.sem = {};
    store.sem.wait0_sem = 0;
    store.sem.wait0_amount = 1;
    store.sem.signal0_sem = 1;
    store.sem.signal0_amount = i < 7;
    ring.push_back(load.encode());
    ring.push_back(store.encode());
  }
  isa::End end;
  end.tag = 0x1234;
  ring.push_back(end.encode());
  device.copy_to_device(0x1000, ring.data(), ring.size() * sizeof(isa::Instruction));
  device.wait_copy(device.copy_to_device(0x3000, data.data(), data.size()));
  device.write_register(reg::kWindowBase, 0x1000);
  device.write_register(reg::kWindowSize, 0x10000);
  device.write_register(reg::kWindowPermission, 7);
  device.write_register(reg::kRingBase, 0);
  device.write_register(reg::kRingConfig, 5);
  device.write_register(reg::kIrqEnable, 3);
  device.write_register(reg::kTail, static_cast<std::uint32_t>(ring.size()));
  EXPECT_EQ(device.wait_interrupt(20000), Backend::Wake::kInterrupt);
  EXPECT_EQ(device.read_register(reg::kIrqStatus), 1u);
  EXPECT_EQ(device.read_register(reg::kEndTag), 0x1234u);
  EXPECT_EQ(device.read_register(reg::kErrorCount), 0u) << device.read_register(reg::kErrorCode);
  Copied result;
  result.data.resize(data.size());
  device.wait_copy(device.copy_from_device(result.data.data(), 0x9000, data.size()));
  result.cycles = device.read_register(reg::kCycles);
  result.read_beats = device.read_register(reg::kReadBeats);
  result.write_beats = device.read_register(reg::kWriteBeats);
  result.simulated = device.simulated_cycles();
  EXPECT_EQ(result.write_beats, data.size() / dim);
  EXPECT_EQ(result.data, data);
  return result;
}

TEST_P(Configurations, CopyThroughTheScratchpad) {
  BackendOptions options;
  options.configuration = std::string(GetParam().name);
  for (unsigned stall : {0u, 40u}) {
    options.stall_percent = stall;
    options.order = stall ? ResponseOrder::kRandom : ResponseOrder::kInOrder;
    copy(*make_rtl_backend(options));
  }
}

// Recording a waveform must not change the run.
TEST(RtlBackend, TracedAndUntracedRunsAgree) {
  BackendOptions options;
  options.configuration = sim::built_cores().front();
  options.stall_percent = 30;
  const Copied plain = copy(*make_rtl_backend(options));
  options.trace.file = ::testing::TempDir() + "/systole_rtl_backend.fst";
  EXPECT_TRUE(plain == copy(*make_rtl_backend(options)));
  std::remove(options.trace.file.c_str());
}

}  // namespace
}  // namespace systole

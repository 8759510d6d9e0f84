// SPDX-License-Identifier: Apache-2.0
// One fixed program with many memory timings: the result is always the same.
#include "cores.hpp"
#include "model_backend.hpp"
#include "pair.hpp"

namespace systole::programs {
namespace {

class AnyTiming : public ::testing::TestWithParam<std::string> {};

TEST_P(AnyTiming, GivesTheSameResult) {
  Source source(11);
  Setting setting = random_setting(source);
  setting.ring_log2 = 7;
  std::vector<isa::Instruction> commands, dispatch;
  Session model(model::open_model(quick_timing(GetParam())), setting);
  while (commands.size() < 40)
    commands = random_programs({60, 1, false, false}, model.configuration(), setting.windows, source);
  const Batch batch = pack(commands, true, setting, source, dispatch);
  ASSERT_EQ(refusal(dispatch, model.configuration(), setting.windows), "");
  model.fill(12);
  const Outcome expected = model.run(batch);
  ASSERT_TRUE(expected.good());
  const auto left = model.dump();

  std::vector<BackendOptions> memories;
  const std::vector<unsigned> latencies = {1, 2, 7, 40, 100, 300};
  for (const unsigned read : latencies) {
    for (const unsigned write : {read, 301 - read}) {
      for (const unsigned interval : {1u, 4u}) {
        for (const unsigned stall : {0u, 30u, 80u}) {
          BackendOptions o = quick_timing(GetParam(), memories.size() + 1);
          o.memory.read_latency = read;
          o.memory.write_latency = write;
          o.memory.read_interval = interval;
          o.memory.write_interval = 5 - interval;
          o.stall_percent = stall;
          o.order = memories.size() % 2 ? ResponseOrder::kRandom : ResponseOrder::kInOrder;
          memories.push_back(o);
        }
      }
    }
  }
  const int step = GetParam() == "tiny" ? 1 : 9;
  test::rounds(
      static_cast<int>(memories.size()) / step,
      [&](std::uint64_t seed) {
        const BackendOptions& memory = memories[seed % 1'000'003 * static_cast<std::size_t>(step) % memories.size()];
        Session rtl(test::open_rtl(memory), setting);
        rtl.fill(12);
        EXPECT_EQ(expected, rtl.run(batch));
        EXPECT_EQ(difference(left, rtl.dump(), model.configuration()), "");
      },
      0);
}

// The core idles between register accesses: data prefetched with the old ring registers and windows must not be used.
TEST_P(AnyTiming, RegistersWrittenLongBeforeTheDoorbell) {
  BackendOptions options = quick_timing(GetParam());
  const auto device = test::open_rtl(options);
  const std::vector<isa::Instruction> ring = {isa::SyncLoad{}.encode(), isa::End{}.encode()};
  std::uint32_t ends = 0;
  for (const std::uint32_t base : {0x40u, 0x1000u, 0x80u}) {
    for (const std::uint32_t window : {1u, 3u, 2u}) {
      device->wait_copy(
          device->copy_to_device(0x2000 * window + base, ring.data(), ring.size() * isa::kInstructionBytes));
      const std::uint32_t at = window * reg::kWindowBaseStride;
      device->write_register(reg::kControl, reg::kControlReset);
      device->run(500);
      const auto write = [&](std::uint32_t offset, std::uint32_t value) {
        device->write_register(offset, value);
        device->run(base);
      };
      write(reg::kIrqEnable, reg::kIrqEnableDone | reg::kIrqEnableError);
      write(reg::kRingBase, base);
      write(reg::kRingConfig, 1 | window << reg::kRingConfigWindowLsb);
      write(reg::kWindowBase + at, 0x2000 * window);
      write(reg::kWindowSize + at, 0x2000);
      write(reg::kWindowPermission + at, isa::kPermissionExecute);
      write(reg::kTail, 2);
      EXPECT_EQ(device->wait_interrupt(5000), Backend::Wake::kInterrupt);
      EXPECT_EQ(device->read_register(reg::kErrorCode), 0u);
      ends += device->read_register(reg::kEndCount);
      write(reg::kWindowPermission + at, 0);
    }
  }
  EXPECT_EQ(ends, 9u);
}

INSTANTIATE_TEST_SUITE_P(All, AnyTiming, ::testing::ValuesIn(test::built_among({"tiny", "default"})),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace systole::programs

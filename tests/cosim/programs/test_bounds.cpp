// SPDX-License-Identifier: Apache-2.0
// Isolation: neither host nor program can move a window under a running program, reach beyond a window by wrapping or
// by the width of a beat, or give an engine unbounded work. Model and RTL refuse it alike, and work after a reset.
#include <stdexcept>

#include "cores.hpp"
#include "functional_coverage.hpp"
#include "pair.hpp"
#include "systole/observer.hpp"

namespace systole::programs {
namespace {

Setting plain() {
  Setting s;
  s.windows[0] = {kData, 0x1000, isa::kPermissionRead | isa::kPermissionWrite};
  s.windows[3] = {kCode, kCodeBytes, isa::kPermissionExecute};
  return s;
}

isa::Load load_of(std::uint32_t from, std::uint32_t bytes) {
  isa::Load op;
  op.src = from;
  op.run_bytes = bytes;
  op.piece_step = op.piece_bytes = op.slot_bytes = static_cast<std::uint16_t>(bytes);
  op.dst_block = 1;
  op.valid_to = 1;
  return op;
}

/// Records where memory is read and written.
class Bursts final : public CoreObserver {
 public:
  Bursts(std::uint64_t first, std::uint64_t end, unsigned width) : first_(first), end_(end), width_(width) {}
  void burst(std::uint64_t, bool write, std::uint64_t address, unsigned beats, unsigned id) override {
    if (!write && id == 0) return;  // instructions
    ++seen;
    EXPECT_GE(address, first_);
    EXPECT_LE(address + std::uint64_t{beats} * width_, end_);
  }
  int seen = 0;

 private:
  std::uint64_t first_, end_;
  unsigned width_;
};

class Bounds : public ::testing::TestWithParam<std::string> {
 protected:
  /// Both sides record the error; the next program after a reset is correct.
  void expect(const Setting& setting, const isa::Instruction& bad, isa::ErrorCode code, isa::Engine engine,
              std::uint32_t address, std::uint32_t index = 1) {
    Pair pair(quick_timing(GetParam()), setting, source);
    for (Session* side : {&pair.model, &pair.rtl}) {
      const Outcome outcome = side->run({{isa::SyncLoad{}.encode(), bad, isa::End{}.encode()}, {}, 1}, 20000);
      SCOPED_TRACE(side->device().name() + ": " + outcome.text());
      EXPECT_EQ(outcome.error_code, static_cast<std::uint32_t>(code) | static_cast<std::uint32_t>(engine)
                                                                           << reg::kErrorCodeEngineLsb);
      EXPECT_EQ(outcome.error_index, index);
      EXPECT_EQ(outcome.error_address, address);
      EXPECT_EQ(outcome.irq, reg::kIrqStatusError);
      ASSERT_TRUE(side->reset());
      EXPECT_TRUE(side->run({{isa::SyncLoad{}.encode(), isa::End{}.encode()}, {}, 1}).good());
    }
  }
  Source source{9};
};

class Windows : public Bounds {};

TEST_P(Bounds, RegistersAreLockedWhileAProgramRuns) {
  isa::SyncVpu never;
  never.sem.wait0_amount = 1;
  for (const std::uint32_t offset :
       {reg::kRingBase, reg::kRingConfig, reg::kWindowBase, reg::kWindowSize + 2 * reg::kWindowSizeStride,
        reg::kWindowPermission + reg::kWindowPermissionStride}) {
    SCOPED_TRACE(fmt::format("register {:#x}", offset));
    BackendOptions options = quick_timing(GetParam());
    options.stall_percent = offset == reg::kRingConfig ? 30 : 0;
    Pair pair(options, plain(), source);
    for (Session* side : {&pair.model, &pair.rtl}) {
      SCOPED_TRACE(side->device().name());
      const std::uint32_t before = side->device().read_register(offset);
      side->start({{never.encode(), isa::End{}.encode()}, {}, 1});
      EXPECT_THROW(side->device().write_register(offset, 0x40), std::runtime_error);
      const Outcome outcome = side->finish(5000);
      EXPECT_EQ(outcome.error_code, static_cast<std::uint32_t>(isa::ErrorCode::kBusyRegister) |
                                        static_cast<std::uint32_t>(isa::Engine::kCommand) << reg::kErrorCodeEngineLsb);
      EXPECT_EQ(outcome.error_address, offset);
      EXPECT_EQ(outcome.irq, reg::kIrqStatusError);
      EXPECT_TRUE(outcome.status & reg::kStatusHalted);
      EXPECT_EQ(side->device().read_register(offset), before);
      ASSERT_TRUE(side->reset());
      side->device().write_register(offset, before);
      EXPECT_TRUE(side->run({{isa::SyncLoad{}.encode(), isa::End{}.encode()}, {}, 1}).good());
    }
    test::ran("COMMAND", "-", options.stall_percent > 0, to_string(isa::ErrorCode::kBusyRegister));
  }
}

TEST_P(Bounds, AWindowThatWrapsAllowsNothing) {
  Setting setting = plain();
  setting.windows[1] = {0xF000'0000, 0x2000'0000,
                        isa::kPermissionRead | isa::kPermissionWrite | isa::kPermissionExecute};
  isa::Load load = load_of(0x1000'0000 + kData, 64);  // the address would wrap to kData
  load.window = 1;
  expect(setting, load.encode(), isa::ErrorCode::kWindow, isa::Engine::kLoad, load.src);
  isa::Store store;
  store.window = 1;
  store.dst = 0x1000'0000 + kData;
  expect(setting, store.encode(), isa::ErrorCode::kWindow, isa::Engine::kStore, store.dst);
  isa::Jump jump;
  jump.window = 1;
  jump.target = 0x1000'0000;
  expect(setting, jump.encode(), isa::ErrorCode::kWindow, isa::Engine::kCommand, jump.target, 2);  // the jump target
}

TEST_P(Windows, OneThatTheCoreHasNotAllowsNothing) {
  Setting setting = plain();
  setting.windows[5] = {kData, 0x1000, isa::kPermissionRead};
  isa::Load load = load_of(0x40, 64);
  load.window = 5;
  Pair pair(quick_timing(GetParam()), setting, source);
  const auto windows = static_cast<std::uint32_t>(pair.rtl.configuration().windows);
  for (Session* side : {&pair.model, &pair.rtl}) {
    SCOPED_TRACE(side->device().name());
    EXPECT_EQ(side->device().read_register(reg::kWindows), windows);
    EXPECT_EQ(side->device().read_register(reg::kWindowSize + 5 * reg::kWindowSizeStride), windows > 5 ? 0x1000u : 0u);
    const Outcome outcome = side->run({{load.encode(), isa::End{}.encode()}, {}, 1}, 20000);
    EXPECT_EQ(outcome.good(), windows > 5) << outcome.text();
    EXPECT_EQ(outcome.error_code, windows > 5 ? 0u : static_cast<std::uint32_t>(isa::ErrorCode::kWindow));
    EXPECT_EQ(outcome.error_address, windows > 5 ? 0u : load.src);
  }
}

TEST_P(Bounds, WholeBeatsStayInTheWindow) {
  Setting setting = plain();
  setting.windows[0] = {kData + 0x1234, 0x5BF, isa::kPermissionRead};  // the hardware drops the lower bits
  constexpr std::uint32_t kFirst = kData + 0x1200, kSize = 0x580;
  Pair pair(quick_timing(GetParam()), setting, source);
  const auto width = static_cast<unsigned>(pair.rtl.configuration().dim);
  Bursts bursts(kFirst, kFirst + kSize, width);
  pair.rtl.device().observe(&bursts);
  for (Session* side : {&pair.model, &pair.rtl}) {
    SCOPED_TRACE(side->device().name());
    EXPECT_EQ(side->device().read_register(reg::kWindowBase), kFirst);
    EXPECT_EQ(side->device().read_register(reg::kWindowSize), kSize);
    Batch edges{{}, {}, 1};
    for (std::uint32_t bytes = 1; bytes <= 40; bytes += 3) {
      edges.ring.push_back(load_of(0, bytes).encode());
      edges.ring.push_back(load_of(kSize - bytes, bytes).encode());
      edges.ring.push_back(load_of(bytes, kSize - 2 * bytes).encode());
    }
    edges.ring.push_back(isa::End{}.encode());
    const Outcome outcome = side->run(edges);
    EXPECT_TRUE(outcome.good()) << outcome.text();
    const Outcome beyond = side->run({{load_of(kSize - 3, 4).encode(), isa::End{}.encode()}, {}, 1});
    EXPECT_EQ(beyond.error_code, static_cast<std::uint32_t>(isa::ErrorCode::kWindow));
    EXPECT_EQ(beyond.error_address, kSize - 3);
  }
  EXPECT_GT(bursts.seen, 40);
  pair.rtl.device().observe(nullptr);
}

/// The largest field values: thousands of years of work.
TEST_P(Bounds, NoCommandLastsForEver) {
  const auto refuse = [this](const isa::Instruction& endless) {
    expect(plain(), endless, isa::ErrorCode::kIllegalInstruction, isa::Engine::kCommand, endless.words[0]);
  };
  isa::Load fill = load_of(0, 1);  // reads nothing: all of it is fill
  fill.pieces = fill.count0 = fill.count1 = 65535;
  fill.valid_to = 0;
  refuse(fill.encode());
  isa::Load read = load_of(0, 1);  // one byte, again and again
  read.count0 = read.count1 = read.valid_to = 65535;
  refuse(read.encode());
  isa::Store store;
  store.pieces = store.piece_bytes = 65535;
  refuse(store.encode());
  isa::Map map;
  map.out_height = map.out_width = 65535;
  refuse(map.encode());
  isa::Maxpool pool;
  pool.out_height = pool.out_width = 128;
  pool.kernel_h = pool.kernel_w = 255;
  refuse(pool.encode());
}

INSTANTIATE_TEST_SUITE_P(All, Bounds, ::testing::ValuesIn(test::built_among({"tiny"})),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(All, Windows, ::testing::ValuesIn(test::built_among({"tiny", "large"})),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace systole::programs

// SPDX-License-Identifier: Apache-2.0
// Clock gating changes no cycle count. The core with gated clocks and the one whose clocks always run execute the same
// programs; the host only waits for the interrupt, since every register access wakes the clock.
#include <gtest/gtest.h>

#include "cosim.hpp"
#include "random_programs.hpp"
#include "rtl_backend.hpp"
#include "schedule.hpp"
#include "session.hpp"
#include "stuck_programs.hpp"
#include "systole/backends.hpp"
#include "systole/configurations.hpp"
#include "systole/generated/registers.hpp"

namespace systole::sim {
std::unique_ptr<CoreModel> make_core_tiny_ungated(Storage& storage, const CoreOptions& options);
}

namespace systole::programs {
namespace {

std::unique_ptr<Backend> open(const BackendOptions& options, bool gated) {
  return sim::make_machine_backend(
      options, [gated](const Configuration& c, sim::Storage& storage, const sim::CoreOptions& core) {
        return gated ? sim::make_core(c.name, storage, core) : sim::make_core_tiny_ungated(storage, core);
      });
}

/// The observable results of a run, including its cycles.
struct Seen {
  Backend::Wake wake;
  std::uint64_t cycles;  ///< from before the doorbell to the interrupt
  Outcome outcome;
  std::vector<std::uint32_t> counters;
};

bool operator==(const Seen& a, const Seen& b) {
  return a.wake == b.wake && a.cycles == b.cycles && a.outcome == b.outcome && a.counters == b.counters;
}

void PrintTo(const Seen& seen, std::ostream* out) {
  *out << fmt::format("{} after {} cycles: {}", seen.wake == Backend::Wake::kInterrupt ? "interrupt" : "time-out",
                      seen.cycles, seen.outcome.text());
}

/// Only the interrupt ends the wait: no register is read before a hundred thousand quiet cycles.
Seen run(Session& session, const Batch& batch) {
  constexpr std::uint64_t kQuiet = 800'000;
  const std::uint64_t before = session.device().simulated_cycles();
  session.start(batch);
  Seen seen{};
  seen.wake = session.device().wait_interrupt(kQuiet);
  seen.cycles = session.device().simulated_cycles() - before;
  EXPECT_EQ(seen.wake, Backend::Wake::kInterrupt);
  EXPECT_LT(seen.cycles, 100'000u) << "a register was read before the interrupt came";
  seen.outcome = session.finish();
  seen.counters.push_back(session.device().read_register(reg::kCycles));
  for (std::uint32_t i = 0; i < reg::kCauseCountCount; ++i) {
    seen.counters.push_back(session.device().read_register(reg::kCauseCount + i * reg::kCauseCountStride));
  }
  return seen;
}

Setting setting() {
  Setting s;
  s.windows[0] = {kData, kDataBytes, isa::kPermissionRead | isa::kPermissionWrite};
  s.windows[3] = {kCode, kCodeBytes, isa::kPermissionExecute};
  return s;
}

/// A long LOAD signals semaphore 0 by `amount`; every engine has `syncs` SYNCs that each wait for 1 of it.
Batch fan_out(std::uint8_t amount, int syncs) {
  isa::Load load;
  load.run_bytes = 0x4000;
  load.piece_bytes = load.slot_bytes = 4;
  load.valid_to = 1;
  load.sem.signal0_amount = amount;
  Batch batch{{load.encode()}, {}, 1};
  const auto waiting = [](auto sync) {
    sync.sem.wait0_amount = 1;
    return sync.encode();
  };
  for (int i = 0; i < syncs; ++i) {
    for (const auto& sync :
         {waiting(isa::SyncLoad{}), waiting(isa::SyncMxu{}), waiting(isa::SyncVpu{}), waiting(isa::SyncStore{})}) {
      batch.ring.push_back(sync);
    }
  }
  batch.ring.push_back(isa::End{}.encode());
  return batch;
}

class Gating : public ::testing::Test {
 protected:
  /// Runs both cores, which must agree to the cycle.
  Seen both(const BackendOptions& options, const Setting& where, const std::vector<Batch>& batches) {
    Session gated(open(options, true), where), running(open(options, false), where);
    Seen last{};
    for (const Batch& batch : batches) {
      last = run(gated, batch);
      EXPECT_EQ(last, run(running, batch));
    }
    EXPECT_EQ(gated.status(), running.status());
    return last;
  }
};

TEST_F(Gating, AnErrorThatFollowsTheLastSync) {
  const Seen seen = both(quick_timing("tiny"), setting(), {fan_out(33, 8)});
  EXPECT_EQ(seen.outcome.error_code, static_cast<std::uint32_t>(isa::ErrorCode::kSemaphoreAtEnd) |
                                         static_cast<std::uint32_t>(isa::Engine::kCommand) << reg::kErrorCodeEngineLsb);
}

TEST_F(Gating, ManySyncsOneAfterTheOther) {
  EXPECT_TRUE(both(quick_timing("tiny"), setting(), {fan_out(64, 16), fan_out(128, 32)}).outcome.good());
}

TEST_F(Gating, AnEndThatClears) {
  isa::End end;
  end.clear = 1;
  EXPECT_TRUE(
      both(quick_timing("tiny"), setting(), {fan_out(4, 1), {{end.encode()}, {}, 1}, fan_out(4, 1)}).outcome.good());
}

TEST_F(Gating, RandomPrograms) {
  test::rounds(12, [&](std::uint64_t seed) {
    Source source(seed);
    const Setting where = random_setting(source);
    const BackendOptions options = random_timing("tiny", source);
    const Configuration& c = find_configuration("tiny");
    std::vector<isa::Instruction> dispatch;
    const auto commands = random_programs({30, 1, true, false}, c, where.windows, source);
    Batch batch = pack(commands, true, where, source, dispatch);
    if (batch.ring.size() > std::size_t{1} << where.ring_log2)
      return;  // start() would wait for room by reading a register
    both(options, where, {batch});
  });
}

}  // namespace
}  // namespace systole::programs

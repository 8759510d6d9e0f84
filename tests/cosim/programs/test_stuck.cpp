// SPDX-License-Identifier: Apache-2.0
// Hangs: a bus that does not answer, and a program that waits for a signal that never comes. Both are reported, and a
// reset recovers from both.
#include "cores.hpp"
#include "functional_coverage.hpp"
#include "pair.hpp"
#include "rtl_backend.hpp"

namespace systole::programs {
namespace {

/// The RTL with a memory whose responses a test can hold back.
std::unique_ptr<Backend> open_faulty(const BackendOptions& options, const sim::AxiMemoryFaults& faults) {
  return sim::make_machine_backend(
      test::traced(options), [&faults](const Configuration& c, sim::Storage& storage, const sim::CoreOptions& core) {
        sim::CoreOptions with = core;
        with.memory.faults = &faults;
        return sim::make_core(c.name, storage, with);
      });
}

void expect_good(Session& session, const Setting& setting, Source& source) {
  session.fill(source.word());
  std::vector<isa::Instruction> dispatch;
  const auto commands = random_programs({10, 1, false, false}, session.configuration(), setting.windows, source);
  const Outcome outcome = session.run(pack(commands, false, setting, source, dispatch));
  EXPECT_TRUE(outcome.good()) << outcome.text();
}

void hold(bool sim::AxiMemoryFaults::*channel, std::uint32_t kind) {
  test::rounds(40, [&](std::uint64_t seed) {
    Source source(seed);
    Setting setting = random_setting(source);
    setting.ring_log2 = 6;  // more commands than can finish before the memory stops responding
    sim::AxiMemoryFaults faults;
    BackendOptions timing = random_timing(source.chance(80) || !test::is_built("default") ? "tiny" : "default", source);
    timing.memory.read_latency = std::min(timing.memory.read_latency, 100u);
    timing.memory.write_latency = std::min(timing.memory.write_latency, 100u);
    Session session(open_faulty(timing, faults), setting);
    session.fill(source.word());
    session.device().write_register(reg::kWatchdog, 1000);
    // As many LOADs and STOREs as fit the ring.
    Commands commands(session.configuration(), setting.windows, source);
    Batch batch;
    for (int i = 0; i < 1 << setting.ring_log2; ++i) {
      batch.ring.push_back(commands.one(kind == 1 || source.chance(50) ? isa::Opcode::kStore : isa::Opcode::kLoad));
    }
    batch.ends = 1;
    session.start(batch);
    session.device().run(static_cast<std::uint64_t>(source.range(0, 200)));
    faults.*channel = true;
    const Outcome outcome = session.finish(20'000);
    EXPECT_EQ(outcome.error_code,
              static_cast<std::uint32_t>(isa::ErrorCode::kBusStuck) | 4u << reg::kErrorCodeEngineLsb)
        << outcome.text();
    EXPECT_EQ(outcome.error_address, kind);
    EXPECT_TRUE(outcome.irq & reg::kIrqStatusError);
    EXPECT_TRUE(outcome.status & reg::kStatusHalted);
    test::ran("COMMAND", "-", timing.stall_percent > 0, to_string(isa::ErrorCode::kBusStuck));
    // The reset waits for outstanding responses, reports that, and ends when the bus answers.
    EXPECT_FALSE(session.reset(5000));
    EXPECT_TRUE(session.status() & reg::kStatusResetting);
    faults.*channel = false;
    session.device().run(20'000);
    EXPECT_EQ(session.status(), 0u);
    session.device().write_register(reg::kWatchdog, reg::kWatchdogReset);
    ASSERT_TRUE(session.reset());
    expect_good(session, setting, source);
  });
}

TEST(BusStuck, ReadsAreNotAnswered) { hold(&sim::AxiMemoryFaults::hold_reads, 0); }
TEST(BusStuck, WritesAreNotAnswered) { hold(&sim::AxiMemoryFaults::hold_responses, 1); }

TEST(Hang, NamesTheSemaphoreAndRecovers) {
  test::rounds(60, [](std::uint64_t seed) {
    Source source(seed);
    Setting setting = random_setting(source);
    setting.ring_log2 = 7;
    const BackendOptions timing = random_timing("tiny", source);
    Pair pair(timing, setting, source);
    pair.fill();
    // A chain with one lost signal: everything stops at the command that waits for it.
    auto commands = random_programs({15, 1, false, true}, pair.model.configuration(), setting.windows, source);
    std::vector<std::size_t> signals;
    for (std::size_t i = 0; i + 1 < commands.size(); ++i) {
      if (isa::decode_semaphores(commands[i]).signal0_amount) signals.push_back(i);
    }
    if (signals.empty()) return;
    isa::Instruction& silent = commands[source.of(signals)];
    isa::Semaphores s = isa::decode_semaphores(silent);
    s.signal0_amount = s.signal1_amount = 0;
    isa::encode(s, silent);
    ASSERT_NE(refusal(commands, pair.model.configuration(), setting.windows), "");
    std::vector<isa::Instruction> dispatch;
    const Batch batch = pack(commands, false, setting, source, dispatch);
    const Outcome expected = pair.model.run(batch), actual = pair.rtl.run(batch, 3000);
    EXPECT_TRUE(expected.timeout);
    EXPECT_TRUE(actual.timeout) << actual.text();
    EXPECT_EQ(actual.error_code, 0u);
    const std::uint32_t waits = pair.model.device().read_register(reg::kWaitingSemaphores);
    EXPECT_NE(waits, 0u);
    // The model stops at the first wait; on the RTL later commands of other engines may wait as well.
    const std::uint32_t rtl_waits = pair.rtl.device().read_register(reg::kWaitingSemaphores);
    for (unsigned e = 0; e < 4; ++e) {
      const std::uint32_t byte = waits >> 8 * e & 0xFF, rtl_byte = rtl_waits >> 8 * e & 0xFF;
      if (byte) {
        EXPECT_EQ(byte, rtl_byte);
        EXPECT_TRUE(actual.status >> (reg::kStatusEngineBusyLsb + e) & 1) << actual.text();
      }
      EXPECT_EQ((actual.status >> (reg::kStatusEngineWaitingLsb + e) & 1) != 0, (rtl_byte & 0x80) != 0)
          << actual.text();
    }
    pair.expect_sound();
  });
}

}  // namespace
}  // namespace systole::programs

// SPDX-License-Identifier: Apache-2.0
// Observers of the core receive every event once, in order, consistent with the program, the counters and the memory
// traffic; and observing changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "recorder.hpp"
#include "small_layer.hpp"
#include "systole/disassemble.hpp"
#include "systole/isa_check.hpp"

namespace systole::test {
namespace {

unsigned engine_of(const isa::Instruction& instruction) {
  return static_cast<unsigned>(isa::find_instruction(isa::get(instruction, 0, 8))->engine);
}

class Watched : public ::testing::TestWithParam<unsigned> {
 protected:
  Device device_ = Device::open(options(GetParam()), "rtl");
  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
  Computed<std::int8_t> run() {
    device_.attach(recorder_);
    return layer(device_);
  }
};

TEST_P(Watched, EveryCommandStartsAndRetiresOnceInOrder) {
  run();
  const Recorder& r = *recorder_;
  ASSERT_GT(r.instructions.size(), 20u);
  ASSERT_EQ(r.starts.size(), r.instructions.size());
  ASSERT_EQ(r.retirements.size(), r.instructions.size());
  for (const auto* events : {&r.starts, &r.retirements}) {
    std::array<std::vector<std::uint32_t>, kEngineCount> indices;
    std::vector<bool> seen(r.instructions.size());
    for (const CommandEvent& event : *events) {
      const std::uint32_t i = event.index - r.first_index;
      ASSERT_LT(i, r.instructions.size());
      EXPECT_FALSE(seen[i]) << "command " << i << " twice";
      seen[i] = true;
      EXPECT_EQ(event.engine, engine_of(r.instructions[i])) << isa::disassemble(r.instructions[i]);
      indices[event.engine].push_back(i);
    }
    for (const auto& of_engine : indices) {
      EXPECT_FALSE(of_engine.empty());
      EXPECT_TRUE(std::is_sorted(of_engine.begin(), of_engine.end()));
    }
  }
  std::vector<std::uint64_t> started(r.instructions.size());
  for (const CommandEvent& event : r.starts) started[event.index - r.first_index] = event.cycle;
  for (const CommandEvent& event : r.retirements) EXPECT_GT(event.cycle, started[event.index - r.first_index]);
}

TEST_P(Watched, CausesAddUpToTheCounters) {
  const RunStats stats = run().stats;
  // The counters attribute the two cycles between the doorbell's handshake and the first cycle of the run to its first
  // cause.
  constexpr std::uint64_t kDoorbellCycles = 2;
  for (unsigned engine = 0; engine < kEngineCount; ++engine) {
    std::array<std::uint64_t, kCauseCount> cycles{};
    const CauseEvent* before = nullptr;
    bool began = false;
    for (const CauseEvent& event : recorder_->causes) {
      if (event.engine != engine) continue;
      ASSERT_LT(event.cause, static_cast<unsigned>(kCauseCount));
      if (before) {
        EXPECT_NE(before->cause, event.cause) << "reported without a change";
        cycles[before->cause] += event.cycle - before->cycle;
        if (!began) cycles[event.cause] += kDoorbellCycles;
        began = true;
      }
      before = &event;
    }
    ASSERT_NE(before, nullptr);
    EXPECT_EQ(before->cause, static_cast<unsigned>(isa::Cause::kIdle)) << "the run has ended";
    // IDLE within the run cannot be distinguished here from IDLE before and after it.
    auto counted = stats.causes[engine];
    EXPECT_EQ(std::accumulate(counted.begin(), counted.end(), std::uint64_t{0}), stats.cycles);
    cycles[static_cast<std::size_t>(isa::Cause::kIdle)] = counted[static_cast<std::size_t>(isa::Cause::kIdle)] = 0;
    EXPECT_EQ(cycles, counted) << "engine " << engine;
  }
}

TEST_P(Watched, BurstsAreTheMemoryTraffic) {
  const RunStats stats = run().stats;
  std::uint64_t fetched = 0, loaded = 0, stored = 0;
  const auto dim = static_cast<unsigned>(device_.configuration().dim);
  for (const BurstEvent& burst : recorder_->bursts) {
    EXPECT_GE(burst.beats, 1u);
    EXPECT_EQ(burst.address / 4096, (burst.address + burst.beats * dim - 1) / 4096) << "a burst stays in its 4 KiB";
    (burst.write ? stored : burst.id == 0 ? fetched : loaded) += burst.beats;
  }
  EXPECT_EQ(fetched + loaded, stats.read_beats);
  EXPECT_EQ(stored, stats.write_beats);
  EXPECT_GE(fetched, stats.commands * isa::kInstructionBytes / dim);
  EXPECT_GT(loaded, 0u);
}

TEST_P(Watched, SemaphoresRiseWhenTheirSignallerRetires) {
  run();
  const Recorder& r = *recorder_;
  ASSERT_GT(r.semaphores.size(), 10u);
  const std::array<std::uint8_t, isa::kSemaphores> zero{};
  EXPECT_EQ(r.semaphores.front().values, zero);
  EXPECT_EQ(r.semaphores.back().values, zero);
  for (std::size_t i = 1; i < r.semaphores.size(); ++i) {
    EXPECT_NE(r.semaphores[i].values, r.semaphores[i - 1].values) << "reported without a change";
    for (std::uint32_t semaphore = 0; semaphore < isa::kSemaphores; ++semaphore) {
      if (r.semaphores[i].values[semaphore] <= r.semaphores[i - 1].values[semaphore]) continue;
      const bool signalled = std::any_of(r.retirements.begin(), r.retirements.end(), [&](const CommandEvent& event) {
        // A command commits with its last signal; semaphores take one signal a cycle, of all engines.
        const std::uint64_t risen = r.semaphores[i].cycle;
        if (event.cycle < risen || event.cycle > risen + 2 * kEngineCount) return false;
        const isa::Semaphores sem = isa::decode_semaphores(r.instructions[event.index - r.first_index]);
        return (sem.signal0_amount > 0 && sem.signal0_sem == semaphore) ||
               (sem.signal1_amount > 0 && sem.signal1_sem == semaphore);
      });
      EXPECT_TRUE(signalled) << "semaphore " << semaphore << " in cycle " << r.semaphores[i].cycle;
    }
  }
}

TEST_P(Watched, WatchingChangesNothing) {
  const auto watched = run();
  Device other = Device::open(options(GetParam()), "rtl");
  const auto plain = layer(other);
  EXPECT_EQ(watched.tensor.data, plain.tensor.data);
  EXPECT_EQ(watched.stats.cycles, plain.stats.cycles);
  EXPECT_EQ(watched.stats.causes, plain.stats.causes);
  EXPECT_EQ(watched.stats.read_beats, plain.stats.read_beats);
  EXPECT_EQ(device_.backend().simulated_cycles(), other.backend().simulated_cycles());
}

TEST_P(Watched, RunsAreFramed) {
  RunOptions named;
  named.name = "first layer";
  device_.attach(recorder_);
  const RunStats stats = layer(device_, named).stats;
  EXPECT_EQ(recorder_->name, "first layer");
  EXPECT_EQ(recorder_->runs_begun, 1);
  EXPECT_EQ(recorder_->runs_ended, 1);
  EXPECT_LE(stats.cycles, recorder_->ended - recorder_->began);
  EXPECT_GE(recorder_->starts.front().cycle, recorder_->began);
  EXPECT_LE(recorder_->retirements.back().cycle, recorder_->ended);
  layer(device_);
  EXPECT_EQ(recorder_->first_index, stats.commands);
  EXPECT_NE(recorder_->name, "first layer");
  EXPECT_FALSE(recorder_->name.empty());
  EXPECT_EQ(recorder_->runs_ended, 2);
}

INSTANTIATE_TEST_SUITE_P(Stalls, Watched, ::testing::Values(0u, 40u),
                         [](const auto& info) { return "Stall" + std::to_string(info.param); });

TEST(Observers, AllSeeTheSameUntilTheyLeave) {
  Device device = Device::open(options(), "rtl");
  const auto first = std::make_shared<Recorder>(), second = std::make_shared<Recorder>();
  device.attach(first);
  device.attach(second);
  layer(device);
  EXPECT_EQ(first->starts, second->starts);
  EXPECT_EQ(first->retirements, second->retirements);
  EXPECT_EQ(first->causes, second->causes);
  EXPECT_EQ(first->bursts, second->bursts);
  EXPECT_EQ(first->semaphores, second->semaphores);
  device.detach(*first);
  const std::size_t events = first->events();
  layer(device);
  EXPECT_EQ(first->events(), events);
  EXPECT_EQ(first->runs_begun, 1);
  EXPECT_EQ(second->runs_ended, 2);
  device.detach(*second);
  layer(device);
  EXPECT_EQ(second->runs_begun, 2);
  EXPECT_EQ(second.use_count(), 1);
}

TEST(Observers, ResetIsReported) {
  Device device = Device::open(options(), "rtl");
  const auto recorder = std::make_shared<Recorder>();
  device.attach(recorder);
  device.backend().run(10);
  EXPECT_TRUE(recorder->resets.empty());
  ASSERT_EQ(recorder->causes.size(), static_cast<std::size_t>(kEngineCount))
      << "the first cycle tells what each engine does";
  device.reset();
  EXPECT_EQ(recorder->resets.size(), 1u);
  layer(device);
  EXPECT_EQ(recorder->first_index, 0u) << "commands are counted from the reset";
  EXPECT_EQ(recorder->retirements.size(), recorder->instructions.size());
}

/// Throws at the given retirement.
struct ThrowingObserver : Observer {
  explicit ThrowingObserver(int at) : left(at) {}
  void retired(std::uint64_t cycle, unsigned, std::uint32_t) override {
    if (--left == 0) throw std::domain_error("seen enough in cycle " + std::to_string(cycle));
  }
  int left;
};

TEST(Observers, AnExceptionEndsTheSimulation) {
  Device device = Device::open(options(), "rtl");
  device.attach(std::make_shared<ThrowingObserver>(5));
  const auto recorder = std::make_shared<Recorder>();
  device.attach(recorder);
  EXPECT_THROW(layer(device), std::domain_error);
  EXPECT_EQ(recorder->retirements.size(), 4u) << "those who come later in the list are not told";
  EXPECT_EQ(recorder->runs_ended, 1);
  try {
    layer(device);
    ADD_FAILURE() << "the simulation went on";
  } catch (const std::domain_error& error) {
    EXPECT_NE(std::string(error.what()).find("seen enough in cycle "), std::string::npos);
  }
}

TEST(Observers, ARunMayBeRefusedBeforeItBegins) {
  struct RefusingObserver : Observer {
    void run_begins(const Listing&, std::uint32_t, const std::string&, std::uint64_t) override {
      throw std::domain_error("no");
    }
  };
  for (const char* backend : {"rtl", "model"}) {
    Device device = Device::open(options(), backend);
    const auto refusing = std::make_shared<RefusingObserver>();
    device.attach(refusing);
    EXPECT_THROW(layer(device), std::domain_error);
    device.detach(*refusing);
    EXPECT_NO_THROW(layer(device)) << backend;
  }
}

TEST(Observers, TheModelHasRunsButNoCycles) {
  Device device = Device::open(options(), "model");
  const auto recorder = std::make_shared<Recorder>();
  device.attach(recorder);
  layer(device);
  EXPECT_EQ(recorder->runs_begun, 1);
  EXPECT_EQ(recorder->runs_ended, 1);
  EXPECT_EQ(recorder->ended, 0u);
  EXPECT_EQ(recorder->events(), 0u);
  EXPECT_GT(recorder->instructions.size(), 20u);
}

TEST(Observers, MemoryIsReadWithoutTheBus) {
  for (const char* backend : {"rtl", "model"}) {
    Device device = Device::open(options(), backend);
    const auto data = random_bytes(1000, data_seed());
    const Buffer buffer = device.allocate(data.size());
    device.write(buffer, data.data(), data.size());
    const std::uint64_t cycles = device.backend().simulated_cycles();
    std::vector<std::int8_t> read(500);
    device.backend().read_memory(buffer.address() + 250, read.data(), read.size());
    EXPECT_TRUE(std::equal(read.begin(), read.end(), data.begin() + 250)) << backend;
    EXPECT_EQ(device.backend().simulated_cycles(), cycles);
    EXPECT_THROW(device.backend().read_memory((1 << 24) - 499, read.data(), read.size()), std::out_of_range);
  }
}

}  // namespace
}  // namespace systole::test

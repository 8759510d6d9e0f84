// SPDX-License-Identifier: Apache-2.0
// An observer that records every event of one run after another, and checks that cycles do not decrease.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "systole/device.hpp"
#include "systole/observer.hpp"

namespace systole::test {

struct CommandEvent {
  std::uint64_t cycle;
  unsigned engine;
  std::uint32_t index;
  bool operator==(const CommandEvent&) const = default;
};
struct CauseEvent {
  std::uint64_t cycle;
  unsigned engine;
  unsigned cause;
  bool operator==(const CauseEvent&) const = default;
};
struct BurstEvent {
  std::uint64_t cycle;
  bool write;
  std::uint64_t address;
  unsigned beats;
  unsigned id;
  bool operator==(const BurstEvent&) const = default;
};
struct SemaphoreEvent {
  std::uint64_t cycle;
  std::array<std::uint8_t, isa::kSemaphores> values;
  bool operator==(const SemaphoreEvent&) const = default;
};

struct Recorder : Observer {
  std::vector<CommandEvent> starts, retirements;
  std::vector<CauseEvent> causes;
  std::vector<BurstEvent> bursts;
  std::vector<SemaphoreEvent> semaphores;
  std::vector<std::uint64_t> resets;
  std::vector<isa::Instruction> instructions;  ///< of the last run
  std::uint32_t first_index = 0;
  std::string name;
  std::uint64_t began = 0, ended = 0;
  int runs_begun = 0, runs_ended = 0;

  void clear() { *this = Recorder(); }
  std::size_t events() const {
    return starts.size() + retirements.size() + causes.size() + bursts.size() + semaphores.size() + resets.size();
  }

  void was_reset(std::uint64_t cycle) override {
    see(cycle);
    resets.push_back(cycle);
  }
  void cause_changed(std::uint64_t cycle, unsigned engine, unsigned cause) override {
    see(cycle);
    causes.push_back({cycle, engine, cause});
  }
  void semaphores_changed(std::uint64_t cycle, const std::array<std::uint8_t, isa::kSemaphores>& values) override {
    see(cycle);
    semaphores.push_back({cycle, values});
  }
  void retired(std::uint64_t cycle, unsigned engine, std::uint32_t index) override {
    see(cycle);
    retirements.push_back({cycle, engine, index});
  }
  void started(std::uint64_t cycle, unsigned engine, std::uint32_t index) override {
    see(cycle);
    starts.push_back({cycle, engine, index});
  }
  void burst(std::uint64_t cycle, bool write, std::uint64_t address, unsigned beats, unsigned id) override {
    see(cycle);
    bursts.push_back({cycle, write, address, beats, id});
  }
  void run_begins(const Listing& program, std::uint32_t first, const std::string& run, std::uint64_t cycle) override {
    see(cycle);
    instructions = program.instructions;
    first_index = first;
    name = run;
    began = cycle;
    ++runs_begun;
  }
  void run_ended(std::uint64_t cycle) override {
    see(cycle);
    ended = cycle;
    ++runs_ended;
  }

 private:
  void see(std::uint64_t cycle) {
    EXPECT_GE(cycle, last_);
    last_ = cycle;
  }
  std::uint64_t last_ = 0;
};

}  // namespace systole::test

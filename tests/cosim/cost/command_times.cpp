// SPDX-License-Identifier: Apache-2.0
#include "command_times.hpp"

#include <gtest/gtest.h>

#include "systole/disassemble.hpp"
#include "systole/program.hpp"
#include "timing.hpp"

namespace systole::test {

class CommandTimes::Watch final : public Observer {
 public:
  void run_begins(const Listing& program, std::uint32_t first_index, const std::string&, std::uint64_t) override {
    first_ = first_index;
    committed.assign(program.instructions.size(), 0);
  }
  void started(std::uint64_t cycle, unsigned, std::uint32_t index) override {
    began_ = index == first_ ? cycle : began_;
  }
  void retired(std::uint64_t cycle, unsigned, std::uint32_t index) override {
    if (index - first_ < committed.size()) {
      committed[index - first_] = static_cast<std::int64_t>(cycle - 1 - began_);  // in the cycle before
    }
  }

  std::vector<std::int64_t> committed;

 private:
  std::uint64_t began_ = 0;
  std::uint32_t first_ = 0;
};

namespace {

BackendOptions options_of(const char* configuration) {
  BackendOptions options;
  options.configuration = configuration;
  return options;
}

}  // namespace

CommandTimes::CommandTimes(const char* configuration)
    : device_(Device::open(options_of(configuration), "rtl")), watch_(std::make_shared<Watch>()) {
  device_.attach(watch_);
}

void CommandTimes::load(const std::vector<kernel::Word>& words) {
  kernels_ = words;
  kernels_.resize(kernel::kMemoryWords);
  std::vector<std::uint8_t> bytes(kernels_.size() * sizeof(kernel::Word));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(kernels_[i / 8] >> 8 * (i % 8));
  }
  isa::Load load;
  load.space = static_cast<std::uint8_t>(isa::Space::kKernel);
  load.window = kConstantsWindow;
  load.run_bytes = static_cast<std::uint32_t>(bytes.size());
  load.piece_step = load.piece_bytes = load.slot_bytes = static_cast<std::uint16_t>(bytes.size());
  load.dst_block = 1;
  load.valid_to = 1;
  Program program;
  program.constant_bytes = bytes.size();
  program.constants.push_back({0, std::move(bytes)});
  run(std::move(program), {load.encode()});
}

void CommandTimes::run(Program program, const std::vector<isa::Instruction>& commands) {
  program.instructions = commands;
  program.label_of.resize(commands.size());
  program.labels.emplace_back();
  device_.run(program);
}

std::vector<std::int64_t> CommandTimes::measured(const std::vector<isa::Instruction>& commands) {
  run({}, commands);
  return watch_->committed;
}

std::vector<std::int64_t> CommandTimes::predicted(const std::vector<isa::Instruction>& commands) const {
  std::vector<compiler::Event> events(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    events[i].work = compiler::work_of(commands[i], configuration(), &kernels_);
  }
  const compiler::Timeline timeline = compiler::estimate(events, configuration(), {});
  std::vector<std::int64_t> committed = timeline.commit;
  for (std::int64_t& time : committed) {
    time -= timeline.issue.at(0);
  }
  return committed;
}

void expect_predicted(CommandTimes& core, const std::vector<isa::Instruction>& commands) {
  const std::vector<std::int64_t> predicted = core.predicted(commands), measured = core.measured(commands);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_EQ(predicted[i], measured[i]) << "command " << i << ": " << isa::disassemble(commands[i]);
  }
}

}  // namespace systole::test

// SPDX-License-Identifier: Apache-2.0
#include "timeline.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/disassemble.hpp"
#include "systole/isa_check.hpp"
#include "systole/listing.hpp"

namespace systole::timeline {
namespace {

// Groups: runs, one per engine, memory port, semaphores.
constexpr int kRuns = 1, kFirstEngine = 2, kMemory = 6, kSemaphores = 7;
// Rows of an engine: its cause, then as many rows for commands as overlap.
constexpr int kCause = 1, kCommands = 2;
constexpr Track kRun{kRuns, 1};
constexpr int kLayers = 2;
constexpr Track kFetched{kMemory, 1}, kLoaded{kMemory, 2}, kStored{kMemory, 3};

Track row(unsigned engine, int row) { return {kFirstEngine + static_cast<int>(engine), row}; }

}  // namespace

Timeline::Timeline(const std::string& path, const Configuration& configuration)
    : file_(path, configuration.name), beat_bytes_(static_cast<unsigned>(configuration.dim)) {
  file_.name_group(kRuns, "runs");
  file_.name_row(kRun, "run");
  for (unsigned engine = 0; engine < kEngines; ++engine) {
    file_.name_group(row(engine, 0).group, isa::to_string(static_cast<isa::Engine>(engine)));
    file_.name_row(row(engine, kCause), "cause");
  }
  file_.name_group(kMemory, "memory port");
  file_.name_row(kFetched, "bursts: instruction fetch");
  file_.name_row(kLoaded, "bursts: LOAD");
  file_.name_row(kStored, "bursts: STORE");
  file_.name_group(kSemaphores, "semaphores");
}

Timeline::~Timeline() {
  if (!finished_) end_all();
}

void Timeline::finish() {
  if (finished_) return;
  finished_ = true;
  end_all();
  file_.finish();
}

void Timeline::end_all() {
  for (unsigned engine = 0; engine < kEngines; ++engine) {
    while (!engines_[engine].taken.empty()) end_command(engine, 0, now_ + 1, "simulation");
    end_cause(engine, now_ + 1);
  }
  if (program_) end_run(now_ + 1);
}

void Timeline::was_reset(std::uint64_t cycle) {
  now_ = cycle;
  for (unsigned engine = 0; engine < kEngines; ++engine) {
    while (!engines_[engine].taken.empty()) end_command(engine, 0, cycle, "reset");
  }
}

void Timeline::cause_changed(std::uint64_t cycle, unsigned engine, unsigned cause) {
  now_ = cycle;
  Engine& e = engines_[engine];
  if (cause == e.cause) return;
  const bool run_began = !e.ran && cause != kIdle;
  e.ran |= run_began;
  end_cause(engine, cycle);
  e.cause = cause;
  e.since = run_began ? cycle - kDoorbellCycles : cycle;  // so that causes add up to the counters
}

void Timeline::end_cause(unsigned engine, std::uint64_t cycle) {
  const Engine& e = engines_[engine];
  if (e.cause != kIdle)
    file_.slice(row(engine, kCause), e.since, cycle, isa::to_string(static_cast<isa::Cause>(e.cause)));
}

void Timeline::semaphores_changed(std::uint64_t cycle, const std::array<std::uint8_t, isa::kSemaphores>& values) {
  now_ = cycle;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != semaphores_[i]) file_.counter(kSemaphores, cycle, fmt::format("semaphore {:02}", i), values[i]);
  }
  semaphores_ = values;
}

const isa::Instruction* Timeline::instruction(std::uint32_t index) const {
  const std::uint32_t i = index - first_index_;
  return program_ && i < program_->instructions.size() ? &program_->instructions[i] : nullptr;
}

std::string Timeline::layer_name(std::size_t label) const {
  return program_->labels.size() == 1 ? run_name_ : program_->labels[label];
}

int Timeline::free_lane(unsigned engine) {
  Engine& e = engines_[engine];
  int lane = 0;
  const auto used = [&](const Command& command) { return command.lane == lane; };
  while (std::any_of(e.taken.begin(), e.taken.end(), used)) ++lane;
  if (lane == e.lanes) {
    file_.name_row(row(engine, kCommands + lane), lane == 0 ? "commands" : "commands, overlapping");
    ++e.lanes;
  }
  return lane;
}

void Timeline::started(std::uint64_t cycle, unsigned engine, std::uint32_t index) {
  now_ = cycle;
  Command command{index, cycle, free_lane(engine), "command", {}};
  command.args = fmt::format("\"index\":{}", index);
  if (const isa::Instruction* words = instruction(index)) {
    if (const isa::InstructionInfo* info = isa::find_instruction(*words)) command.name = info->name;
    const std::uint32_t i = index - first_index_;
    const std::size_t label = i < program_->label_of.size() ? program_->label_of[i] : 0;
    if (label < layers_.size()) {
      if (layers_[label].start == 0) layers_[label].start = cycle;
      command.args += fmt::format(",\"layer\":{}", quoted(layer_name(label)));
    }
    command.args += fmt::format(",\"command\":{},\"instruction\":{}", i, quoted(isa::disassemble(*words)));
  }
  engines_[engine].taken.push_back(std::move(command));
}

void Timeline::retired(std::uint64_t cycle, unsigned engine, std::uint32_t index) {
  now_ = cycle;
  Engine& e = engines_[engine];
  const auto command = std::find_if(e.taken.begin(), e.taken.end(), [&](const Command& c) { return c.index == index; });
  if (command == e.taken.end()) return;  // taken before this observer was attached
  if (instruction(index)) {
    const std::uint32_t i = index - first_index_;
    const std::size_t label = i < program_->label_of.size() ? program_->label_of[i] : 0;
    if (label < layers_.size()) layers_[label].end = cycle;
  }
  end_command(engine, static_cast<std::size_t>(command - e.taken.begin()), cycle, nullptr);
  e.retired = cycle;
}

/// `end`: the reason if the command did not retire.
void Timeline::end_command(unsigned engine, std::size_t place, std::uint64_t cycle, const char* end) {
  Engine& e = engines_[engine];
  Command& command = e.taken[place];
  command.args += fmt::format(",\"oldest_cycles\":{}", cycle - std::max(command.start, std::min(cycle, e.retired)));
  if (end) command.args += fmt::format(",\"ended_by\":{}", quoted(end));
  file_.slice(row(engine, kCommands + command.lane), command.start, cycle, command.name, command.args);
  e.taken.erase(e.taken.begin() + static_cast<std::ptrdiff_t>(place));
}

void Timeline::burst(std::uint64_t cycle, bool write, std::uint64_t address, unsigned beats, unsigned id) {
  now_ = cycle;
  file_.slice(write     ? kStored
              : id == 0 ? kFetched
                        : kLoaded,
              cycle, cycle + 1, fmt::format("{} x {} B", beats, beat_bytes_),
              fmt::format("\"address\":\"{:#x}\"", address));
}

void Timeline::run_begins(const Listing& program, std::uint32_t first_index, const std::string& name,
                          std::uint64_t cycle) {
  now_ = run_start_ = cycle;
  program_ = &program;
  first_index_ = first_index;
  run_name_ = name;
  for (Engine& engine : engines_) engine.ran = false;
  layers_.assign(program.labels.size(), {});
}

void Timeline::run_ended(std::uint64_t cycle) {
  now_ = cycle;
  end_run(cycle);
  file_.flush();
}

void Timeline::end_run(std::uint64_t cycle) {
  end_layers();
  file_.slice(kRun, run_start_, cycle, run_name_,
              fmt::format("\"first_index\":{},\"commands\":{},\"useful_macs\":{},\"estimated_cycles\":{}", first_index_,
                          program_->instructions.size() + 1, program_->useful_macs, program_->estimated_cycles));
  program_ = nullptr;
}

/// Layers overlap if one begins before the previous one has ended: uses as many rows as necessary.
void Timeline::end_layers() {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i].end > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return layers_[a].start < layers_[b].start; });
  std::vector<std::uint64_t> lane_end;
  for (const std::size_t i : order) {
    const auto free =
        std::find_if(lane_end.begin(), lane_end.end(), [&](std::uint64_t end) { return end <= layers_[i].start; });
    const int lane = static_cast<int>(free - lane_end.begin());
    if (free == lane_end.end()) lane_end.emplace_back();
    lane_end[static_cast<std::size_t>(lane)] = layers_[i].end;
    const Track track{kRuns, kLayers + lane};
    if (lane == layer_lanes_) {
      file_.name_row(track, lane == 0 ? "layers" : "layers, overlapping");
      ++layer_lanes_;
    }
    const auto commands = std::count(program_->label_of.begin(), program_->label_of.end(), i);
    file_.slice(track, layers_[i].start, layers_[i].end, layer_name(i), fmt::format("\"commands\":{}", commands));
  }
}

}  // namespace systole::timeline

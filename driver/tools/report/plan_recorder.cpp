// SPDX-License-Identifier: Apache-2.0
#include "plan_recorder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "systole/listing.hpp"

namespace systole::report {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::vector<MemoryPlan> PlanRecorder::take() { return std::exchange(plans_, {}); }

void PlanRecorder::run_begins(const Listing& program, std::uint32_t first_index, const std::string&,
                              std::uint64_t cycle) {
  program_ = plans_.size() < runs_ ? &program : nullptr;
  first_ = first_index;
  begin_ = cycle;
  intervals_.assign(program_ == nullptr ? 0 : program.instructions.size(), {kNever, kNever});
}

Interval* PlanRecorder::interval(std::uint32_t index) {
  const std::uint32_t at = index - first_;
  return at < intervals_.size() ? &intervals_[at] : nullptr;
}

void PlanRecorder::started(std::uint64_t cycle, unsigned, std::uint32_t index) {
  if (Interval* i = interval(index)) {
    i->from = cycle - begin_;
  }
}

void PlanRecorder::retired(std::uint64_t cycle, unsigned, std::uint32_t index) {
  if (Interval* i = interval(index)) {
    i->until = cycle - begin_;
  }
}

void PlanRecorder::run_ended(std::uint64_t cycle) {
  if (program_ == nullptr) {
    return;
  }
  MemoryPlan plan;
  plan.cycles = cycle - begin_;
  plan.rows = {
      static_cast<std::uint32_t>(configuration_.scratch_rows), static_cast<std::uint32_t>(configuration_.weight_rows),
      static_cast<std::uint32_t>(configuration_.param_rows), static_cast<std::uint32_t>(configuration_.acc_rows)};
  Occupancy occupancy(configuration_);
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    Interval when = intervals_[i];
    if (when.from != kNever) {  // in a run that failed, not every instruction started
      when.until = std::min(when.until, plan.cycles);
      occupancy.add(program_->instructions[i], static_cast<std::uint32_t>(i), when);
    }
  }
  plan.occupied = occupancy.take();
  bound_size(plan, most_);
  plans_.push_back(std::move(plan));
  program_ = nullptr;
  intervals_.clear();
}

}  // namespace systole::report

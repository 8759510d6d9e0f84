// SPDX-License-Identifier: Apache-2.0
#include "memory_plans.hpp"

#include <iterator>

namespace systole::cli {

MemoryPlans::MemoryPlans(Device& device, const DeviceOptions& options, std::size_t runs) {
  if (options.memory_plan) {
    recorder_ = std::make_shared<report::PlanRecorder>(device.configuration(), runs);
    device.attach(recorder_);
  }
}

void MemoryPlans::add_to(nlohmann::ordered_json& run) {
  if (recorder_ == nullptr) {
    return;
  }
  std::vector<report::MemoryPlan> recorded = recorder_->take();
  plans_.insert(plans_.end(), std::make_move_iterator(recorded.begin()), std::make_move_iterator(recorded.end()));
  run["memory_plan"] = report::to_json(plans_.at(next_++));
}

}  // namespace systole::cli

// SPDX-License-Identifier: Apache-2.0
// --memory-plan: records the contents of the core's memories over time, as part of the JSON.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "options.hpp"
#include "plan_recorder.hpp"

namespace systole::cli {

/// Records the first `runs` runs of the device if the options ask for it; otherwise costs nothing.
class MemoryPlans {
 public:
  MemoryPlans(Device& device, const DeviceOptions& options, std::size_t runs);

  /// Adds `memory_plan` to the JSON of a run or layer: the plan of the next recorded run.
  void add_to(nlohmann::ordered_json& run);

 private:
  std::shared_ptr<report::PlanRecorder> recorder_;  ///< null without --memory-plan
  std::vector<report::MemoryPlan> plans_;
  std::size_t next_ = 0;
};

}  // namespace systole::cli

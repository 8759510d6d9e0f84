// SPDX-License-Identifier: Apache-2.0
// Observes a device and makes a memory plan of each of its runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory_plan.hpp"
#include "occupancy.hpp"
#include "systole/observer.hpp"

namespace systole::report {

class PlanRecorder final : public Observer {
 public:
  static constexpr std::size_t kMostRectangles = 1000;  ///< per plan

  /// Records the first `runs` runs, with at most `most` rectangles each.
  PlanRecorder(const Configuration& configuration, std::size_t runs, std::size_t most = kMostRectangles)
      : configuration_(configuration), runs_(runs), most_(most) {}

  /// Returns the plans so far, in the order of the runs, and clears them.
  std::vector<MemoryPlan> take();

  void run_begins(const Listing& program, std::uint32_t first_index, const std::string& name,
                  std::uint64_t cycle) override;
  void started(std::uint64_t cycle, unsigned engine, std::uint32_t index) override;
  void retired(std::uint64_t cycle, unsigned engine, std::uint32_t index) override;
  void run_ended(std::uint64_t cycle) override;

 private:
  Interval* interval(std::uint32_t index);

  const Configuration configuration_;
  const std::size_t runs_;
  const std::size_t most_;
  std::vector<MemoryPlan> plans_;
  const Listing* program_ = nullptr;  ///< set while its run is recorded
  std::uint32_t first_ = 0;
  std::uint64_t begin_ = 0;
  /// Per instruction, in cycles since the run began; `from` is kNever before it starts.
  std::vector<Interval> intervals_;
};

}  // namespace systole::report

// SPDX-License-Identifier: Apache-2.0
// The networks of a language model's steps on a device, each run compared with the host.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "language_model.hpp"
#include "network_table.hpp"
#include "options.hpp"

namespace systole::cli {

/// Totals of all steps.
struct StepFigures {
  std::size_t operators = 0, on_host = 0;             ///< of the networks that were compiled
  std::uint64_t cycles = 0;                           ///< 0 on the functional model
  std::vector<std::uint64_t> of_runs;                 ///< cycles of each step
  std::array<std::uint64_t, kEngineCount> working{};  ///< cycles in which each engine did useful work
  std::uint64_t compared = 0;                         ///< values
  std::uint64_t different = 0;                        ///< in any bit
  std::string nonfinite;                              ///< nonfinite_text() of the first step that has one
};

/// Counts the values, all of float32, and those that differ in any bit, NaNs included.
void count_differences(const std::vector<graph::Value>& seen, const std::vector<graph::Value>& wanted,
                       StepFigures& figures);

class StepNetworks {
 public:
  /// Opens the device. Without `compare`, results are taken as they are. Throws what open_device() throws.
  StepNetworks(const DeviceOptions& options, bool compare);

  /// Compiles graphs for the device, which must outlive what it returns: for generation::LanguageModel. Throws what
  /// compile_network() throws.
  generation::Prepare prepare();

  const StepFigures& figures() const { return figures_; }
  /// The latest step alone.
  const NetworkRun& last_step() const { return last_step_; }

 private:
  Device device_;
  const RunOptions run_options_;
  const bool compare_;
  StepFigures figures_;
  NetworkRun last_step_;
};

}  // namespace systole::cli

// SPDX-License-Identifier: Apache-2.0
// When commands commit, in cycles since the first one was taken by its engine: on the core, and by the cost model.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "systole/device.hpp"
#include "systole/kernel.hpp"

namespace systole::test {

class CommandTimes {
 public:
  explicit CommandTimes(const char* configuration);

  const Configuration& configuration() const { return device_.configuration(); }

  /// Writes the kernel memory.
  void load(const std::vector<kernel::Word>& words);

  /// Runs commands that wait for no other engine.
  std::vector<std::int64_t> measured(const std::vector<isa::Instruction>& commands);
  std::vector<std::int64_t> predicted(const std::vector<isa::Instruction>& commands) const;

 private:
  class Watch;

  void run(Program program, const std::vector<isa::Instruction>& commands);

  Device device_;
  std::shared_ptr<Watch> watch_;
  std::vector<kernel::Word> kernels_;
};

/// Expects that every command commits in the cycle that is predicted.
void expect_predicted(CommandTimes& core, const std::vector<isa::Instruction>& commands);

}  // namespace systole::test

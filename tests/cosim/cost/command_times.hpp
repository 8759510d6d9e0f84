// SPDX-License-Identifier: Apache-2.0
// When commands are taken by their engines and commit: measured on the core, and by the cost model.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "systole/device.hpp"
#include "systole/kernel.hpp"

namespace systole::test {

/// In cycles since the first command was taken.
struct CommandTime {
  std::int64_t taken = 0, committed = 0;
  bool operator==(const CommandTime&) const = default;
};

class CommandTimes {
 public:
  explicit CommandTimes(const char* configuration);

  const Configuration& configuration() const { return device_.configuration(); }

  /// Writes the kernel memory.
  void load(const std::vector<kernel::Word>& words);

  /// Runs commands that wait for no other engine.
  std::vector<CommandTime> measured(const std::vector<isa::Instruction>& commands);
  std::vector<CommandTime> predicted(const std::vector<isa::Instruction>& commands) const;

 private:
  class Watch;

  void run(const std::vector<isa::Instruction>& commands);

  Device device_;
  std::shared_ptr<Watch> watch_;
  std::vector<kernel::Word> kernels_;
};

}  // namespace systole::test

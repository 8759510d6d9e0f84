// SPDX-License-Identifier: Apache-2.0
// Functional coverage of VECTOR, TABLE and MAP by programs that ran right: the instructions, and what the
// micro-instructions of the kernels were (tests/coverage/functional.toml).
#pragma once

#include <vector>

#include "kernel_use.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/isa_check.hpp"

namespace systole::programs {

class VectorCoverage {
 public:
  explicit VectorCoverage(const Configuration& configuration) : c_(configuration) {}

  /// The commands of programs whose kernels are those of kernels_of().
  void add(const std::vector<isa::Instruction>& commands);

  /// Reports all that was added, each cell once.
  void report(bool stalled) const;

 private:
  const Configuration& c_;
  test::KernelUses uses_;
};

}  // namespace systole::programs

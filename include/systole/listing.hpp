// SPDX-License-Identifier: Apache-2.0
// Instructions in program order, the layers that they belong to, and what they are expected to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "systole/bits.hpp"

namespace systole {

struct Listing {
  std::vector<isa::Instruction> instructions;  ///< without the END that the device appends
  std::vector<std::uint16_t> label_of;         ///< per instruction, index into labels
  std::vector<std::string> labels;             ///< names of the layers: of a network, or an operator each
  std::uint64_t useful_macs = 0;               ///< multiply-accumulates that the operators ask for
  std::int64_t estimated_cycles = 0;           ///< by the cost model, doorbell to interrupt

  /// Layer that an instruction belongs to, or "".
  std::string label(std::size_t instruction) const {
    return instruction < label_of.size() ? labels[label_of[instruction]] : std::string();
  }
};

}  // namespace systole

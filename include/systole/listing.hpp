// SPDX-License-Identifier: Apache-2.0
// The instructions of a program in order, the layers that they belong to, and their expected work and cycles.
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
  std::vector<std::string> labels;             ///< names of the layers
  std::uint64_t useful_macs = 0;               ///< multiply-accumulates that the operators need
  std::int64_t estimated_cycles = 0;           ///< from the doorbell to the interrupt, by the cost model

  /// Name of the layer that an instruction belongs to, or "".
  std::string label(std::size_t instruction) const {
    return instruction < label_of.size() ? labels[label_of[instruction]] : std::string();
  }
};

}  // namespace systole

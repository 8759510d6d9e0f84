// SPDX-License-Identifier: Apache-2.0
// The core's memories as they lie in the Verilated model, for whoever compares them while a program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::sim {

/// Rows of a memory in banks that follow each other.
struct MemoryRows {
  std::vector<const std::uint8_t*> banks;
  std::size_t bank_rows = 0;
  std::size_t row_bytes = 0;

  const std::uint8_t* row(std::size_t row) const { return banks[row / bank_rows] + row % bank_rows * row_bytes; }
};

/// Contents as they are now; the pointers stay valid as long as the model. Empty for a design that has no such
/// memories.
struct OnChip {
  MemoryRows scratchpad, weights, parameters;  ///< DIM bytes per row
  MemoryRows accumulators;                     ///< DIM int32 per row
  std::vector<const std::uint8_t*> tables;     ///< copies of the look-up table, 256 bytes each: the first four
};

}  // namespace systole::sim

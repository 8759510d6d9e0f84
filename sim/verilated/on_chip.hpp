// SPDX-License-Identifier: Apache-2.0
// The core's memories inside the Verilated model, for comparison while a program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::sim {

/// The rows of a memory in banks, one bank after the other, or in turn; then those of a further bank.
struct MemoryRows {
  std::vector<const std::uint8_t*> banks;
  std::size_t bank_rows = 0;
  std::size_t row_bytes = 0;
  bool in_turn = false;
  const std::uint8_t* last_bank = nullptr;
  std::size_t last_rows = 0;

  std::size_t equal_rows() const { return banks.size() * bank_rows; }  ///< of the banks of one size
  std::size_t rows() const { return equal_rows() + last_rows; }
  /// Rows from this one on that follow each other in a bank.
  std::size_t contiguous(std::size_t row) const {
    return row >= equal_rows() ? rows() - row : in_turn ? 1 : bank_rows - row % bank_rows;
  }
  const std::uint8_t* row(std::size_t row) const {
    if (row >= equal_rows()) {
      return last_bank + (row - equal_rows()) * row_bytes;
    }
    const std::size_t bank = in_turn ? row % banks.size() : row / bank_rows;
    return banks[bank] + (in_turn ? row / banks.size() : row % bank_rows) * row_bytes;
  }
};

/// Pointers to the current contents, which are valid during the lifetime of the model. Those that a design lacks are
/// empty and not compared.
struct OnChip {
  MemoryRows scratchpad, weights, parameters;  ///< DIM bytes per row
  MemoryRows accumulators;                     ///< DIM int32 per row
  std::vector<const std::uint8_t*> tables;     ///< the first four copies of the look-up table, 256 bytes each
  MemoryRows kernels;                          ///< DIM bytes per row
  MemoryRows registers;                        ///< rows of DIM words: strip_rows of each vector register in turn
  std::vector<const std::uint8_t*> words;      ///< copies of the table that kernels read, 1,024 bytes each
};

}  // namespace systole::sim

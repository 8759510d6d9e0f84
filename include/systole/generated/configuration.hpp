// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "systole/generated/parts.hpp"

namespace systole {

/// Sizes and parts of a named configuration of the core. A row is `dim` bytes; an accumulator row is `dim` int32.
struct Configuration {
  std::string_view name;
  int dim;           ///< array side; the AXI data are 8*dim bits
  int scratch_rows;  ///< scratchpad rows
  int weight_rows;   ///< weight ring rows
  int acc_rows;      ///< accumulator rows
  int param_rows;    ///< parameter rows
  PartSet parts = kAllParts;
  int windows = 4;  ///< address windows

  constexpr bool has(Part part) const { return (parts & bit(part)) != 0; }
  /// Channels of a scratchpad row that belong to one block of block floating point; a block has 16.
  constexpr int block_lanes() const { return dim < 16 ? dim : 16; }
  /// The row with the exponents of a scratchpad row. Exponents lie behind the scratchpad's rows, one byte for each
  /// block_lanes() of it, in order.
  constexpr int exponent_row(int row) const { return scratch_rows + row / block_lanes(); }
  /// Rows of exponents.
  constexpr int exponent_rows() const { return has(Part::kBlockFloat) ? scratch_rows / block_lanes() : 0; }
  /// The first row that is neither of the scratchpad nor of its exponents.
  constexpr int scratch_end() const { return scratch_rows + exponent_rows(); }
};

inline constexpr std::array<Configuration, 6> kConfigurations = {{
    {"tiny", 4, 768, 256, 64, 256, 0x1f, 4},
    {"small", 8, 6144, 2048, 512, 256, 0x1f, 4},
    {"default", 16, 12288, 4096, 1024, 256, 0x1f, 4},
    {"large", 32, 24576, 8192, 2048, 256, 0x1f, 8},
    {"nano", 4, 768, 256, 64, 256, 0x0, 4},
    {"default_int8", 16, 12288, 4096, 1024, 256, 0x1c, 4},
}};

}  // namespace systole

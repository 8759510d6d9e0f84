// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace systole {

/// Sizes of a named configuration of the core. A row is `dim` bytes; an accumulator row is `dim` int32.
struct Configuration {
  std::string_view name;
  int dim;           ///< array side; the AXI data are 8*dim bits
  int scratch_rows;  ///< scratchpad rows
  int weight_rows;   ///< weight ring rows
  int acc_rows;      ///< accumulator rows in both halves
  int param_rows;    ///< parameter rows
};

inline constexpr std::array<Configuration, 4> kConfigurations = {{
    {"tiny", 4, 768, 256, 64, 256},
    {"small", 8, 6144, 2048, 512, 256},
    {"default", 16, 12288, 4096, 1024, 256},
    {"large", 32, 24576, 8192, 2048, 256},
}};

}  // namespace systole

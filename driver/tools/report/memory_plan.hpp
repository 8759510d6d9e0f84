// SPDX-License-Identifier: Apache-2.0
// Contents of the core's memories over a run: rectangles of rows and cycles. A row is occupied from the cycle in which
// an engine takes the instruction that writes it until the last instruction that reads it has retired.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "json_field.hpp"

namespace systole::report {

/// On-chip memories, as in Memory.
enum class OnChip : std::uint8_t { kScratchpad, kWeights, kParameters, kAccumulators };
inline constexpr int kOnChipCount = 4;
const char* to_string(OnChip memory);

/// Contents of rows, by writer and purpose.
enum class Operand : std::uint8_t { kActivations, kWeights, kSums, kResults, kParameters };
inline constexpr int kOperandCount = 5;
const char* to_string(Operand operand);

/// Rows [row, row_end) during cycles [from, until).
struct Occupied {
  OnChip memory = OnChip::kScratchpad;
  Operand operand = Operand::kActivations;
  std::uint32_t row = 0;
  std::uint32_t row_end = 0;
  std::uint64_t from = 0;
  std::uint64_t until = 0;
  std::uint32_t instruction = 0;  ///< index in the program of the first instruction that wrote here
  std::uint32_t writers = 1;      ///< number of instructions that wrote here
};

struct MemoryPlan {
  std::uint64_t cycles = 0;                        ///< length of the run
  std::array<std::uint32_t, kOnChipCount> rows{};  ///< size of each memory
  std::uint64_t merged_cycles = 0;  ///< rectangles whose ends differ by no more than this were merged to bound their
                                    ///< number
  std::vector<Occupied> occupied;
};

nlohmann::ordered_json to_json(const MemoryPlan& plan);
/// The reverse. Throws BadFile.
MemoryPlan parse_memory_plan(const Field& field);

}  // namespace systole::report

// SPDX-License-Identifier: Apache-2.0
// The passes over the planes of a row that compute a function of it, as vector operations.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "operations.hpp"
#include "row_registers.hpp"

namespace systole::compiler {

/// Operations for a strip, or for a value of the row.
struct RowBody {
  Operations operations;
  std::optional<Registers> registers = std::nullopt;
  std::vector<Registers::Wanted> wanted = {};
  std::map<std::uint32_t, std::uint32_t> register_of = {};  ///< of operands that are in registers
  bool stores = false;                                      ///< whether the first result goes to memory
  std::size_t head = Operations::kNone;  ///< the value that is computed before the plane before is stored
  int planes = kernel::kStripRows;       ///< in the strip, if it is of planes
};

/// Strips of one kind: `bodies` in turn, so many times.
struct RowStrips {
  std::vector<RowBody> bodies;
  int times = 1;
};

struct RowPass {
  std::vector<RowStrips> strips;
  std::set<std::uint32_t> reads;  ///< operands in memory
  bool writes = false, advances = true;
  std::vector<RowFunction::Fold> folds;  ///< whose lanes are combined at the end, then planes of a strip
  int fold_planes = kernel::kStripRows;
};

struct RowPasses {
  std::vector<RowBody> before;  ///< the loop over strips: masks
  std::vector<RowPass> passes;
};

/// The operation that combines two.
kernel::Op combining(Combine combine);

/// Whether the operand is elements that are kept in the place of the result.
bool is_kept_in_memory(const RowFunction& function, const RowRegisters& at, std::uint32_t number);

/// Nothing if there are too few registers, or the function has what strips of planes cannot compute.
std::optional<RowPasses> row_passes(const RowFunction& function, const RowShape& shape, const RowRegisters& at);

}  // namespace systole::compiler

// SPDX-License-Identifier: Apache-2.0
// Where the values of a row's function are: in vector registers, or in the place of the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "row_function.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// A row on an array of DIM lanes. A pass takes its planes one by one, or strips of them; both are called strips here.
struct RowShape {
  RowShape(const RowFunction& function, int dim, Strips of);

  Strips of;
  int planes;      ///< of DIM elements
  int lanes;       ///< with an element, of the last plane
  bool masked;     ///< whether the last plane has lanes without an element
  int sum_planes;  ///< in a strip, if elements of binary32 are summed; 1 for strips of rows
  int sums;        ///< strips until one whose elements of binary32 are added to those of the first

  /// Planes in a strip of a pass.
  int each(bool sums_floats) const { return of == Strips::kOfRows ? 1 : sums_floats ? sum_planes : kernel::kStripRows; }
  int strips(bool sums_floats) const { return (planes + each(sums_floats) - 1) / each(sums_floats); }
  int used_sums() const { return std::min(sums, strips(true)); }
};

struct RowRegisters {
  bool in_registers;                                        ///< whether elements that are kept are in registers
  bool fits = true;                                         ///< whether there is a place for all that is kept
  std::map<std::uint32_t, std::uint32_t> register_of = {};  ///< of values of the row and of masks
  std::map<std::uint32_t, std::uint32_t> kept_in = {};      ///< first of the registers of kept elements, one a plane
  std::map<std::uint32_t, std::uint32_t> instead_of = {};   ///< kept elements whose registers others take
  std::map<std::uint32_t, RowFunction::Element> recomputed = {};  ///< elements that each use computes
  std::uint32_t reserved = 0;     ///< registers that are taken in all passes; sums in passes are behind them
  std::uint32_t sums_end = 0;     ///< the end of these
  std::uint32_t next_number = 0;  ///< the first operand number behind those of the function and of masks
  /// Masks, as operand numbers: ones in lanes with an element; what limits integers from above and from below; minus
  /// infinity in lanes without an element.
  std::optional<std::uint32_t> inside = {}, limit = {}, lower_limit = {}, beyond = {};

  /// The register of sum number `i` of a fold of the step.
  std::uint32_t of_sum(const RowFunction::Step& step, std::size_t fold, int i, const RowShape& shape) const;
};

/// Registers are reused when what is in them has been read for the last time.
RowRegisters assign_row_registers(const RowFunction& function, const RowShape& shape, bool in_registers);

}  // namespace systole::compiler

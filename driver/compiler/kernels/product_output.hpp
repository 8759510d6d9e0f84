// SPDX-License-Identifier: Apache-2.0
// Output stage of a product: bias, requantization, residual addition, staging, STORE.
#pragma once

#include <vector>

#include "product_memory.hpp"

namespace systole::compiler {

/// Sums of some lines of a tile for one column.
struct Unit {
  int tile = 0;
  int column = 0;
  Range lines;
  int half = 0;           ///< accumulator half
  Rows sums;              ///< accumulator rows
  int residual_row = -1;  ///< scratchpad row of the residual, once loaded
};

class ProductOutput {
 public:
  ProductOutput(Builder& builder, const Activations& source, ProductLayout& layout, const Output& output,
                const OutputStage& stage);

  /// True when the accumulators do not start from zero.
  bool has_initial_sums() const { return raw() && stage_.raw_bias != 0; }
  /// Call before the first CONV of a unit: writes the initial sums.
  void begin(const Unit& unit);
  /// Whether all of the product's first units may be prepared before the first of them is finished.
  bool have_room(const std::vector<Unit>& units) const;
  /// Call before the last CONV of a unit: loads early what its DRAIN reads.
  void prepare(Unit& unit);
  /// Call after the last CONV: DRAIN and STORE.
  void finish(const Unit& unit);

 private:
  bool raw() const { return output_.element_bytes == 4 && !stage_.floats; }
  bool blocks() const { return stage_.floats && stage_.floats->blocks; }
  /// Rows of the scratchpad: the first, and the distance of planes.
  struct Planes {
    int row = 0, plane = 0;
  };
  /// Results of binary32, or blocks with binary32 behind them, if both are wanted.
  void compute_floats(const Unit& unit, const Planes& to);
  void compute_function(const Unit& unit, const Planes& to);
  /// Loads the single elements that a function reads, once.
  void load_numbers();
  /// Of the unit's results, which are at `from`; stores them.
  void store_maxima(const Unit& unit, const Planes& from, const Planes& to);
  /// Loads the column's bias; returns its row.
  int load_bias(const Unit& unit);
  void store(const Unit& unit, const Output& output, const Planes& from);
  /// Bytes of what is added to a result, or read with it, from device memory; 0 if nothing is.
  int residual_bytes() const;
  int positions(const Unit& unit) const { return unit.lines.size() * source_.shape(unit.tile).width; }
  int residual_plane(const Unit& unit, int element_bytes) const {
    return plane_rows(plane_form(element_bytes), positions(unit));
  }
  /// Loads a tensor that is added to the unit. Its elements have `element_bytes` bytes and begin at `address`, with
  /// `pitch` bytes from one position to the next. It is written from scratchpad row `row` on.
  void load_residual(const Unit& unit, std::uint32_t address, std::int64_t pitch, int element_bytes, int row);
  void load_tensors(Unit& unit);
  /// Loads the column's parameters and the residual's scales if necessary; returns the row of the former.
  int need_params(int column);
  /// Rows that a DRAIN writes or adds: `count` lines of `width`, `stride` rows apart.
  struct Place {
    int row = 0, count = 1, width = 1, stride = 0;
    int plane = 0;  ///< of raw sums: rows from one plane of bytes to the next
  };
  Place on_chip(const Unit& unit, const ChipPlanes& planes) const;
  void drain(const Unit& unit, const Place& to);

  Builder& builder_;
  const Activations& source_;
  ProductLayout& layout_;
  const Output output_;
  const OutputStage stage_;
  ParamCache params_;
  Rows scalars_;  ///< residual scales in the parameter buffer
  RowRing bias_;  ///< rows of binary32 for some columns
  bool has_numbers_ = false;
};

}  // namespace systole::compiler

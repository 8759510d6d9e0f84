// SPDX-License-Identifier: Apache-2.0
#include "matrix_weights.hpp"

#include <algorithm>

namespace systole::compiler {
namespace {

std::uint16_t u16(std::int64_t value) { return static_cast<std::uint16_t>(value); }

}  // namespace

void MatrixWeights::load(Builder& builder, Range columns, Range blocks, Range, int row, int column_rows) const {
  if (matrix_.transposed) {
    load_transposed(builder, columns, blocks, row, column_rows);
  } else {
    load_rows(builder, columns, blocks, row, column_rows);
  }
}

void MatrixWeights::load_rows(Builder& builder, Range columns, Range blocks, int row, int column_rows) const {
  const std::int64_t pitch = matrix_.stored.pitch();
  const int first_row = blocks.begin * dim_;
  const int rows = blocks.size() * dim_;
  const int valid = std::min(matrix_.depth() - first_row, rows);
  const int first_column = columns.begin * dim_;
  const int bytes = std::min(matrix_.columns() - first_column, columns.size() * dim_);
  isa::Load load;
  load.space = static_cast<std::uint8_t>(isa::Space::kWeight);
  load.src = static_cast<std::uint32_t>(matrix_.stored.address + first_row * pitch + first_column);
  load.piece_step = u16(bytes);
  load.piece_bytes = u16(bytes);
  load.slot_bytes = u16(columns.size() * dim_);
  load.dst = u16(row);
  load.dst_block = u16(column_rows);
  if (bytes == pitch) {
    load.run_bytes = static_cast<std::uint32_t>(valid) * static_cast<std::uint32_t>(bytes);
    load.pieces = u16(rows);  // those beyond the run are fill
    load.dst_piece = 1;
    load.valid_to = 1;
  } else {
    load.run_bytes = static_cast<std::uint32_t>(bytes);
    load.count0 = u16(rows);
    load.valid_to = u16(valid);
    load.src_stride0 = static_cast<std::int32_t>(pitch);
    load.dst_stride0 = 1;
  }
  builder.append(load);
}

/// A stored row is one lane of a column of tiles. One LOAD for each lane writes its bytes to the rows of the tiles, one
/// a cycle, for all columns.
void MatrixWeights::load_transposed(Builder& builder, Range columns, Range blocks, int row, int column_rows) const {
  const std::int64_t pitch = matrix_.stored.pitch();
  const int first = blocks.begin * dim_;
  const int rows = blocks.size() * dim_;
  for (int lane = 0; lane < dim_; ++lane) {
    const int stored_row = columns.begin * dim_ + lane;
    const int valid = std::max(0, ceil_div(matrix_.columns() - stored_row, dim_));
    isa::Load load;
    load.space = static_cast<std::uint8_t>(isa::Space::kWeight);
    load.src = static_cast<std::uint32_t>(matrix_.stored.address + (valid > 0 ? stored_row * pitch : 0) + first);
    load.run_bytes = static_cast<std::uint32_t>(std::min(matrix_.depth() - first, rows));
    load.pieces = u16(rows);
    load.piece_step = load.piece_bytes = load.slot_bytes = 1;
    load.lane = static_cast<std::uint8_t>(lane);
    load.count0 = u16(columns.size());
    load.valid_to = u16(std::min(valid, columns.size()));
    load.src_stride0 = static_cast<std::int32_t>(dim_ * pitch);
    load.dst = u16(row);
    load.dst_piece = 1;
    load.dst_stride0 = u16(column_rows);
    builder.append(load);
  }
}

}  // namespace systole::compiler

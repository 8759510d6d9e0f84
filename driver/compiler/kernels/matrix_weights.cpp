// SPDX-License-Identifier: Apache-2.0
#include "matrix_weights.hpp"

#include <algorithm>

#include "fields.hpp"
#include "turned_load.hpp"

namespace systole::compiler {
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

/// DIM stored rows are the lanes of a column of tiles, and are turned on their way: a LOAD for each column, and one for
/// its last tile if the rows end within it.
void MatrixWeights::load_transposed(Builder& builder, Range columns, Range blocks, int row, int column_rows) const {
  const std::int64_t pitch = matrix_.stored.pitch();
  const int whole = std::min(blocks.end, matrix_.depth() / dim_);
  for (int column = columns.begin; column < columns.end; ++column, row += column_rows) {
    const int first = column * dim_;
    const auto load = [&](Range tiles, int bytes) {
      isa::Load load = turned_bytes(dim_, std::min(dim_, matrix_.columns() - first));
      load.space = static_cast<std::uint8_t>(isa::Space::kWeight);
      load.src = static_cast<std::uint32_t>(matrix_.stored.address + first * pitch + tiles.begin * dim_);
      load.run_bytes = static_cast<std::uint32_t>(bytes);
      load.piece_step = load.piece_bytes = u16(bytes);
      load.count1 = u16(tiles.size());
      load.src_stride0 = static_cast<std::int32_t>(pitch);
      load.src_stride1 = dim_;
      load.dst = u16(row + (tiles.begin - blocks.begin) * dim_);
      load.dst_stride1 = u16(dim_);
      builder.append(load);
    };
    if (whole > blocks.begin) {
      load({blocks.begin, whole}, dim_);
    }
    if (whole < blocks.end) {
      load({std::max(whole, blocks.begin), blocks.end}, matrix_.depth() % dim_);
    }
  }
}

}  // namespace systole::compiler

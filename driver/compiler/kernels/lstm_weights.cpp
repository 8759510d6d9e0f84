// SPDX-License-Identifier: Apache-2.0
#include "lstm_weights.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fields.hpp"
#include "rings.hpp"
#include "sources.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;

}  // namespace

LstmWeights::LstmWeights(Builder& builder, const LstmData& data, int units)
    : builder_(builder), data_(data), blocks_(ceil_div(units, builder.dim())) {
  const std::vector<std::int8_t> values = data.hidden_weights();
  weights_ = TiledWeights::convolution(builder, values.data(), data.channels(), 1, 1, units, 1);
  RowRing& ring = builder.rings().weights;
  const int columns = data.channels() / builder.dim(), column_rows = blocks_ * builder.dim();
  resident_ = columns * column_rows <= ring.size();
  if (!resident_) {
    return;
  }
  first_row_ = ring.take(columns * column_rows).row;
  for (int column = 0; column < columns; ++column) {
    if (data.has_units(column)) {
      weights_.load(builder, {column, column + 1}, {0, blocks_}, {0, 1}, row_of(column), column_rows);
    }
  }
}

int LstmWeights::row_of(int column) const {
  return (first_row_ + column * blocks_ * builder_.dim()) % builder_.rings().weights.size();
}

void LstmWeights::multiply(int group, const isa::Conv& conv, int column_rows, bool accumulate) {
  RowRing& ring = builder_.rings().weights;
  const int most = resident_ ? blocks_ : std::max(1, std::min(blocks_, ring.size() / kBuffers / builder_.dim()));
  for (int row = 0; row < kLstmGroupRows; ++row) {
    const int column = group * kLstmGroupRows + row;
    for (Range blocks{0, 0}; data_.has_units(column) && blocks.begin < blocks_; blocks.begin = blocks.end) {
      blocks.end = std::min(blocks_, blocks.begin + most);
      isa::Conv part = conv;
      part.act_row = further(conv.act_row, blocks.begin * conv.plane_stride);
      part.blocks = u16(blocks.size());
      part.acc_row = u16(conv.acc_row + row * column_rows);
      part.accumulate = accumulate || blocks.begin > 0 ? 1 : 0;
      if (resident_) {
        part.weight_row = u16(row_of(column));
      } else {
        const int rows = blocks.size() * builder_.dim();
        part.weight_row = u16(ring.take(rows).row);
        weights_.load(builder_, {column, column + 1}, blocks, {0, 1}, part.weight_row, rows);
      }
      builder_.append(part);
    }
  }
}

}  // namespace systole::compiler

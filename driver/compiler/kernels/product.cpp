// SPDX-License-Identifier: Apache-2.0
#include "product.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "fields.hpp"
#include "product_output.hpp"
#include "systole/conv_tiles.hpp"

namespace systole::compiler {
namespace {

class Product {
 public:
  Product(Builder& builder, const Activations& activations, const Weights& weights, int blocks, const Output& output,
          const OutputStage& stage, const ProductTuning& tuning, HeldWeights& held)
      : builder_(builder),
        source_(activations),
        filter_(weights),
        tuning_(tuning),
        rings_(builder.rings()),
        layout_(builder, activations, weights, blocks, output, stage),
        inputs_(builder, activations, layout_.activations, blocks, layout_.region_blocks),
        weights_(builder, weights, rings_.weights, held),
        results_(builder, activations, layout_, output, stage),
        columns_(ceil_div(output.columns, builder.dim())),
        blocks_(blocks) {}

  void run() {
    for (int tile = 0; tile < source_.tiles(); ++tile) {
      run_tile(tile);
    }
  }

 private:
  /// Number of columns accumulated side by side. One if activations stay in the scratchpad anyway.
  int group_columns(int tile, int column, bool first) const {
    return std::min(same_blocks(column), wanted_columns(tile, first));
  }

  /// Columns starting at `column` that read the same blocks (all, unless the convolution is grouped).
  int same_blocks(int column) const {
    int end = column + 1;
    while (end < columns_ && filter_.blocks(end) == filter_.blocks(column)) {
      ++end;
    }
    return end - column;
  }

  int wanted_columns(int tile, bool first) const {
    const TileShape shape = source_.shape(tile);
    const int half = builder_.configuration().acc_rows / 2;
    const int room = std::max(1, half / shape.positions());  // per half, for all units that are live
    const bool single_chunk =
        layout_.region_blocks >= blocks_ && layout_.chunks(filter_.blocks(0), filter_.kernel_h()).size() == 1;
    if (layout_.region_blocks < blocks_) {
      return std::min(columns_, room);  // half of both halves: the other half drains
    }
    if (first && single_chunk && tuning_.ramp_positions > 0) {
      const int range = rings_.weights.size() / (layout_.weights_resident ? 1 : 2);
      const int fit = range / chunk_rows(layout_.chunks(filter_.blocks(0), filter_.kernel_h())[0]);
      return std::clamp(std::min(2 * room, fit), 1, std::min(columns_, tuning_.ramp_columns));
    }
    return 1;
  }

  int chunk_rows(const Chunk& chunk) const { return chunk.blocks.size() * chunk.taps.size() * tap_rows(); }

  int tap_rows() const { return filter_.kernel_w() * filter_.tap_rows(builder_.dim()); }

  void run_tile(int tile) {
    const bool last_tile = tile == source_.tiles() - 1;
    const TileShape shape = source_.shape(tile);
    for (int column = 0; column < columns_;) {
      const bool first = tile == 0 && column == 0;
      const int end = std::min(columns_, column + group_columns(tile, column, first));
      std::vector<Unit> units = make_units(tile, {column, end}, last_tile);
      if (end - column > 1 && !give_halves(units, shape)) {
        units = make_units(tile, {column, end}, false);
        give_halves(units, shape);
      }
      if (end - column == 1) {
        for (Unit& unit : units) {
          std::vector<Unit> alone{unit};
          give_halves(alone, shape);
          run_group(tile, alone, first && unit.lines.begin == 0);
        }
      } else {
        run_group(tile, units, first);
      }
      column = end;
      if (!last_tile && source_.wants_prefetch()) {
        prefetch(tile + 1, column);
      }
    }
  }

  /// Of the next tile's activations, the share of the first `columns`.
  void prefetch(int tile, int columns) {
    const int lines = source_.shape(tile).lines;
    const int share = rounded_up(lines * columns / columns_, kBlockPlaneUnit);
    inputs_.need(tile, {0, blocks_}, std::min(lines, share));
  }

  /// The columns' units over whole tiles; with `cut_last` the last column is divided into shrinking parts.
  std::vector<Unit> make_units(int tile, Range columns, bool cut_last) const {
    const TileShape shape = source_.shape(tile);
    std::vector<Unit> units;
    for (int column = columns.begin; column < columns.end; ++column) {
      const bool cut = cut_last && column == columns_ - 1;
      for (const Range& lines : cut ? shrinking(shape) : std::vector<Range>{{0, shape.lines}}) {
        units.push_back({tile, column, lines, 0, {}, -1});
      }
    }
    return units;
  }

  /// Assigns units that are live at the same time to the accumulator halves, alternating while there is room. Returns
  /// false if there is not enough room.
  bool give_halves(std::vector<Unit>& units, const TileShape& shape) {
    std::array<int, 2> used{};
    int half = rings_.next_half;
    for (Unit& unit : units) {
      const int rows = unit.lines.size() * shape.width;
      const auto fits = [&](int h) {
        return used[static_cast<std::size_t>(h)] + rows <= rings_.accumulators[0].size();
      };
      if (!fits(half)) {
        half ^= 1;
      }
      if (!fits(half)) {
        return false;
      }
      unit.half = half;
      used[static_cast<std::size_t>(half)] += rows;
      half ^= 1;
    }
    rings_.next_half = half;
    rings_.accumulators[0].make_room(used[0]);
    rings_.accumulators[1].make_room(used[1]);
    return true;
  }

  /// Lines of the last unit: tail_parts parts, each half of the rest, each of at least DIM positions.
  std::vector<Range> shrinking(const TileShape& shape) const {
    const int least = std::max(1, ceil_div(builder_.dim(), shape.width));
    std::vector<Range> parts;
    int begin = 0;
    while (begin < shape.lines) {
      const int left = shape.lines - begin;
      const bool cut = static_cast<int>(parts.size()) + 1 < tuning_.tail_parts && left >= 2 * least;
      const int take = cut ? std::max(least, ceil_div(left, 2)) : left;
      parts.push_back({begin, begin + take});
      begin += take;
    }
    return parts;
  }

  void run_group(int tile, std::vector<Unit>& units, bool first) {
    for (Unit& unit : units) {
      unit.sums =
          rings_.accumulators[static_cast<std::size_t>(unit.half)].take(unit.lines.size() * source_.shape(tile).width);
      results_.begin(unit);
    }

    const std::vector<Chunk> chunks = layout_.chunks(filter_.blocks(units.front().column), filter_.kernel_h());
    const int lines = units.back().lines.end;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const bool last = i + 1 == chunks.size();
      const int columns = units.back().column + 1 - units.front().column;
      if (first && i == 0 && tuning_.ramp_positions > 0 && columns * chunk_rows(chunks[i]) <= rings_.weights.size()) {
        ramp_up(tile, units, chunks[i], last);
        continue;
      }
      inputs_.need(tile, chunks[i].blocks, lines);
      for (Unit& unit : units) {
        if (last) {
          results_.prepare(unit);
        }
        step(tile, unit, unit.lines, chunks[i], chunks[i].blocks);
        if (last) {
          results_.finish(unit);
        }
      }
    }
  }

  /// Loads what is missing and accumulates `part` of a chunk into some lines of a unit.
  void step(int tile, Unit& unit, Range lines, const Chunk& whole, Range part) {
    const int row = inputs_.need(tile, part, lines.end);
    weights_.need({unit.column, unit.column + 1}, whole, part);
    const int width = source_.shape(tile).width;
    isa::Conv conv = source_.conv(tile, lines, row);
    conv.acc_row = u16(unit.sums.row + (lines.begin - unit.lines.begin) * width);
    if (filter_.parts() == 1) {
      for (Range blocks{part.begin, part.begin}; blocks.end < part.end; blocks.begin = blocks.end) {
        append_stored(conv, unit, whole, blocks, part.end);
      }
      return;
    }
    // One instruction for each part, since the parts' weights lie apart: block by block, skipping zero parts.
    const int kernel_h = filter_.kernel_h() / filter_.parts();
    for (int block = part.begin; block < part.end; ++block) {
      for (Range taps{whole.taps.begin, 0}; taps.begin < whole.taps.end; taps.begin = taps.end) {
        taps.end = std::min(whole.taps.end, (taps.begin / kernel_h + 1) * kernel_h);
        if (taps.begin < kernel_h || !filter_.is_zero(unit.column, block, taps)) {
          append(conv, unit, whole, {block, block + 1}, taps);
        }
      }
    }
  }

  bool has_all(int column, Range blocks, Range taps) const {
    return filter_.stored(column, blocks, taps) == blocks.size() * taps.size() * filter_.kernel_w();
  }

  /// CONVs for the tiles that are stored of blocks from blocks.begin on, as many as one can multiply, up to `end`. Sets
  /// blocks.end. The last tile of a CONV is stored, since none skips it.
  void append_stored(const isa::Conv& conv, const Unit& unit, const Chunk& whole, Range& blocks, int end) {
    const int column = unit.column, tiles = whole.taps.size() * filter_.kernel_w();
    blocks.end = end;
    if (has_all(column, blocks, whole.taps)) {
      append(conv, unit, whole, blocks, whole.taps);
      return;
    }
    blocks.end = std::min(end, blocks.begin + kSkippedTiles / tiles);
    const auto ends_stored = [&] {
      return filter_.is_stored(column, blocks.end - 1, whole.taps.end - 1, filter_.kernel_w() - 1);
    };
    while (blocks.size() > 1 && !ends_stored()) {
      --blocks.end;
    }
    if (ends_stored()) {
      append(conv, unit, whole, blocks, whole.taps);
    } else {
      append_block(conv, unit, whole, blocks.begin);
    }
  }

  /// CONVs for the tiles that are stored of one block: all kernel rows that end with one, then parts of single rows.
  void append_block(const isa::Conv& conv, const Unit& unit, const Chunk& whole, int block) {
    const int across = filter_.kernel_w();
    for (Range rows{whole.taps.begin, 0}; rows.begin < whole.taps.end; rows.begin = rows.end) {
      int last = across - 1;
      for (rows.end = whole.taps.end; rows.size() > 1 && !filter_.is_stored(unit.column, block, rows.end - 1, last);) {
        --rows.end;
      }
      while (last >= 0 && !filter_.is_stored(unit.column, block, rows.end - 1, last)) {
        --last;
      }
      if (last >= 0) {
        append(conv, unit, whole, {block, block + 1}, rows, last + 1);
      }
    }
  }

  /// The bits of tiles that are not stored.
  void skip(isa::Conv& conv, int column, Range blocks, Range taps, int taps_w) const {
    std::array<std::uint32_t, 4> words{};
    static_assert(words.size() * 32 == kSkippedTiles);
    std::size_t tile = 0;
    for (int block = blocks.begin; block < blocks.end; ++block) {
      for (int row = taps.begin; row < taps.end; ++row) {
        for (int across = 0; across < taps_w; ++across, ++tile) {
          if (!filter_.is_stored(column, block, row, across)) {
            words.at(tile / 32) |= std::uint32_t{1} << tile % 32;
          }
        }
      }
    }
    conv.skip0 = words[0];
    conv.skip1 = words[1];
    conv.skip2 = words[2];
    conv.skip3 = words[3];
  }

  /// CONV for blocks and kernel rows of a chunk, the first `taps_w` taps of each.
  void append(isa::Conv conv, const Unit& unit, const Chunk& whole, Range blocks, Range taps) {
    append(conv, unit, whole, blocks, taps, filter_.kernel_w());
  }
  void append(isa::Conv conv, const Unit& unit, const Chunk& whole, Range blocks, Range taps, int taps_w) {
    const int kernel_h = filter_.kernel_h() / filter_.parts();
    const int before = filter_.stored(unit.column, {blocks.begin, blocks.begin + 1}, {whole.taps.begin, taps.begin});
    const int weight_row = weights_.row(unit.column, whole, blocks) + before * filter_.tap_rows(builder_.dim());
    const bool first = filter_.begins(unit.column, blocks.begin, taps.begin);
    conv.act_row = further(conv.act_row, blocks.begin * conv.plane_stride);
    conv.weight_row = u16(weight_row % rings_.weights.size());
    conv.blocks = u16(blocks.size());
    if (const int across = filter_.taps_across(); across != 0) {
      const bool rows = taps.size() >= across;
      conv.kernel_h = static_cast<std::uint8_t>(rows ? taps.size() / across : 1);
      conv.kernel_w = static_cast<std::uint8_t>(rows ? across : taps.size());
      conv.y0 = static_cast<std::int16_t>(conv.y0 + taps.begin / across * conv.dilation_h);
      conv.x0 = static_cast<std::int16_t>(conv.x0 + taps.begin % across * conv.dilation_w);
    } else {
      conv.kernel_h = static_cast<std::uint8_t>(taps.size());
      conv.kernel_w = static_cast<std::uint8_t>(taps_w);
      conv.y0 = static_cast<std::int16_t>(conv.y0 + taps.begin % kernel_h * conv.dilation_h);
    }
    if (!has_all(unit.column, blocks, taps)) {
      skip(conv, unit.column, blocks, taps, taps_w);
    }
    conv.accumulate = first && !results_.has_initial_sums() ? 0 : 1;
    builder_.append(conv);
  }

  /// The first chunk of the first group in growing parts: a few positions of the first blocks with one column, then
  /// twice the positions or twice the columns, whichever gives the array more work; then the other blocks in growing
  /// numbers.
  void ramp_up(int tile, std::vector<Unit>& units, const Chunk& chunk, bool last) {
    const Range columns{units.front().column, units.back().column + 1};
    weights_.reserve(columns, chunk);
    const TileShape shape = source_.shape(tile);
    const int lines = units.back().lines.end;
    // In block floating point all blocks of a tap come before the next tap.
    const bool in_order = filter_.block_float() && chunk.taps.size() > 1;
    const int first_blocks = in_order ? chunk.blocks.size() : tuning_.ramp_blocks * filter_.block_planes();
    Range part{chunk.blocks.begin, std::min(chunk.blocks.end, chunk.blocks.begin + first_blocks)};
    const bool only = part == chunk.blocks;
    int line_step = std::max(1, tuning_.ramp_positions / shape.width);
    int column_step = 1;
    Range done_lines{0, 0};
    Range done_columns{columns.begin, columns.begin};
    while (done_lines.end < lines || done_columns.end < columns.end) {
      // Cycles of array work per loaded beat: more lines add work to every column so far, one more column to every
      // position so far.
      const int by_lines = done_columns.size() * filter_.kernel_h() * tap_rows();
      const int by_columns = done_lines.size() * shape.width;
      if (done_columns.end == columns.end || (done_lines.end < lines && by_lines >= by_columns)) {
        const Range more{done_lines.end, std::min(lines, done_lines.end + line_step)};
        inputs_.need(tile, part, more.end);
        if (done_columns.size() == 0) {
          weights_.need({columns.begin, columns.begin + 1}, chunk, part);
          done_columns.end = columns.begin + 1;
        }
        cells(tile, units, done_columns, more, chunk, part, only && last);
        line_step = more.end;
        done_lines.end = more.end;
      } else {
        const Range more{done_columns.end, std::min(columns.end, done_columns.end + column_step)};
        weights_.need(more, chunk, part);
        cells(tile, units, more, done_lines, chunk, part, only && last);
        column_step = more.end - columns.begin;
        done_columns.end = more.end;
      }
    }
    int size = first_blocks;
    while (part.end < chunk.blocks.end) {
      part = {part.end, std::min(chunk.blocks.end, part.end + size)};
      const bool end = part.end == chunk.blocks.end;
      inputs_.need(tile, part, lines);
      if (!(end && last)) {
        weights_.need(columns, chunk, part);  // the last part, which drains column by column, loads them one by one
      }
      cells(tile, units, columns, {0, lines}, chunk, part, end && last);
      size *= 2;
    }
  }

  void cells(int tile, std::vector<Unit>& units, Range columns, Range lines, const Chunk& chunk, Range part,
             bool finish) {
    const bool early = results_.have_room(units);
    for (Unit& unit : units) {
      const Range common{std::max(lines.begin, unit.lines.begin), std::min(lines.end, unit.lines.end)};
      if (unit.column < columns.begin || unit.column >= columns.end || common.size() <= 0) {
        continue;
      }
      step(tile, unit, common, chunk, part);
      const bool done = common.end == unit.lines.end;
      if (finish && (done || early)) {
        results_.prepare(unit);
      }
      if (finish && done) {
        results_.finish(unit);
      }
    }
  }

  Builder& builder_;
  const Activations& source_;
  const Weights& filter_;
  const ProductTuning tuning_;
  ChipRings& rings_;  // continue where the previous operator ended
  ProductLayout layout_;
  ActivationCache inputs_;
  WeightCache weights_;
  ProductOutput results_;
  const int columns_, blocks_;
};

}  // namespace

void emit_product(Builder& builder, const Activations& activations, const Weights& weights, int blocks,
                  const Output& output, const OutputStage& stage, const ProductTuning& tuning, HeldWeights& held) {
  Product(builder, activations, weights, blocks, output, stage, tuning, held).run();
}

}  // namespace systole::compiler

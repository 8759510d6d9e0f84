// SPDX-License-Identifier: Apache-2.0
#include "product_memory.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "params.hpp"

namespace systole::compiler {
namespace {

constexpr int kMaxStagingBanks = 4;
constexpr int kBiasColumns = 4;  // whose binary32 biases are in the scratchpad at the same time
constexpr int kMaxSlot = 65535;  // bytes of a slot

std::size_t at(int value) { return static_cast<std::size_t>(value); }

/// Rows for tensors that are added, or read by a function, from device memory.
int residual_rows_of(const OutputStage& stage, int positions) {
  if (stage.floats) {
    return stage.floats->tensors() * kWordPlanes * plane_rows(PlaneForm::kWords, positions);
  }
  return stage.residual && !stage.residual->chip ? positions : 0;
}

}  // namespace

StagedRows::StagedRows(const Output& output, const OutputStage& stage, int positions) {
  const bool blocks = stage.floats && stage.floats->blocks;
  plane = plane_rows(blocks ? PlaneForm::kBlocks : plane_form(output.element_bytes), positions);
  all = output.element_bytes * plane;
  if (blocks && stage.floats->words) {
    word_plane = plane_rows(PlaneForm::kWords, positions);
    all = rounded_up(all + kWordPlanes * word_plane, kBlockPlaneUnit);
  }
  if (stage.floats && stage.floats->maxima) {
    const BlockMaxima& of = *stage.floats->maxima;
    maxima = all;
    maxima_plane = plane_rows(PlaneForm::kWords, positions / (of.kernel_h * of.kernel_w));
    all += kWordPlanes * maxima_plane;
  }
  if (stage.floats && stage.floats->function && stage.floats->function->also) {
    also = all;
    all *= 2;
  }
}

ProductLayout::ProductLayout(const Builder& builder, const Activations& source, const Weights& filter, int blocks,
                             const Output& output, const OutputStage& stage) {
  const Configuration& c = builder.configuration();
  int positions = 0;
  int plane = 0;
  for (int tile = 0; tile < source.tiles(); ++tile) {
    positions = std::max(positions, source.shape(tile).positions());
    plane = std::max(plane, source.plane_rows(tile));
  }
  const int half = c.acc_rows / 2;
  if (positions > half) {
    throw DoesNotFit(fmt::format("{} positions do not fit half of the {} accumulator rows", positions, c.acc_rows));
  }

  // Staging and residuals have banks of their own: VPU and STORE never conflict with the MXU's reads and LOAD's writes
  // of activations. Unless there is too little room for that.
  const int bank = c.scratch_rows / kScratchBanks;
  const int residual = residual_rows_of(stage, positions);
  const bool in_blocks = stage.floats && stage.floats->blocks;
  if (in_blocks && source.shape(0).lines > 1 && source.place(0).line_step != source.shape(0).width) {
    throw DoesNotFit("blocks of results are stored in whole lines");
  }
  // Blocks begin at rows whose exponents fill rows of their own.
  const int unit_rows = in_blocks ? kBlockPlaneUnit : 1;
  const int stage_rows = output.chip ? 0 : StagedRows(output, stage, positions).all;
  const int most = std::min(kMaxStagingBanks * bank, builder.workspace_rows() / (source.resident() ? 1 : 2));
  const auto of_residuals = [&](int unit) { return ceil_div(2 * residual, unit) * unit; };
  const int number_rows = stage.floats ? stage.floats->numbers() * kWordPlanes : 0;
  const int slack = unit_rows - 1, bias_rows = stage.floats && stage.floats->bias ? kBiasColumns * kBiasRows : 0;
  const int single_rows = bias_rows + number_rows;
  const auto of_staging = [&](int unit) { return std::min(most, ceil_div(2 * stage_rows + slack, unit) * unit); };
  const bool banks =
      of_staging(bank) >= stage_rows + slack &&
      of_staging(bank) + of_residuals(bank) + single_rows + (source.resident() ? 0 : plane) <= builder.workspace_rows();
  const int staging_rows = of_staging(banks ? bank : 1);
  const int residual_rows = of_residuals(banks ? bank : 1);
  if (stage_rows + slack > staging_rows) {
    throw DoesNotFit(fmt::format("{} output rows do not fit {} scratchpad rows", stage_rows, staging_rows));
  }
  const int space = builder.workspace_rows() - staging_rows - residual_rows - single_rows;
  if (space < 0) {
    throw DoesNotFit(fmt::format("{} rows of results and {} of residuals do not fit {} scratchpad rows", staging_rows,
                                 residual_rows, builder.workspace_rows()));
  }
  const int base = builder.workspace_begin();
  activations = RowRing(base, std::max(1, space), false);
  residuals = RowRing(base + space, std::max(1, residual_rows), false);
  bias = RowRing(base + space + residual_rows, std::max(1, bias_rows), false);
  numbers = base + space + residual_rows + bias_rows;
  const int end = base + builder.workspace_rows(), first = ceil_div(end - staging_rows, unit_rows) * unit_rows;
  staging = RowRing(first, std::max(1, (end - first) / unit_rows * unit_rows), false);

  divide_reduction(c, source, filter, blocks, output, plane, space);
}

/// Chooses how much of the reduction both memories hold at once.
void ProductLayout::divide_reduction(const Configuration& c, const Activations& source, const Weights& filter,
                                     int blocks, const Output& output, int plane, int space) {
  const int copies = source.tiles() == 1 ? 1 : 2;
  const int slot_blocks = kMaxSlot / c.dim;
  region_blocks = blocks;
  if (!source.resident()) {
    region_blocks = std::min({blocks, space / plane / copies, slot_blocks});
    if (region_blocks < blocks) {
      region_blocks = std::min(space / plane / 2, slot_blocks);
    }
    // No room for double buffering:
    if (region_blocks < 1 && plane <= space) {
      region_blocks = 1;
    }
    if (region_blocks < blocks && filter.block_float() && filter.kernel_h() > 1) {
      region_blocks = std::max(region_blocks, std::min({blocks, space / plane, slot_blocks}));
    }
  }
  if (region_blocks < 1 || (source.packed() && region_blocks < blocks)) {
    throw DoesNotFit(fmt::format("an input tile of {} rows times {} blocks does not fit {} scratchpad rows", plane,
                                 source.packed() ? blocks : 1, space));
  }

  const int tap_rows = filter.kernel_w() * filter.tap_rows(c.dim);
  std::int64_t all = 0;
  const int columns = ceil_div(output.columns, c.dim);
  for (int column = 0; column < columns; ++column) {
    all += std::int64_t{filter.stored(column, filter.blocks(column), {0, filter.kernel_h()})} * filter.tap_rows(c.dim);
  }
  weights_resident = all <= c.weight_rows && region_blocks >= blocks;
  const int share = weights_resident ? c.weight_rows : c.weight_rows / 2;
  if (filter.block_float()) {
    divide_taps(c, filter, blocks, share);
    return;
  }
  weight_blocks = share / (filter.kernel_h() * tap_rows);
  weight_taps = filter.kernel_h();
  if (weight_blocks == 0) {
    weight_taps = std::max(c.weight_rows / 2 / tap_rows, std::min(1, c.weight_rows / tap_rows));
    if (weight_taps == 0) {
      throw DoesNotFit(fmt::format("one kernel row of {} taps needs {} weight rows, the ring has {}", filter.kernel_w(),
                                   tap_rows, c.weight_rows));
    }
  }
}

/// In block floating point: whole kernel rows, or taps of a row, or blocks of one tap.
void ProductLayout::divide_taps(const Configuration& c, const Weights& filter, int blocks, int share) {
  const int planes = filter.block_planes(), across = filter.taps_across();
  taps_across = across;
  region_blocks = region_blocks < blocks ? region_blocks / planes * planes : region_blocks;
  if (region_blocks == 0 || (region_blocks < blocks && filter.kernel_h() > 1)) {
    throw DoesNotFit(fmt::format("all {} blocks of an input tile do not fit the scratchpad", blocks));
  }
  weight_blocks = share / filter.tap_rows(c.dim) / planes * planes;
  if (weight_blocks == 0) {
    throw DoesNotFit(fmt::format("one tap of a block needs {} weight rows, the ring has {}",
                                 filter.tap_rows(c.dim) * planes, c.weight_rows));
  }
  if (weight_blocks < blocks) {  // equal parts, which alternate in the ring
    const int parts = ceil_div(blocks, weight_blocks);
    weight_blocks = ceil_div(ceil_div(blocks, parts), planes) * planes;
  }
  weight_taps = std::min(weight_blocks / blocks, filter.kernel_h());
  weight_taps = weight_taps > across ? weight_taps / across * across : weight_taps;
}

std::vector<Chunk> ProductLayout::chunks(Range blocks, int kernel_h) const {
  std::vector<Chunk> list;
  if (taps_across != 0 && kernel_h > 1) {
    for (int tap = 0; tap < kernel_h;) {
      const int end = weight_taps >= taps_across
                          ? std::min(kernel_h, tap + weight_taps)
                          : std::min((tap / taps_across + 1) * taps_across, tap + std::max(1, weight_taps));
      const int step = weight_taps > 0 ? blocks.size() : weight_blocks;
      for (int block = blocks.begin; block < blocks.end; block += step) {
        list.push_back({{block, std::min(blocks.end, block + step)}, {tap, end}});
      }
      tap = end;
    }
    return list;
  }
  for (int block = blocks.begin; block < blocks.end;) {
    const int region_end = (block / region_blocks + 1) * region_blocks;
    const int end = std::min({blocks.end, region_end, block + std::max(1, weight_blocks)});
    if (weight_blocks > 0) {
      list.push_back({{block, end}, {0, kernel_h}});
    } else {
      for (int tap = 0; tap < kernel_h; tap += weight_taps) {
        list.push_back({{block, end}, {tap, std::min(kernel_h, tap + weight_taps)}});
      }
    }
    block = end;
  }
  return list;
}

int ActivationCache::need(int tile, Range blocks, int lines) {
  if (const auto row = source_.resident()) {
    return *row;
  }
  const int plane = source_.plane_rows(tile);
  const int first = blocks.begin / region_blocks_ * region_blocks_;
  const int count = std::min(region_blocks_, blocks_ - first);
  Region& region = regions_[{tile, first}];
  if (!ring_.holds(region.rows)) {
    region.rows = ring_.take(plane * count);
    region.lines.assign(at(count), 0);
  }
  if (source_.packed()) {
    blocks = {0, blocks_};
  }
  for (int block = blocks.begin; block < blocks.end;) {
    const int have = region.lines[at(block - first)];
    int end = block + 1;
    while (end < blocks.end && region.lines[at(end - first)] == have) {
      ++end;
    }
    if (have < lines) {
      source_.load(builder_, tile, {block, end}, {have, lines}, region.rows.row + (block - first) * plane);
      std::fill(region.lines.begin() + (block - first), region.lines.begin() + (end - first), lines);
    }
    block = end;
  }
  return region.rows.row - first * plane;
}

bool WeightCache::held(Range columns, const Chunk& whole) const {
  const auto found = held_.index.find(Key{columns.begin, whole.blocks.begin, whole.taps.begin});
  if (found == held_.index.end()) {
    return false;
  }
  const Entry& entry = held_.entries[found->second];
  return ring_.holds(entry.rows) && columns.end <= entry.column + static_cast<int>(entry.loaded.size());
}

void WeightCache::reserve(Range columns, const Chunk& whole) {
  if (held(columns, whole)) {
    return;
  }
  Entry entry;
  entry.column = columns.begin;
  for (int column = columns.begin; column < columns.end; ++column) {
    entry.column_rows = std::max(entry.column_rows, rows_of(column, whole.blocks, whole.taps));
  }
  entry.rows = ring_.take(entry.column_rows * columns.size());
  entry.loaded.assign(at(columns.size()), std::vector<bool>(at(whole.blocks.size()), false));
  for (int column = columns.begin; column < columns.end; ++column) {
    held_.index[Key{column, whole.blocks.begin, whole.taps.begin}] = held_.entries.size();
  }
  held_.entries.push_back(std::move(entry));
}

void WeightCache::need(Range columns, const Chunk& whole, Range part) {
  reserve(columns, whole);
  Entry& entry = held_.entries[held_.index.at(Key{columns.begin, whole.blocks.begin, whole.taps.begin})];
  const auto loaded = [&](int column, int block) {
    return entry.loaded[at(column - entry.column)][at(block - whole.blocks.begin)];
  };
  const auto is_whole = [&](int column) {
    const int tiles = whole.blocks.size() * whole.taps.size() * source_.kernel_w();
    return source_.stored(column, whole.blocks, whole.taps) == tiles;
  };
  const auto load = [&](Range some_columns, Range some_blocks) {
    for (Range now{some_columns.begin, 0}; now.begin < some_columns.end; now.begin = now.end) {
      now.end = now.begin + 1;
      while (is_whole(now.begin) && now.end < some_columns.end && is_whole(now.end)) {
        ++now.end;
      }
      const int row = entry.rows.row + (now.begin - entry.column) * entry.column_rows +
                      rows_of(now.begin, {whole.blocks.begin, some_blocks.begin}, whole.taps);
      source_.load(builder_, now, some_blocks, whole.taps, row % ring_.size(), entry.column_rows);
    }
    for (int column = some_columns.begin; column < some_columns.end; ++column) {
      for (int block = some_blocks.begin; block < some_blocks.end; ++block) {
        entry.loaded[at(column - entry.column)][at(block - whole.blocks.begin)] = true;
      }
    }
  };
  bool nothing_there = true;
  for (int column = columns.begin; column < columns.end; ++column) {
    for (int block = part.begin; block < part.end; ++block) {
      nothing_there = nothing_there && !loaded(column, block);
    }
  }
  if (nothing_there) {
    load(columns, part);
    return;
  }
  for (int column = columns.begin; column < columns.end; ++column) {
    for (int block = part.begin; block < part.end;) {
      int end = block;
      while (end < part.end && !loaded(column, end)) {
        ++end;
      }
      if (end > block) {
        load({column, column + 1}, {block, end});
      }
      block = end + 1;
    }
  }
}

int WeightCache::row(int column, const Chunk& whole, Range part) const {
  const Entry& entry = held_.entries[held_.index.at(Key{column, whole.blocks.begin, whole.taps.begin})];
  return (entry.rows.row + (column - entry.column) * entry.column_rows +
          rows_of(column, {whole.blocks.begin, part.begin}, whole.taps)) %
         ring_.size();
}

int ParamCache::need(int column) {
  const auto found = rows_.find(column);
  if (found != rows_.end() && ring_.holds(found->second)) {
    return found->second.row;
  }
  const int count = std::min(columns_ - column, std::max(1, ring_.size() / kRows / 2));
  const Rows rows = ring_.take(count * kRows);
  const int bytes = kRows * builder_.dim();
  load_params(builder_, address_ + static_cast<std::uint32_t>(column * bytes), count * kRows, rows.row);
  for (int i = 0; i < count; ++i) {
    rows_[column + i] = Rows{rows.row + i * kRows, kRows, rows.stamp + i * kRows};
  }
  return rows.row;
}

}  // namespace systole::compiler

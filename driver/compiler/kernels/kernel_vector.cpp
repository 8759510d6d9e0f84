// SPDX-License-Identifier: Apache-2.0
// Operators on the vector processor. Positions are cut into tiles, each with all its channels, so that a kernel may
// compute over the channels of a position; the tiles pass through the scratchpad, double-buffered. Tensors in the
// scratchpad are read and written in place.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "activations.hpp"
#include "kernel_arguments.hpp"
#include "kernels.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

constexpr int kMostRows = 1024;  // per VECTOR: the next operator starts when the first one is done; those apart from
                                 // other instructions have a strip, so that these need not wait long
constexpr int kLeastTiles = 4;   // the first tile is loaded, and the last one stored, while no kernel runs
constexpr int kBuffers = 2;
constexpr std::int64_t kMostBytes = 65535;  // of a position that one LOAD or STORE transfers

std::int64_t positions_of(const TensorView& t) { return std::int64_t{t.batch} * t.height * t.width; }

int count_of_strips(int rows) { return ceil_div(rows, kernel::kStripRows); }

/// Items and blocks of a tile, and how many tiles of each tensor are in the scratchpad at a time.
struct Tiling {
  int items = 1, blocks = 1, buffers = kBuffers;
};

/// A tensor, and where its tiles are in the scratchpad.
class Operand {
 public:
  /// `each`: positions for each item; 0 if all items have the same one. A block has as many planes as an element has
  /// bytes.
  Operand(const TensorView& view, int dim, int each)
      : view_(view),
        blocks_(ceil_div(view.channels, dim * view.element_bytes)),
        dim_(dim),
        each_(each),
        size_(view.element_bytes) {}

  bool on_chip() const { return view_.chip.has_value(); }
  bool repeats() const { return each_ == 0; }
  int each() const { return each_; }
  int blocks() const { return blocks_; }

  /// Scratchpad rows for tiles.
  std::int64_t rows(const Tiling& tiling) const {
    const std::int64_t planes = std::int64_t{size_} * std::min(blocks_, tiling.blocks);
    return on_chip() ? 0 : planes * (repeats() ? 1 : plane_rows(form(), tiling.items * each_) * tiling.buffers);
  }

  /// Bytes of a position that are loaded or stored at once.
  std::int64_t transfer(int blocks) const {
    return on_chip() ? 0 : std::int64_t{dim_} * size_ * std::min(blocks_, blocks);
  }

  void place(int first, const Tiling& tiling) {
    if (!on_chip()) {
      ring_ = RowRing(first, static_cast<int>(rows(tiling)), false);
    }
    tile_rows_ = repeats() ? 1 : tiling.items * each_;
  }

  /// First row of some blocks of the tile; loads them unless they are in the scratchpad.
  ChipPlanes load(Builder& builder, int tile, Range blocks) {
    if (on_chip()) {
      return placed(repeats() ? 0 : tile, blocks);
    }
    if (repeats() && held_ && held_blocks_ == blocks.begin) {
      return *held_;
    }
    const MatrixRows source = matrix();
    const int which = repeats() ? 0 : tile;
    const int lines = source.shape(which).lines;
    const Range planes{blocks.begin * size_, blocks.end * size_};
    const int plane = source.plane_rows(which);
    const ChipPlanes at{ring_.take(plane * planes.size()).row, plane};
    source.load(builder, which, planes, {0, lines}, at.row);
    held_ = at;
    held_blocks_ = blocks.begin;
    return at;
  }

  /// Where the tile's results go.
  ChipPlanes stage(int tile, int items, Range blocks) {
    const int plane = plane_rows(form(), items * each_);
    return on_chip() ? placed(tile, blocks) : ChipPlanes{ring_.take(plane * blocks.size() * size_).row, plane};
  }

  void store(Builder& builder, int tile, Range blocks, const ChipPlanes& from) const {
    if (on_chip()) {
      return;
    }
    const MatrixRows to = matrix();
    const TileShape shape = to.shape(tile);
    const int first = blocks.begin * dim_ * size_;
    const int bytes = std::min(view_.channels, blocks.end * dim_ * size_) - first;
    store_results(builder, {view_.address, view_.channels, view_.pitch(), 1},
                  {shape, to.place(tile), {0, shape.lines}, first, bytes, from.row, from.plane});
  }

 private:
  PlaneForm form() const { return plane_form(size_); }

  ChipPlanes placed(int tile, Range blocks) const {
    return {view_.chip->row + blocks.begin * size_ * view_.chip->plane + tile * tile_rows_, view_.chip->plane};
  }

  MatrixRows matrix() const {
    return {view_.address, static_cast<int>(positions_of(view_)), view_.channels, view_.pitch(), tile_rows_, dim_,
            form()};
  }

  TensorView view_;
  int blocks_, dim_, each_, size_;
  int tile_rows_ = 1;
  RowRing ring_;
  std::optional<ChipPlanes> held_;
  int held_blocks_ = 0;  // the first of them
};

/// As many items as fit, if all tiles have `blocks`; none if not even one does.
Tiling tiling_with(int blocks, const Builder& builder, const std::vector<Operand>& operands, int items) {
  std::int64_t transfer = 0;
  int longest = 1;
  for (const Operand& operand : operands) {
    longest = std::max(longest, operand.each());
    transfer = std::max(transfer, operand.transfer(blocks));
  }
  const auto fit = [&](int some, int buffers) {
    std::int64_t rows = 0;
    for (const Operand& operand : operands) {
      rows += operand.rows({some, blocks, buffers});
    }
    return rows <= builder.workspace_rows();
  };
  if (!fit(1, 1) || transfer > kMostBytes) {
    return {0, blocks, 1};
  }
  const int most_rows = builder.kernels_apart() ? kernel::kStripRows : kMostRows / longest;
  const bool streams = std::any_of(operands.begin(), operands.end(),
                                   [](const Operand& operand) { return !operand.on_chip() && !operand.repeats(); });
  const int buffers = fit(1, kBuffers) ? kBuffers : 1;
  int chosen = std::min(items, std::max(kernel::kStripRows, most_rows));
  if (streams) {
    while (!fit(chosen, buffers)) {
      --chosen;
    }
    chosen = std::min(chosen, std::max(kernel::kStripRows, ceil_div(items, kLeastTiles)));
  }
  return {chosen < kernel::kStripRows ? chosen : chosen / kernel::kStripRows * kernel::kStripRows, blocks, buffers};
}

/// Whole positions, unless fewer blocks of them allow fuller strips. If `turned`, one item, and blocks for some tiles
/// of it, or all of them if they are `whole`.
Tiling choose_tiling(const Builder& builder, const KernelCall& call, const std::vector<Operand>& operands, int items,
                     int blocks, bool turned, bool whole) {
  const int enough = turned ? 1 : std::min(items, kernel::kStripRows);
  const int most_blocks =
      turned && !whole ? count_of_strips(ceil_div(blocks, kLeastTiles)) * kernel::kStripRows : blocks;
  Tiling tiling = tiling_with(std::min(blocks, most_blocks), builder, operands, items);
  while (call.by_block && tiling.items < enough && tiling.blocks > 1) {
    tiling = tiling_with(ceil_div(tiling.blocks, 2), builder, operands, items);
  }
  tiling.items = turned ? std::min(tiling.items, 1) : tiling.items;
  if (tiling.items == 0) {
    throw DoesNotFit(
        fmt::format("kernel {}: an item does not fit {} scratchpad rows, or a position has more than {} "
                    "bytes",
                    call.kernel, builder.workspace_rows(), kMostBytes));
  }
  return tiling;
}

/// Positions of a tensor for each of the items; 0 for one that all of them share.
int positions_for_each(const std::string& kernel, const TensorView& view, std::int64_t items) {
  const std::int64_t positions = positions_of(view);
  if (positions == 1 && items != 1) {
    return 0;
  }
  if (positions % items != 0 || positions > std::numeric_limits<int>::max()) {
    throw InvalidArgument(
        fmt::format("kernel {}: {} positions for {} items; it may have one, or a multiple of {} up "
                    "to 2^31 - 1",
                    kernel, positions, items, items));
  }
  return static_cast<int>(positions / items);
}

}  // namespace

void run_kernel(Builder& builder, const KernelCall& call, const std::vector<TensorView>& inputs,
                const TensorView& output) {
  const std::int64_t items = call.items == 0 ? positions_of(output) : call.items;
  const Strips strips = strips_of(call, builder.dim(), items);
  const kernel::Kernel& kernel = kernel_of(call, builder.dim(), strips);
  std::vector<Operand> operands;
  for (const TensorView& input : inputs) {
    operands.emplace_back(input, builder.dim(), positions_for_each(kernel.name, input, items));
  }
  operands.emplace_back(output, builder.dim(), positions_for_each(kernel.name, output, items));
  const auto more_blocks = [](const Operand& a, const Operand& b) { return a.blocks() < b.blocks(); };
  const int blocks = std::max_element(operands.begin(), operands.end(), more_blocks)->blocks();
  const int count = static_cast<int>(items);
  const bool by_row = strips == Strips::kOfPlanes;
  const bool turned = by_row || (call.turns && (!output.chip || items == 1) &&
                                 std::int64_t{count_of_strips(count)} * blocks > items * count_of_strips(blocks));
  const Tiling tiling = choose_tiling(builder, call, operands, count, blocks, turned, by_row);
  int row = builder.workspace_begin();
  for (Operand& operand : operands) {
    operand.place(row, tiling);
    row += static_cast<int>(operand.rows(tiling));
  }

  builder.begin_operator(fmt::format("{} {}x{}x{}", kernel.name, output.height, output.width, output.channels), 0);
  const std::uint16_t entry = builder.place_kernel(kernel);
  if (call.table) {
    place_table(builder, *call.table);
  }
  KernelArguments arguments(kernel, call);
  const TensorView& first = inputs.front();
  const int channels = first.channels / first.element_bytes;
  if (!call.channel_words.empty()) {
    arguments.set("words", place_channel_words(builder, call, channels));
  }
  if (by_row) {
    arguments.set("meeting", builder.rings().accumulators.back().take(kernel::kStripRows).row);
  }
  const auto append_tile = [&](int tile, int first_block) {
    const auto part = [&](const Operand& operand) {
      return Range{first_block, std::min(first_block + tiling.blocks, operand.blocks())};
    };
    const int items_of_tile = std::min(tiling.items, count - tile * tiling.items);
    const int blocks_of_tile = part(operands.front()).size();
    const int rows = turned ? blocks_of_tile : items_of_tile, planes = turned ? items_of_tile : blocks_of_tile;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ChipPlanes at = operands[i].load(builder, tile, part(operands[i]));
      const std::string name = operand_name(i);
      arguments.set(name, at.row);
      arguments.set(name + "_plane", at.plane);
      const int distance = turned ? inputs[i].element_bytes * at.plane : operands[i].each();
      arguments.set(name + "_row", distance);
      arguments.set(name + "_strip", std::int64_t{kernel::kStripRows} * distance);
      arguments.set(name + "_each", operands[i].each());
    }
    arguments.set("planes", planes);
    arguments.set("before", planes - 1);
    arguments.set("lanes", channels - (operands.front().blocks() - 1) * builder.dim());
    Operand& to = operands.back();
    const ChipPlanes at = to.stage(tile, items_of_tile, part(to));
    arguments.set("to", at.row);
    arguments.set("to_plane", at.plane);
    arguments.set("to_row", turned ? output.element_bytes * at.plane : 1);
    arguments.set_rows(rows);
    builder.append(arguments.instruction(entry));
    to.store(builder, tile, part(to), at);
  };
  for (int block = 0; block < blocks; block += tiling.blocks) {
    for (int tile = 0; std::int64_t{tile} * tiling.items < items; ++tile) {
      append_tile(tile, block);
    }
  }
}

}  // namespace systole::compiler

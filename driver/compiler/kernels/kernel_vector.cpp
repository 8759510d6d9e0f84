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
#include "kernels.hpp"
#include "library.hpp"
#include "params.hpp"
#include "results.hpp"
#include "rings.hpp"
#include "systole/errors.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::compiler {
namespace {

constexpr int kMostRows = 1024;  // per VECTOR: the next operator starts when the first one is done
constexpr int kLeastTiles = 4;   // the first tile is loaded, and the last one stored, while no kernel runs
constexpr int kBuffers = 2;

std::int64_t positions_of(const TensorView& t) { return std::int64_t{t.batch} * t.height * t.width; }

int strips_of(int rows) { return ceil_div(rows, kernel::kStripRows); }

/// A tensor, and where its tiles are in the scratchpad.
class Operand {
 public:
  Operand(const TensorView& view, int dim, bool repeats)
      : view_(view), blocks_(ceil_div(view.channels, dim)), dim_(dim), repeats_(repeats) {}

  bool on_chip() const { return view_.chip.has_value(); }
  bool repeats() const { return repeats_; }
  int blocks() const { return blocks_; }
  const TensorView& view() const { return view_; }

  /// Scratchpad rows for tiles of `tile_rows` positions.
  int rows(int tile_rows, int buffers) const {
    return on_chip() ? 0 : blocks_ * (repeats_ ? 1 : tile_rows * buffers);
  }

  void place(int first, int tile_rows, int buffers) {
    if (!on_chip()) {
      ring_ = RowRing(first, rows(tile_rows, buffers), false);
    }
    tile_rows_ = tile_rows;
  }

  /// First row of the tile; loads it unless it is in the scratchpad.
  ChipPlanes load(Builder& builder, int tile) {
    if (on_chip()) {
      return {view_.chip->row + (repeats_ ? 0 : tile * tile_rows_), view_.chip->plane};
    }
    if (repeats_ && held_) {
      return *held_;
    }
    const MatrixRows source = matrix();
    const int which = repeats_ ? 0 : tile;
    const int lines = source.shape(which).lines;
    const ChipPlanes at{ring_.take(lines * blocks_).row, lines};
    source.load(builder, which, {0, blocks_}, {0, lines}, at.row);
    held_ = at;
    return at;
  }

  /// Where the tile's results go.
  ChipPlanes stage(int tile, int lines) {
    return on_chip() ? ChipPlanes{view_.chip->row + tile * tile_rows_, view_.chip->plane}
                     : ChipPlanes{ring_.take(lines * blocks_).row, lines};
  }

  void store(Builder& builder, int tile, const ChipPlanes& from) const {
    if (on_chip()) {
      return;
    }
    const MatrixRows to = matrix();
    const TileShape shape = to.shape(tile);
    store_results(builder, {view_.address, view_.channels, view_.pitch(), 1},
                  {shape, to.place(tile), {0, shape.lines}, 0, view_.channels, from.row, from.plane});
  }

 private:
  MatrixRows matrix() const {
    return {view_.address, static_cast<int>(positions_of(view_)), view_.channels, view_.pitch(), tile_rows_, dim_};
  }

  TensorView view_;
  int blocks_, dim_;
  bool repeats_;
  int tile_rows_ = 1;
  RowRing ring_;
  std::optional<ChipPlanes> held_;
};

/// Positions of a tile, and how many tiles of each tensor are in the scratchpad at a time.
struct Tiling {
  int rows = 1, buffers = kBuffers;
};

Tiling choose_tiling(const Builder& builder, const std::string& kernel, const std::vector<Operand>& operands,
                     int positions) {
  int fixed = 0, each = 0;
  for (const Operand& operand : operands) {
    (operand.repeats() ? fixed : each) += operand.rows(1, 1);
  }
  const int room = builder.workspace_rows() - fixed;
  Tiling tiling;
  int most = std::min(positions, kMostRows);
  if (each > 0) {
    tiling.buffers = room >= kBuffers * each ? kBuffers : 1;
    most = std::min(most, std::max(0, room) / (tiling.buffers * each));
    most = std::min(most, std::max(kernel::kStripRows, ceil_div(positions, kLeastTiles)));
  }
  if (most < 1 || room < 0) {
    throw DoesNotFit(fmt::format("kernel {}: {} scratchpad rows are not enough, a position needs {}", kernel,
                                 builder.workspace_rows(), fixed + each));
  }
  tiling.rows = most < kernel::kStripRows ? most : most / kernel::kStripRows * kernel::kStripRows;
  return tiling;
}

/// The arguments of a kernel, set by name. Names that the kernel does not have are ignored.
class Arguments {
 public:
  explicit Arguments(const kernel::Kernel& kernel) : kernel_(kernel), set_(kernel.arguments.size(), false) {}

  void set(const std::string& name, std::int64_t value) {
    const auto found = std::find(kernel_.arguments.begin(), kernel_.arguments.end(), name);
    if (found != kernel_.arguments.end()) {
      const auto i = static_cast<std::size_t>(found - kernel_.arguments.begin());
      values_.at(i) = static_cast<std::uint32_t>(value);
      set_.at(i) = true;
    }
  }

  isa::Vector instruction(std::uint16_t entry) const {
    const auto missing = std::find(set_.begin(), set_.end(), false);
    if (missing != set_.end()) {
      throw InternalError(fmt::format("compiler: kernel {} without a value for '{}'", kernel_.name,
                                      kernel_.arguments[static_cast<std::size_t>(missing - set_.begin())]));
    }
    isa::Vector op;
    op.entry = entry;
    kernel::set_arguments(op, values_);
    return op;
  }

 private:
  const kernel::Kernel& kernel_;
  kernel::Arguments values_{};
  std::vector<bool> set_;
};

void place_table(Builder& builder, const KernelTable& table) {
  const int rows = kernel::kTableWords * static_cast<int>(sizeof table[0]) / builder.dim();
  if (rows > builder.configuration().param_rows) {
    throw DoesNotFit(fmt::format("a table of {} parameter rows; the configuration has {}", rows,
                                 builder.configuration().param_rows));
  }
  std::vector<std::uint8_t> bytes(sizeof table);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(table[i / sizeof table[0]] >> 8 * (i % sizeof table[0]));
  }
  isa::Table op;
  op.words = 1;
  op.params = static_cast<std::uint16_t>(place_params(builder, std::move(bytes)));
  builder.append(op);
}

}  // namespace

void run_kernel(Builder& builder, const KernelCall& call, const std::vector<TensorView>& inputs,
                const TensorView& output) {
  const kernel::Kernel& kernel = library_kernel(call.kernel, call.formats);
  const std::int64_t positions = positions_of(output);
  std::vector<Operand> operands;
  for (const TensorView& input : inputs) {
    const std::int64_t own = positions_of(input);
    if (own != positions && own != 1) {
      throw InvalidArgument(fmt::format("kernel {}: an operand of {} positions for a result of {}; it may have {} or 1",
                                        kernel.name, own, positions, positions));
    }
    operands.emplace_back(input, builder.dim(), own != positions);
  }
  operands.emplace_back(output, builder.dim(), false);
  if (positions > std::numeric_limits<int>::max()) {
    throw InvalidArgument(fmt::format("kernel {}: {} positions; at most 2^31 - 1", kernel.name, positions));
  }
  const Tiling tiling = choose_tiling(builder, kernel.name, operands, static_cast<int>(positions));
  int row = builder.workspace_begin();
  for (Operand& operand : operands) {
    operand.place(row, tiling.rows, tiling.buffers);
    row += operand.rows(tiling.rows, tiling.buffers);
  }

  builder.begin_operator(fmt::format("{} {}x{}x{}", kernel.name, output.height, output.width, output.channels), 0);
  const std::uint16_t entry = builder.place_kernel(kernel);
  if (call.table) {
    place_table(builder, *call.table);
  }
  const int channels = inputs.front().channels, planes = operands.front().blocks();
  Arguments arguments(kernel);
  arguments.set("planes", planes);
  arguments.set("before", planes - 1);
  arguments.set("lanes", channels - (planes - 1) * builder.dim());
  for (const auto& [name, value] : call.values) {
    arguments.set(name, value);
  }
  Operand& to = operands.back();
  for (int tile = 0; std::int64_t{tile} * tiling.rows < positions; ++tile) {
    const int rows = std::min(tiling.rows, static_cast<int>(positions) - tile * tiling.rows);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ChipPlanes at = operands[i].load(builder, tile);
      const std::string name(1, static_cast<char>('a' + i));
      arguments.set(name, at.row);
      arguments.set(name + "_plane", at.plane);
      arguments.set(name + "_row", operands[i].repeats() ? 0 : 1);
      arguments.set(name + "_strip", operands[i].repeats() ? 0 : kernel::kStripRows);
    }
    const ChipPlanes at = to.stage(tile, rows);
    arguments.set("to", at.row);
    arguments.set("to_plane", at.plane);
    arguments.set("rows", rows);
    arguments.set("strips", strips_of(rows));
    builder.append(arguments.instruction(entry));
    to.store(builder, tile, at);
  }
}

}  // namespace systole::compiler

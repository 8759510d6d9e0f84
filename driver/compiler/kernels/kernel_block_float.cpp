// SPDX-License-Identifier: Apache-2.0
// Products in block floating point, and the conversion of their operands.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "block_activations.hpp"
#include "block_columns.hpp"
#include "block_conversion.hpp"
#include "block_correlation.hpp"
#include "block_tiles.hpp"
#include "block_weights.hpp"
#include "geometry.hpp"
#include "kernel_arguments.hpp"
#include "kernels.hpp"
#include "library.hpp"
#include "plan.hpp"
#include "results.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

constexpr int kWordPlanes = 4;  // scratchpad planes of binary32
constexpr int kBuffers = 2;
constexpr int kMostPositions = 64;  // of a conversion

int rounded_up(int value, int unit) { return ceil_div(value, unit) * unit; }

/// Tiles of positions and groups of channels that pass through the scratchpad.
class Conversion {
 public:
  /// The positions, in tiles of this many.
  using Source = std::function<std::unique_ptr<Activations>(int positions)>;

  /// Of `channels` elements, from device memory, or from `chip`, where they are rows.
  Conversion(Builder& builder, const Source& source, int channels, const std::optional<ChipPlanes>& chip,
             const BlockView& output, const BlockPlace& place)
      : builder_(builder),
        chip_(chip),
        output_(output),
        place_(place),
        lanes_(builder.dim()),
        groups_(ceil_div(channels, lanes_.group)) {
    const int of_words = chip ? 0 : kWordPlanes, of_blocks = output.chip ? 0 : 1;
    const int begin = rounded_up(builder.workspace_begin(), kBlockPlaneUnit);
    const int room = builder.workspace_begin() + builder.workspace_rows() - begin;
    for (int some = kMostPositions; some > 0; some -= kBlockPlaneUnit) {
      source_ = source(some);
      const int plane = rounded_up(source_->shape(0).positions(), kBlockPlaneUnit);
      const int each = kBuffers * (of_words + of_blocks) * lanes_.planes * plane;
      together_ = each == 0 ? groups_ : std::min(groups_, room / each);
      if (together_ == groups_ || (together_ > 0 && !source_->packed())) {
        break;
      }
      together_ = 0;
    }
    if (together_ == 0) {
      throw DoesNotFit(fmt::format("a conversion to blocks of {} positions does not fit {} scratchpad rows",
                                   kBlockPlaneUnit, builder.workspace_rows()));
    }
    const int plane = rounded_up(source_->shape(0).positions(), kBlockPlaneUnit);
    const int rows = kBuffers * together_ * lanes_.planes * plane;
    staging_ = RowRing(begin, of_blocks * rows, false);
    words_ = RowRing(begin + of_blocks * rows, of_words * rows, false);
  }

  void run() {
    const kernel::Kernel& kernel = library_kernel("float_to_blocks", {});
    const std::uint16_t entry = builder_.place_kernel(kernel);
    for (int tile = 0; tile < source_->tiles(); ++tile) {
      for (int group = 0; group < groups_; group += together_) {
        convert(kernel, entry, tile, {group, std::min(groups_, group + together_)});
      }
    }
  }

 private:
  void convert(const kernel::Kernel& kernel, std::uint16_t entry, int tile, Range groups) {
    const TileShape shape = source_->shape(tile);
    const int lines = shape.positions(), first = static_cast<int>(source_->place(tile).first);
    const int plane = output_.chip ? output_.chip->plane : rounded_up(lines, kBlockPlaneUnit);
    const int word_plane = chip_ ? chip_->plane : lines;
    const Range planes{groups.begin * lanes_.planes, groups.end * lanes_.planes};
    const int words = chip_ ? chip_->row + kWordPlanes * planes.begin * word_plane + first
                            : words_.take(kWordPlanes * lines * planes.size()).row;
    const int to = output_.chip ? output_.chip->row + (planes.begin + place_.group * lanes_.planes) * plane + first +
                                      place_.position
                                : staging_.take(plane * planes.size()).row;
    if (!chip_) {
      source_->load(builder_, tile, {planes.begin * kWordPlanes, planes.end * kWordPlanes}, {0, shape.lines}, words);
    }
    KernelArguments arguments(kernel, {kernel.name});
    arguments.set("a_plane", word_plane);
    const auto run_rows = [&](int a, int b, int rows, int count) {
      arguments.set("a", a);
      arguments.set("to", b);
      arguments.set("planes", count);
      arguments.set_rows(rows);
      builder_.append(arguments.instruction(entry));
    };
    if (lanes_.planes == 1) {
      set_steps(arguments, {1, kWordPlanes * word_plane}, {1, plane});
      run_rows(words, to, lines, planes.size());
    } else {  // the rows of a block are those of a strip
      set_steps(arguments, {kWordPlanes * word_plane, 1}, {plane, 1});
      for (int group = 0; group < groups.size(); ++group) {
        run_rows(words + group * lanes_.planes * kWordPlanes * word_plane, to + group * lanes_.planes * plane,
                 lanes_.planes, lines);
      }
    }
    if (output_.chip) {
      return;
    }
    store_blocks(builder_, output_,
                 {{groups.begin + place_.group, groups.end + place_.group}, first + place_.position, lines, to, plane});
  }

  struct Steps {
    int row, next;
  };
  static void set_steps(KernelArguments& arguments, Steps from, Steps to) {
    arguments.set("a_row", from.row);
    arguments.set("a_next", from.next);
    arguments.set("to_row", to.row);
    arguments.set("to_next", to.next);
  }

  Builder& builder_;
  std::optional<ChipPlanes> chip_;
  BlockView output_;
  BlockPlace place_;
  BlockLanes lanes_;
  int groups_, together_ = 0;
  std::unique_ptr<Activations> source_;
  RowRing words_, staging_;
};

/// A product of rows, all channels in one tap.
void row_product(Builder& builder, const BlockView& rows, int count, const BlockWeights& weights, const Output& output,
                 const OutputStage& stage) {
  const int dim = builder.dim(), bytes = rows.groups(BlockLanes(dim)) * BlockLanes(dim).group;
  std::vector<Candidate> candidates;
  for (const int share : tile_heights(count, builder.configuration())) {
    if (rows.chip) {
      candidates.push_back({[=, &rows] { return std::make_unique<ChipRows>(*rows.chip, count, share); }, &weights,
                            weights.blocks(0).size()});
      continue;
    }
    candidates.push_back({[=, &rows] {
                            return std::make_unique<BlockActivations<MatrixRows>>(
                                MatrixRows(rows.position(0), count, bytes, rows.pitch(), share, dim, kBlockPlaneUnit),
                                rows);
                          },
                          &weights, weights.blocks(0).size()});
  }
  HeldWeights held;
  emit_best_product(builder, candidates, output, stage, held);
}

/// Where `outputs` channels of the results of `positions` go, and how.
struct Target {
  Output output;
  OutputStage stage;
};

Target target(Builder& builder, const BlockResults& results, const TensorView& to, std::int64_t positions,
              int outputs) {
  Target target{{to.address, outputs, to.pitch(), kWordPlanes, to.chip}, {}};
  if (!results.changes()) {
    return target;
  }
  FloatStage& floats = target.stage.floats.emplace();
  if (results.computed_bias) {
    floats.bias = *results.computed_bias;
  } else {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(outputs) * sizeof(float));
    std::memcpy(bytes.data(), results.bias.data(), results.bias.size() * sizeof(float));
    floats.bias = builder.constant(std::move(bytes));
  }
  floats.low = results.low;
  floats.high = results.high;
  if (results.blocks) {
    floats.blocks = BlockView{to.address, positions, outputs};
    target.output.element_bytes = 1;
  }
  return target;
}

std::uint64_t macs(std::int64_t positions, std::int64_t depth, std::int64_t columns) {
  return static_cast<std::uint64_t>(positions * depth * columns);
}

std::int64_t positions_of(const ConvGeometry& g) { return std::int64_t{g.batch} * g.out_height * g.out_width; }

/// Checks the convolution, and begins it.
ConvGeometry block_geometry(Builder& builder, const TensorView& image, const BlockView& input, const Window& window,
                            int outputs, const TensorView& output) {
  const BlockLanes lanes(builder.dim());
  TensorView mantissas = image;
  mantissas.address = input.address;
  mantissas.channels = input.groups(lanes) * lanes.group;
  mantissas.pixel_pitch = input.pitch();
  ConvGeometry g = make_geometry("block_conv2d", mantissas, window, 0, output);
  g.plane_unit = kBlockPlaneUnit;
  builder.begin_operator(fmt::format("blocks conv {}x{} {}x{}x{} to {}", g.kernel_h, g.kernel_w, g.height, g.width,
                                     input.channels, outputs),
                         macs(positions_of(g), std::int64_t{g.kernel_h} * g.kernel_w * input.channels, outputs));
  return g;
}

void sliding_product(Builder& builder, const ConvGeometry& g, const BlockView& input, const BlockWeights& weights,
                     const Target& to) {
  const bool pixels_are_rows = g.kernel_h == 1 && g.kernel_w == 1 && g.stride_h == 1 && g.stride_w == 1 &&
                               g.out_height == g.height && g.out_width == g.width;
  if (pixels_are_rows) {
    row_product(builder, input, static_cast<int>(input.positions), weights, to.output, to.stage);
    return;
  }
  const int dim = builder.dim();
  std::vector<Candidate> candidates;
  for (const Cut& cut : cuts(g, builder.configuration())) {
    candidates.push_back({[&g, &input, cut, dim] {
                            return std::make_unique<BlockActivations<ImagePlanes>>(ImagePlanes(g, cut, dim), input);
                          },
                          &weights, weights.blocks(0).size()});
  }
  HeldWeights held;
  emit_best_product(builder, candidates, to.output, to.stage, held);
}

void computed_conv2d(Builder& builder, const ConvGeometry& g, const BlockView& input, const TiledBlockWeights& filter,
                     int outputs, const BlockResults& results, const TensorView& output) {
  if (is_correlation(g) && !results.changes()) {
    correlate(builder, g, input, filter, outputs, output.address);
  } else {
    sliding_product(builder, g, input, filter, target(builder, results, output, positions_of(g), outputs));
  }
}

}  // namespace

void to_blocks(Builder& builder, const TensorView& input, const BlockView& output) {
  to_blocks_at(builder, input, output, {});
}

void to_blocks_at(Builder& builder, const TensorView& input, const BlockView& output, const BlockPlace& place) {
  builder.begin_operator(fmt::format("blocks {}x{}", output.positions, output.channels), 0);
  const auto rows = [&](int positions) {
    return std::make_unique<MatrixRows>(input.address, input.batch * input.height * input.width, input.channels,
                                        input.pitch(), positions, builder.dim());
  };
  Conversion(builder, rows, input.channels / input.element_bytes, input.chip, output, place).run();
}

void to_blocks(Builder& builder, const TensorView& image, const Window& window, const TensorView& positions,
               const BlockView& output) {
  builder.begin_operator(fmt::format("blocks of windows {}x{}", output.positions, output.channels), 0);
  const ConvGeometry g = make_geometry("blocks of windows", image, window, 0, positions);
  const auto windows = [&](int most) {
    const Cut cut = g.out_width <= most ? Cut{std::min(g.out_height, most / g.out_width), g.out_width} : Cut{1, most};
    return std::make_unique<PackedWindows>(g, cut, builder.dim());
  };
  Conversion(builder, windows, output.channels, std::nullopt, output, {}).run();
}

bool gathers_windows(const TensorView& image, const Window& window, const TensorView& positions) {
  constexpr int kLeastDim = 4;
  return PackedWindows::possible(make_geometry("blocks of windows", image, window, 0, positions), kLeastDim);
}

void block_conv2d(Builder& builder, const TensorView& image, const BlockView& input, const BlockFilter& filter,
                  const Window& window, const BlockResults& results, const TensorView& output) {
  const ConvGeometry g = block_geometry(builder, image, input, window, filter.outputs, output);
  const Target to = target(builder, results, output, positions_of(g), filter.outputs);
  sliding_product(builder, g, input, constant_tiles(builder, filter), to);
}

void block_conv2d(Builder& builder, const TensorView& image, const BlockView& input, const ComputedFilter& filter,
                  const Window& window, const BlockResults& results, const TensorView& output) {
  const ConvGeometry g = block_geometry(builder, image, input, window, filter.outputs, output);
  computed_conv2d(builder, g, input, written_tiles(builder, filter), filter.outputs, results, output);
}

void block_conv2d(Builder& builder, const TensorView& image, const BlockView& input, const FloatColumns& filter,
                  const Window& window, const BlockResults& results, const TensorView& output) {
  const ConvGeometry g = block_geometry(builder, image, input, window, filter.outputs, output);
  computed_conv2d(builder, g, input, column_tiles(builder, filter), filter.outputs, results, output);
}

void block_matmul(Builder& builder, const BlockView& a, int rows, const BlockFilter& b, const BlockResults& results,
                  const TensorView& output) {
  builder.begin_operator(fmt::format("blocks matmul {}x{}x{}", rows, a.channels, b.outputs),
                         macs(rows, a.channels, b.outputs));
  const Target to = target(builder, results, output, rows, b.outputs);
  row_product(builder, a, rows, constant_tiles(builder, b), to.output, to.stage);
}

void block_matmul(Builder& builder, const BlockView& a, int rows, const BlockView& b, int columns,
                  const BlockResults& results, const TensorView& output) {
  builder.begin_operator(fmt::format("blocks matmul {}x{}x{}", rows, a.channels, columns),
                         macs(rows, a.channels, columns));
  const Target to = target(builder, results, output, rows, columns);
  row_product(builder, a, rows, ComputedBlockWeights(b, columns, builder.dim()), to.output, to.stage);
}

void block_matmul(Builder& builder, const BlockView& a, int rows, const FloatColumns& b, const BlockResults& results,
                  const TensorView& output) {
  builder.begin_operator(fmt::format("blocks matmul {}x{}x{}", rows, a.channels, b.outputs),
                         macs(rows, a.channels, b.outputs));
  const Target to = target(builder, results, output, rows, b.outputs);
  row_product(builder, a, rows, column_tiles(builder, b), to.output, to.stage);
}

}  // namespace systole::compiler

// SPDX-License-Identifier: Apache-2.0
#include "block_conversion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "activations.hpp"
#include "geometry.hpp"
#include "kernel_arguments.hpp"
#include "library.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;
constexpr int kMostPositions = 256;  // of a conversion

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
    const auto of_words = [&](int positions) {
      return chip ? 0 : kBuffers * kWordPlanes * plane_rows(PlaneForm::kWords, positions) * lanes_.planes;
    };
    const auto of_blocks = [&](int positions) {
      return output.chip ? 0 : kBuffers * plane_rows(PlaneForm::kBlocks, positions) * lanes_.planes;
    };
    const int begin = rounded_up(builder.workspace_begin(), kBlockPlaneUnit);
    const int room = builder.workspace_begin() + builder.workspace_rows() - begin;
    for (int some = kMostPositions; some > 0; some -= kBlockPlaneUnit) {
      source_ = source(some);
      const int positions = source_->shape(0).positions(), each = of_words(positions) + of_blocks(positions);
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
    const int positions = source_->shape(0).positions(), staged = together_ * of_blocks(positions);
    staging_ = RowRing(begin, staged, false);
    words_ = RowRing(begin + staged, together_ * of_words(positions), false);
  }

  void run() {
    for (int tile = 0; tile < source_->tiles(); ++tile) {
      for (int group = 0; group < groups_; group += together_) {
        convert(tile, {group, std::min(groups_, group + together_)});
      }
    }
  }

 private:
  void convert(int tile, Range groups) {
    const TileShape shape = source_->shape(tile);
    const int lines = shape.positions(), first = static_cast<int>(source_->place(tile).first);
    const int plane = output_.chip ? output_.chip->plane : plane_rows(PlaneForm::kBlocks, lines);
    const int word_plane = chip_ ? chip_->plane : plane_rows(PlaneForm::kWords, lines);
    const Range planes{groups.begin * lanes_.planes, groups.end * lanes_.planes};
    const int words = chip_ ? chip_->row + kWordPlanes * planes.begin * word_plane + first
                            : words_.take(kWordPlanes * word_plane * planes.size()).row;
    const int to = output_.chip ? output_.chip->row + (planes.begin + place_.group * lanes_.planes) * plane + first +
                                      place_.position
                                : staging_.take(plane * planes.size()).row;
    if (!chip_) {
      source_->load(builder_, tile, {planes.begin * kWordPlanes, planes.end * kWordPlanes}, {0, shape.lines}, words);
    }
    append_conversion(builder_, {words, word_plane}, {to, plane}, lines, planes.size());
    if (output_.chip) {
      return;
    }
    store_blocks(builder_, output_,
                 {{groups.begin + place_.group, groups.end + place_.group}, first + place_.position, lines, to, plane});
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

}  // namespace

void append_conversion(Builder& builder, const ChipPlanes& words, const ChipPlanes& to, int lines, int planes) {
  const kernel::Kernel& kernel = library_kernel("float_to_blocks", {});
  const BlockLanes lanes(builder.dim());
  KernelArguments arguments(kernel, {kernel.name});
  arguments.set("a_plane", words.plane);
  // Where DIM is below 16 the rows of a block are those of a strip, and there is a VECTOR for each group of channels.
  const bool apart = lanes.planes > 1;
  // Otherwise the rows of a strip are positions, or the planes of one, whichever takes fewer strips.
  const auto strips = [](int rows) { return ceil_div(rows, kernel::kStripRows); };
  const bool turned = apart || lines * strips(planes) < planes * strips(lines);
  const int word_planes = kWordPlanes * words.plane;
  arguments.set("a_row", turned ? word_planes : 1);
  arguments.set("a_next", turned ? 1 : word_planes);
  arguments.set("to_row", turned ? to.plane : 1);
  arguments.set("to_next", turned ? 1 : to.plane);
  arguments.set("planes", turned ? lines : planes);
  arguments.set_rows(apart ? lanes.planes : turned ? planes : lines);
  for (int plane = 0; plane < planes; plane += apart ? lanes.planes : planes) {
    arguments.set("a", words.row + plane * word_planes);
    arguments.set("to", to.row + plane * to.plane);
    builder.append(arguments.instruction(builder.place_kernel(kernel)));
  }
}

void to_blocks(Builder& builder, const TensorView& input, const BlockView& output) {
  to_blocks_at(builder, input, output, {});
}

void to_blocks_at(Builder& builder, const TensorView& input, const BlockView& output, const BlockPlace& place) {
  builder.begin_operator(fmt::format("blocks {}x{}", output.positions, output.channels), 0);
  const auto rows = [&](int positions) {
    return std::make_unique<MatrixRows>(input.address, input.batch * input.height * input.width, input.channels,
                                        input.pitch(), positions, builder.dim(), PlaneForm::kWords);
  };
  Conversion(builder, rows, input.channels / input.element_bytes, input.chip, output, place).run();
}

void to_blocks(Builder& builder, const TensorView& image, const Window& window, const TensorView& positions,
               const BlockView& output) {
  builder.begin_operator(fmt::format("blocks of windows {}x{}", output.positions, output.channels), 0);
  ConvGeometry g = make_geometry("blocks of windows", image, window, 0, positions);
  g.form = PlaneForm::kWords;
  const auto windows = [&](int most) {
    const Cut cut = g.out_width <= most ? Cut{std::min(g.out_height, most / g.out_width), g.out_width} : Cut{1, most};
    return std::make_unique<PackedWindows>(g, cut, builder.dim());
  };
  Conversion(builder, windows, output.channels, std::nullopt, output, {}).run();
}

}  // namespace systole::compiler

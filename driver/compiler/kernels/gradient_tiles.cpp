// SPDX-License-Identifier: Apache-2.0
// The gradient of a maximum pool as weight tiles: that of the image is the kernel of a convolution whose reduction goes
// over the images, 16 of them a block. Some windows of a line of all images of a block pass through the scratchpad. The
// element at one place of all windows are rows that follow each other, and 16 images of a window side by side, so that
// one VECTOR takes the gradients of all windows, and another makes tiles of them.
#include <fmt/core.h>

#include <algorithm>

#include "block_view.hpp"
#include "fields.hpp"
#include "kernel_arguments.hpp"
#include "kernels.hpp"
#include "library.hpp"
#include "product.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;

class GradientTiles {
 public:
  GradientTiles(Builder& builder, const TensorView& image, const TensorView& gradient, const MaximaGradient& of,
                const BlockTiles& to)
      : builder_(builder),
        image_(image),
        gradient_(gradient),
        to_(to),
        dim_(builder.dim()),
        kernel_h_(of.window.kernel_h),
        kernel_w_(of.window.kernel_w),
        wide_(image.width / kernel_w_),
        above_zero_(of.above_zero),
        channels_(std::min(dim_, kBlockElements)),
        unit_rows_(kBlockElements / channels_ * (channels_ + 1)),
        blocks_(image.batch / kBlockElements) {
    windows_ = wide_;
    while (windows_ > 0 && all_rows(windows_) > builder.workspace_rows()) {
      --windows_;
    }
    if (windows_ == 0) {
      throw DoesNotFit(fmt::format("gradients of a window of {} images do not fit {} scratchpad rows", kBlockElements,
                                   builder.workspace_rows()));
    }
    windows_ = ceil_div(wide_, ceil_div(wide_, windows_));
    int first = builder.workspace_begin();
    const auto ring = [&](int rows) {
      const RowRing taken(first, kBuffers * rows, false);
      first += kBuffers * rows;
      return taken;
    };
    images_ = ring(kWordPlanes * image_plane(windows_));
    gradients_ = ring(kWordPlanes * gradient_plane(windows_));
    staging_ = ring(places() * windows_ * unit_rows_);
    results_ = first;
  }

  void run() {
    for (int block = 0; block < blocks_; ++block) {  // so that the first images suffice to begin
      for (int column = 0; column < ceil_div(to_.outputs, dim_); ++column) {
        for (int line = 0; line < image_.height / kernel_h_; ++line) {
          for (int window = 0; window < wide_; window += windows_) {
            tile({column, block, line, {window, std::min(wide_, window + windows_)}});
          }
        }
      }
    }
  }

 private:
  /// Windows of a line, in the images of a block and the channels of a column.
  struct Tile {
    int column, block, line;
    Range windows;
    int rows() const { return windows.size() * kBlockElements; }  ///< of each place
  };

  int places() const { return kernel_h_ * kernel_w_; }
  int image_plane(int windows) const { return plane_rows(PlaneForm::kWords, places() * windows * kBlockElements); }
  static int gradient_plane(int windows) { return plane_rows(PlaneForm::kWords, windows * kBlockElements); }
  /// The gradients of the elements are only there from one VECTOR to the next.
  int all_rows(int windows) const {
    const int image = kWordPlanes * image_plane(windows), gradient = kWordPlanes * gradient_plane(windows);
    return kBuffers * (image + gradient + places() * windows * unit_rows_) + image;
  }
  /// Bytes of a position, of the tile's channels.
  int first_byte(const Tile& tile) const { return tile.column * dim_ * kWordPlanes; }
  int bytes(const Tile& tile) const { return std::min(dim_, to_.outputs - tile.column * dim_) * kWordPlanes; }

  void tile(const Tile& tile) {
    const int image = images_.take(kWordPlanes * image_plane(windows_)).row;
    const int gradient = gradients_.take(kWordPlanes * gradient_plane(windows_)).row;
    const int staged = staging_.take(places() * windows_ * unit_rows_).row;
    const int plane = image_plane(tile.windows.size());
    for (int place = 0; place < places(); ++place) {
      const int y = tile.line * kernel_h_ + place / kernel_w_, x = tile.windows.begin * kernel_w_ + place % kernel_w_;
      load(tile, image_, y, x, kernel_w_, {image + place * tile.rows(), plane});
    }
    load(tile, gradient_, tile.line, tile.windows.begin, 1, {gradient, gradient_plane(tile.windows.size())});
    find_gradients(tile, image, gradient);
    make_tiles(tile, staged);
    for (int y = 0; y < kernel_h_; ++y) {
      store(tile, y, staged);
    }
  }

  /// Positions of a line, `step` apart, in all images of the block.
  void load(const Tile& tile, const TensorView& from, int line, int column, int step, const ChipPlanes& to) const {
    const std::int64_t position =
        (std::int64_t{tile.block} * kBlockElements * from.height + line) * from.width + column;
    isa::Load load;
    load.src = static_cast<std::uint32_t>(from.address + position * from.pitch() + first_byte(tile));
    load.run_bytes = static_cast<std::uint32_t>(bytes(tile));
    load.piece_step = load.piece_bytes = u16(bytes(tile));
    load.slot_bytes = u16(dim_ * kWordPlanes);
    load.count0 = load.valid_to = u16(tile.windows.size());
    load.count1 = kBlockElements;
    load.src_stride0 = static_cast<std::int32_t>(step * from.pitch());
    load.src_stride1 = static_cast<std::int32_t>(std::int64_t{from.height} * from.width * from.pitch());
    load.dst = u16(to.row);
    load.dst_block = u16(to.plane);
    load.dst_stride0 = kBlockElements;
    load.dst_stride1 = 1;
    builder_.append(load);
  }

  void find_gradients(const Tile& tile, int image, int gradient) {
    const kernel::Kernel& kernel = library_kernel("float_max_gradient", {});
    const std::uint16_t entry = builder_.place_kernel(kernel);
    KernelArguments arguments(kernel, {kernel.name});
    arguments.set("a", image);
    arguments.set("a_plane", image_plane(tile.windows.size()));
    arguments.set("each", tile.rows());
    arguments.set("b", gradient);
    arguments.set("b_plane", gradient_plane(tile.windows.size()));
    arguments.set("to", results_);
    arguments.set("others", places() - 1);
    arguments.set("pairs", (places() - 1) / 2);
    arguments.set("odd", (places() - 1) % 2);
    arguments.set("above", above_zero_ ? 0x7f800000 : 0);
    arguments.set_rows(tile.rows());
    builder_.append(arguments.instruction(entry));
  }

  /// A unit is a place of a window.
  void make_tiles(const Tile& tile, int staged) {
    const kernel::Kernel& kernel = library_kernel("float_to_tiles", {});
    const std::uint16_t entry = builder_.place_kernel(kernel);
    KernelArguments arguments(kernel, {kernel.name});
    arguments.set("a", results_);
    arguments.set("a_plane", image_plane(tile.windows.size()));
    arguments.set("a_row", kBlockElements);
    arguments.set("a_next", 1);
    arguments.set("to", staged);
    arguments.set("to_row", unit_rows_);
    arguments.set("parts", kBlockElements / channels_);
    arguments.set("each", channels_);
    arguments.set_rows(places() * tile.windows.size());
    builder_.append(arguments.instruction(entry));
  }

  /// Of a line of the image: a tap is a position.
  void store(const Tile& tile, int y, int staged) const {
    const int unit_bytes = unit_rows_ * dim_, windows = tile.windows.size();
    const std::int64_t tap = (std::int64_t{tile.line} * kernel_h_ + y) * image_.width + tile.windows.begin * kernel_w_;
    const std::int64_t column_taps = std::int64_t{tile.column} * to_.taps();
    isa::Store store;
    store.dst = static_cast<std::uint32_t>(to_.address + ((column_taps + tap) * blocks_ + tile.block) * unit_bytes);
    store.pieces = u16(unit_rows_);
    store.piece_bytes = u16(dim_);
    store.src = u16(staged + y * kernel_w_ * windows * unit_rows_);
    store.src_piece = store.src_block = 1;
    store.count0 = u16(windows);
    store.dst_stride0 = kernel_w_ * blocks_ * unit_bytes;
    store.src_stride0 = u16(unit_rows_);
    store.count1 = u16(kernel_w_);
    store.dst_stride1 = blocks_ * unit_bytes;
    store.src_stride1 = u16(windows * unit_rows_);
    builder_.append(store);
  }

  Builder& builder_;
  const TensorView image_, gradient_;
  const BlockTiles to_;
  const int dim_, kernel_h_, kernel_w_, wide_;
  const bool above_zero_;
  const int channels_, unit_rows_, blocks_;
  int windows_ = 1;  ///< of a line, at a time
  RowRing images_, gradients_, staging_;
  int results_ = 0;  ///< first row
};

}  // namespace

void write_tiles(Builder& builder, const TensorView& image, const TensorView& gradient, const MaximaGradient& of,
                 const BlockTiles& to) {
  builder.begin_operator(
      fmt::format("tiles of the gradient of maxima of {}x{}", of.window.kernel_h, of.window.kernel_w), 0);
  GradientTiles(builder, image, gradient, of, to).run();
}

}  // namespace systole::compiler

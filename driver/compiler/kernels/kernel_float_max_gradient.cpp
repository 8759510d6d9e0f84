// SPDX-License-Identifier: Apache-2.0
// Gradients of maximum pools of binary32 whose windows tile the image. Lines of windows pass through the scratchpad,
// where elements of the same place in all windows of a tile follow each other: a kernel takes all windows of DIM
// channels, whatever their lines and images. Elements beyond the last windows have a gradient of 0.
#include <fmt/core.h>

#include <algorithm>

#include "block_view.hpp"
#include "fields.hpp"
#include "kernel_arguments.hpp"
#include "kernels.hpp"
#include "library.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;
constexpr int kMostWindows = 128;   // at a time
constexpr int kEnoughWindows = 32;  // for tiles of all channels
constexpr int kMostBytes = 0xffff;  // of a position, in a LOAD

class MaxGradient {
 public:
  MaxGradient(Builder& builder, const TensorView& image, const TensorView& gradient, const MaximaGradient& of,
              const TensorView& output)
      : builder_(builder),
        image_(image),
        gradient_(gradient),
        output_(output),
        kernel_h_(of.window.kernel_h),
        kernel_w_(of.window.kernel_w),
        wide_(image.width / kernel_w_),
        above_zero_(of.above_zero),
        slot_(builder.dim() * kWordPlanes),
        all_blocks_(ceil_div(image.channels, slot_)) {
    if (image.height % kernel_h_ == 0) {  // lines of windows of all images are at the same distance
      image_.height *= image_.batch;
      image_.batch = 1;
    }
    high_ = image_.height / kernel_h_;
    for (blocks_ = all_blocks_;; blocks_ = ceil_div(blocks_, 2)) {
      lines_ = most_lines();
      if (blocks_ == 1 || lines_ == image_.batch * high_ || lines_ * wide_ >= kEnoughWindows) {
        break;
      }
    }
    if (lines_ < 1) {
      throw DoesNotFit(fmt::format("a line of windows of {} elements does not fit {} scratchpad rows", image.width,
                                   builder.workspace_rows()));
    }
    fill_strips();
    int first = builder.workspace_begin() + kZeroRows;
    for (RowRing* ring : {&images_, &gradients_, &results_}) {
      const int rows = kBuffers * (ring == &gradients_ ? gradient_rows(lines_) : image_rows(lines_)) * blocks_;
      *ring = RowRing(first, rows, false);
      first += rows;
    }
  }

  void run() {
    if (rest_columns() || rest_lines()) {
      load_zeros();
    }
    const int all_lines = image_.batch * high_;
    for (int block = 0; block < all_blocks_; block += blocks_) {
      const Range blocks{block, std::min(all_blocks_, block + blocks_)};
      for (int line = 0; line < all_lines; line += lines_) {
        tile({line, std::min(all_lines, line + lines_)}, blocks);
      }
    }
  }

 private:
  static constexpr int kZeroRows = 1;

  /// Lines of windows of an image that a tile has.
  struct Part {
    int image, line, lines;
    int to;  ///< number of its first window in the tile
  };

  /// Where elements of a tile's windows, or their gradients, are: `each` rows from one place in the window to the next.
  struct Place {
    int row, plane, each;
  };

  bool rest_columns() const { return wide_ * kernel_w_ < image_.width; }
  bool rest_lines() const { return high_ * kernel_h_ < image_.height; }

  int image_plane(int lines) const { return plane_rows(PlaneForm::kWords, lines * wide_ * kernel_h_ * kernel_w_); }
  int gradient_plane(int lines) const { return plane_rows(PlaneForm::kWords, lines * wide_); }
  /// Of a block of channels.
  int image_rows(int lines) const { return kWordPlanes * image_plane(lines); }
  int gradient_rows(int lines) const { return kWordPlanes * gradient_plane(lines); }

  int most_lines() const {
    const auto fits = [&](int lines) {
      const int rows = kBuffers * blocks_ * (2 * image_rows(lines) + gradient_rows(lines));
      return rows + kZeroRows <= builder_.workspace_rows() && blocks_ * slot_ <= kMostBytes;
    };
    const int most = std::min(image_.batch * high_, std::max(1, kMostWindows / wide_));
    int lines = 0;
    while (lines < most && fits(lines + 1)) {
      ++lines;
    }
    return lines;
  }

  /// Takes fewer lines, but not half as many, if their windows fill strips better.
  void fill_strips() {
    const auto empty = [&](int lines) {
      const int windows = lines * wide_;
      return static_cast<double>(rounded_up(windows, kernel::kStripRows)) / windows;
    };
    for (int lines = lines_ - 1; 2 * lines > lines_; --lines) {
      lines_ = empty(lines) < empty(lines_) ? lines : lines_;
    }
  }

  /// Bytes of each position that belong to some blocks.
  int first_byte(Range blocks) const { return blocks.begin * slot_; }
  int bytes(Range blocks) const { return std::min(image_.channels, blocks.end * slot_) - first_byte(blocks); }
  /// Whether these are all, so that adjacent positions are a run.
  bool adjacent(Range blocks) const { return blocks.size() == all_blocks_; }

  static std::uint32_t address(const TensorView& view, std::int64_t position, std::int64_t byte) {
    return static_cast<std::uint32_t>(view.address + position * view.pitch() + byte);
  }
  std::int64_t position(int image, int line, int column) const {
    return (std::int64_t{image} * image_.height + line) * image_.width + column;
  }

  template <class Visit>
  void parts(Range lines, const Visit& visit) const {
    for (int line = lines.begin; line < lines.end;) {
      const int at = line % high_, count = std::min(lines.end - line, high_ - at);
      visit(Part{line / high_, at, count, (line - lines.begin) * wide_});
      line += count;
    }
  }

  /// The elements that LOADs and STOREs move together: those of a line of each window, or one of each.
  template <class Visit>
  void places(Range blocks, const Visit& visit) const {
    const int together = adjacent(blocks) ? kernel_w_ : 1;
    for (int y = 0; y < kernel_h_; ++y) {
      for (int x = 0; x < kernel_w_; x += together) {
        visit(y, x, together);
      }
    }
  }

  void tile(Range lines, Range blocks) {
    const int windows = lines.size() * wide_;
    const Place image{images_.take(image_rows(lines_) * blocks_).row, image_plane(lines.size()), windows};
    const Place gradient{gradients_.take(gradient_rows(lines_) * blocks_).row, gradient_plane(lines.size()), windows};
    const Place result{results_.take(image_rows(lines_) * blocks_).row, image.plane, windows};
    parts(lines, [&](const Part& part) { load_elements(part, blocks, image); });
    load_gradients(std::int64_t{lines.begin} * wide_, blocks, gradient);
    compute(image, gradient, result, blocks.size());
    parts(lines, [&](const Part& part) {
      store(part, blocks, result);
      if (part.line + part.lines == high_) {
        clear(part.image, {0, high_ * kernel_h_}, {wide_ * kernel_w_, image_.width}, blocks);
        clear(part.image, {high_ * kernel_h_, image_.height}, {0, image_.width}, blocks);
      }
    });
  }

  void load_elements(const Part& part, Range blocks, const Place& to) const {
    places(blocks, [&](int y, int x, int together) {
      isa::Load load;
      load.src = address(image_, position(part.image, part.line * kernel_h_ + y, x), first_byte(blocks));
      load.run_bytes = static_cast<std::uint32_t>(together * bytes(blocks));
      load.pieces = u16(together);
      load.piece_step = load.piece_bytes = u16(bytes(blocks));
      load.slot_bytes = u16(blocks.size() * slot_);
      load.count0 = load.valid_to = u16(wide_);
      load.count1 = u16(part.lines);
      load.src_stride0 = static_cast<std::int32_t>(kernel_w_ * image_.pitch());
      load.src_stride1 = static_cast<std::int32_t>(kernel_h_ * image_.width * image_.pitch());
      load.dst = u16(to.row + (y * kernel_w_ + x) * to.each + part.to);
      load.dst_piece = u16(to.each);
      load.dst_block = u16(to.plane);
      load.dst_stride0 = 1;
      load.dst_stride1 = u16(wide_);
      builder_.append(load);
    });
  }

  void load_gradients(std::int64_t first, Range blocks, const Place& to) const {
    const bool run = adjacent(blocks);
    isa::Load load;
    load.src = address(gradient_, first, first_byte(blocks));
    load.pieces = u16(run ? to.each : 1);
    load.run_bytes = static_cast<std::uint32_t>(load.pieces * bytes(blocks));
    load.piece_step = load.piece_bytes = u16(bytes(blocks));
    load.slot_bytes = u16(blocks.size() * slot_);
    load.count0 = load.valid_to = u16(run ? 1 : to.each);
    load.src_stride0 = static_cast<std::int32_t>(gradient_.pitch());
    load.dst = u16(to.row);
    load.dst_piece = load.dst_stride0 = 1;
    load.dst_block = u16(to.plane);
    builder_.append(load);
  }

  void compute(const Place& image, const Place& gradient, const Place& result, int blocks) {
    const std::uint16_t entry = builder_.place_kernel(kernel_);
    KernelArguments arguments(kernel_, {kernel_.name});
    const int others = kernel_h_ * kernel_w_ - 1;
    arguments.set("a_plane", image.plane);
    arguments.set("each", image.each);
    arguments.set("b_plane", gradient.plane);
    arguments.set("others", others);
    arguments.set("pairs", others / 2);
    arguments.set("odd", others % 2);
    arguments.set("above", above_zero_ ? 0x7f800000 : 0);
    arguments.set_rows(image.each);
    for (int plane = 0; plane < blocks * kWordPlanes; plane += kWordPlanes) {
      arguments.set("a", image.row + plane * image.plane);
      arguments.set("b", gradient.row + plane * gradient.plane);
      arguments.set("to", result.row + plane * result.plane);
      builder_.append(arguments.instruction(entry));
    }
  }

  void store(const Part& part, Range blocks, const Place& from) const {
    places(blocks, [&](int y, int x, int together) {
      isa::Store op;
      op.dst = address(output_, position(part.image, part.line * kernel_h_ + y, x), first_byte(blocks));
      op.pieces = u16(together);
      op.piece_bytes = u16(bytes(blocks));
      op.count0 = u16(wide_);
      op.count1 = u16(part.lines);
      op.dst_stride0 = static_cast<std::int32_t>(kernel_w_ * output_.pitch());
      op.dst_stride1 = static_cast<std::int32_t>(kernel_h_ * output_.width * output_.pitch());
      op.src = u16(from.row + (y * kernel_w_ + x) * from.each + part.to);
      op.src_piece = u16(from.each);
      op.src_block = u16(from.plane);
      op.src_stride0 = 1;
      op.src_stride1 = u16(wide_);
      builder_.append(op);
    });
  }

  void load_zeros() const {
    isa::Load load;
    load.src = image_.address;
    load.run_bytes = 1;
    load.slot_bytes = u16(builder_.dim());
    load.dst = u16(builder_.workspace_begin());
    builder_.append(load);
  }

  /// Zeros for the elements of an image, all of them from the same row.
  void clear(int image, Range lines, Range columns, Range blocks) const {
    if (lines.size() == 0 || columns.size() == 0) {
      return;
    }
    const int together = adjacent(blocks) ? columns.size() : 1;
    isa::Store op;
    op.dst = address(output_, position(image, lines.begin, columns.begin), first_byte(blocks));
    op.pieces = u16(together);
    op.piece_bytes = u16(bytes(blocks));
    op.count0 = u16(columns.size() / together);
    op.count1 = u16(lines.size());
    op.dst_stride0 = static_cast<std::int32_t>(output_.pitch());
    op.dst_stride1 = static_cast<std::int32_t>(output_.width * output_.pitch());
    op.src = u16(builder_.workspace_begin());
    builder_.append(op);
  }

  Builder& builder_;
  TensorView image_;  ///< one image of all their lines where the windows leave no line
  const TensorView gradient_, output_;
  const int kernel_h_, kernel_w_, wide_;
  const bool above_zero_;       ///< only of maxima that are
  const int slot_;              ///< bytes of a block of DIM channels
  const int all_blocks_;        ///< of channels
  int high_ = 1;                ///< lines of windows in an image
  int lines_ = 1, blocks_ = 1;  ///< lines of windows, and blocks of channels, at a time
  const kernel::Kernel& kernel_ = library_kernel("float_max_gradient", {});
  RowRing images_, gradients_, results_;
};

}  // namespace

bool tiles_image(const Window& w, int height, int width) {
  return w.stride_h == w.kernel_h && w.stride_w == w.kernel_w && w.dilation_h == 1 && w.dilation_w == 1 &&
         w.pad_top == 0 && w.pad_bottom == 0 && w.pad_left == 0 && w.pad_right == 0 && height >= w.kernel_h &&
         width >= w.kernel_w;
}

void float_max_gradient(Builder& builder, const TensorView& image, const TensorView& gradient, const MaximaGradient& of,
                        const TensorView& output) {
  builder.begin_operator(fmt::format("gradient of maxima of {}x{}", of.window.kernel_h, of.window.kernel_w), 0);
  MaxGradient(builder, image, gradient, of, output).run();
}

}  // namespace systole::compiler

// SPDX-License-Identifier: Apache-2.0
// Maximum pools of binary32. Lines of the image are loaded once for the lines of windows of a tile; a kernel takes one
// line of windows of DIM channels. Padding has the elements beside it, which the window has as well.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "block_view.hpp"
#include "fields.hpp"
#include "kernel_arguments.hpp"
#include "kernels.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"
#include "window_maxima.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;
constexpr int kMostLines = 64;        // of windows at a time
constexpr int kMostBytes = 0xffff;    // of a position, in a LOAD
constexpr int kLinesWithOverlap = 4;  // of windows for which lines that two of them read are loaded once

class FloatMaxima {
 public:
  FloatMaxima(Builder& builder, const TensorView& image, const Window& window, const TensorView& output)
      : builder_(builder),
        image_(image),
        output_(output),
        window_(window),
        kernel_(window_maxima_kernel(window.kernel_h, window.kernel_w)),
        width_((output.width - 1) * window.stride_w + window.kernel_w),
        all_blocks_(ceil_div(image.channels, builder.dim() * kWordPlanes)) {
    const bool overlap = window.kernel_h > window.stride_h;
    const int enough = std::min(output.height, overlap ? kLinesWithOverlap : 1);
    for (blocks_ = all_blocks_;; blocks_ = ceil_div(blocks_, 2)) {
      lines_ = std::min({kMostLines, output.height, most_lines()});
      if (lines_ >= enough || blocks_ == 1) {
        break;
      }
    }
    if (lines_ < 1) {
      throw DoesNotFit(fmt::format("a line of windows of {} elements does not fit {} scratchpad rows", width_,
                                   builder.workspace_rows()));
    }
    // Of one size, or so: loading a small tile would not take as long as computing the large one before it.
    lines_ = ceil_div(output.height, ceil_div(output.height, lines_));
    const int of_image = kBuffers * image_rows(lines_) * blocks_, begin = builder.workspace_begin();
    inputs_ = RowRing(begin, of_image, false);
    results_ = RowRing(begin + of_image, kBuffers * output_rows(lines_) * blocks_, false);
  }

  void run() {
    for (int batch = 0; batch < image_.batch; ++batch) {
      for (int block = 0; block < all_blocks_; block += blocks_) {
        for (int line = 0; line < output_.height; line += lines_) {
          tile(batch, {block, std::min(all_blocks_, block + blocks_)}, {line, std::min(output_.height, line + lines_)});
        }
      }
    }
  }

 private:
  int lines_of(int windows) const { return (windows - 1) * window_.stride_h + window_.kernel_h; }
  /// Rows of a plane, for lines of windows.
  int image_plane(int windows) const { return plane_rows(PlaneForm::kWords, lines_of(windows) * width_); }
  int output_plane(int windows) const { return plane_rows(PlaneForm::kWords, windows * output_.width); }
  /// Of a block of channels.
  int image_rows(int windows) const { return kWordPlanes * image_plane(windows); }
  int output_rows(int windows) const { return kWordPlanes * output_plane(windows); }
  int most_lines() const {
    int lines = 0;
    while (lines < kMostLines && blocks_ * builder_.dim() * kWordPlanes <= kMostBytes &&
           kBuffers * blocks_ * (image_rows(lines + 1) + output_rows(lines + 1)) <= builder_.workspace_rows()) {
      ++lines;
    }
    return lines;
  }

  void tile(int batch, Range blocks, Range windows) {
    const int first = windows.begin * window_.stride_h - window_.pad_top, lines = lines_of(windows.size());
    const ChipPlanes from{inputs_.take(image_rows(lines_) * blocks_).row, image_plane(windows.size())};
    const int above = std::max(0, -first), end = std::min(lines, image_.height - first);
    for (int line = 0; line < above; ++line) {
      load(batch, blocks, {0, 1}, line, from);
    }
    load(batch, blocks, {first + above, first + end}, above, from);
    for (int line = end; line < lines; ++line) {
      load(batch, blocks, {image_.height - 1, image_.height}, line, from);
    }
    const int results = windows.size() * output_.width;
    const ChipPlanes to{results_.take(output_rows(lines_) * blocks_).row, output_plane(windows.size())};
    compute(from, to, windows.size(), blocks.size());
    const int bytes = builder_.dim() * kWordPlanes, first_byte = blocks.begin * bytes;
    const std::int64_t position = (std::int64_t{batch} * output_.height + windows.begin) * output_.width;
    store_results(builder_, {output_.address, output_.channels, output_.pitch(), 1},
                  {{results, 1},
                   {position, 1},
                   {0, results},
                   first_byte,
                   std::min(output_.channels, blocks.end * bytes) - first_byte,
                   to.row,
                   to.plane});
  }

  /// Lines of the image from line `to_line` of the tile on, with their padding.
  void load(int batch, Range blocks, Range lines, int to_line, const ChipPlanes& to) const {
    const int left = window_.pad_left, right = std::max(left, std::min(width_, left + image_.width));
    const int begin = to.row + to_line * width_;
    const std::int64_t line = std::int64_t{batch} * image_.height + lines.begin;
    columns(line, lines.size(), blocks, {0, left}, 0, {begin, to.plane});
    columns(line, lines.size(), blocks, {left, right}, 1, {begin, to.plane});
    columns(line, lines.size(), blocks, {right, width_}, 0, {begin, to.plane});
  }

  /// Some columns of the tile: those of the image, or with a `step` of 0 the one beside them.
  void columns(std::int64_t line, int lines, Range blocks, Range columns, int step, const ChipPlanes& to) const {
    if (columns.size() <= 0) {
      return;
    }
    const int column = std::clamp(columns.begin - window_.pad_left, 0, image_.width - 1);
    const int slot = builder_.dim() * kWordPlanes, first = blocks.begin * slot;
    isa::Load load;
    load.src = static_cast<std::uint32_t>(image_.address + (line * image_.width + column) * image_.pitch() + first);
    load.run_bytes = static_cast<std::uint32_t>(std::min(image_.channels, blocks.end * slot) - first);
    load.piece_step = load.piece_bytes = u16(load.run_bytes);
    load.slot_bytes = u16(blocks.size() * slot);
    load.count0 = u16(columns.size());
    load.count1 = u16(lines);
    load.valid_to = load.count0;
    load.src_stride0 = static_cast<std::int32_t>(step * image_.pitch());
    load.src_stride1 = static_cast<std::int32_t>(image_.width * image_.pitch());
    load.dst = u16(to.row + columns.begin);
    load.dst_block = u16(to.plane);
    load.dst_stride0 = 1;
    load.dst_stride1 = u16(width_);
    builder_.append(load);
  }

  void compute(const ChipPlanes& from, const ChipPlanes& to, int windows, int blocks) {
    const std::uint16_t entry = builder_.place_kernel(kernel_);
    KernelArguments arguments(kernel_, {kernel_.name});
    arguments.set("a_plane", from.plane);
    arguments.set("a_line", width_);
    arguments.set("to_plane", to.plane);
    arguments.set("step", window_.stride_w);
    arguments.set_rows(output_.width);
    for (int plane = 0; plane < blocks * kWordPlanes; plane += kWordPlanes) {
      for (int line = 0; line < windows; ++line) {
        arguments.set("a", from.row + plane * from.plane + line * window_.stride_h * width_);
        arguments.set("to", to.row + plane * to.plane + line * output_.width);
        builder_.append(arguments.instruction(entry));
      }
    }
  }

  Builder& builder_;
  const TensorView image_, output_;
  const Window window_;
  const kernel::Kernel& kernel_;
  const int width_;             ///< of the lines of a tile, with padding
  const int all_blocks_;        ///< of DIM channels
  int lines_ = 1, blocks_ = 1;  ///< lines of windows, and blocks of channels, at a time
  RowRing inputs_, results_;
};

}  // namespace

bool slides_inside(const Window& w, const TensorView& image, const TensorView& output) {
  const auto inside = [](int size, int results, int kernel, int stride, int dilation, int pad) {
    return dilation == 1 && pad < kernel && (results - 1) * stride - pad < size;
  };
  return inside(image.height, output.height, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top) &&
         inside(image.width, output.width, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left);
}

void float_maxima(Builder& builder, const TensorView& image, const Window& window, const TensorView& output) {
  builder.begin_operator(fmt::format("maxima of {}x{}", window.kernel_h, window.kernel_w), 0);
  FloatMaxima(builder, image, window, output).run();
}

}  // namespace systole::compiler

// SPDX-License-Identifier: Apache-2.0
// Gradients of maximum pools of binary32 whose windows tile the image. Lines of windows pass through the scratchpad; a
// kernel takes one line of DIM channels. Elements beyond the last windows have a gradient of 0.
#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "activations.hpp"
#include "block_view.hpp"
#include "kernel_arguments.hpp"
#include "kernels.hpp"
#include "library.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2;
constexpr int kMostLines = 64;  // of windows at a time

/// A tensor whose lines of positions pass through the scratchpad, `each` of them for a line of windows.
class Lines {
 public:
  Lines(const TensorView& view, int each, int dim) : view_(view), each_(each), dim_(dim) {}

  /// Blocks of DIM channels, of four planes each.
  int blocks() const { return ceil_div(view_.channels, dim_ * kWordPlanes); }
  int rows(int lines, int blocks) const { return kBuffers * plane(lines) * blocks * kWordPlanes; }
  /// Of lines of windows.
  int positions(int lines) const { return lines * each_ * view_.width; }
  int plane(int lines) const { return plane_rows(PlaneForm::kWords, positions(lines)); }
  int width() const { return view_.width; }
  int height() const { return view_.height; }
  int each() const { return each_; }
  void place(int first, int lines, int blocks) { ring_ = RowRing(first, rows(lines, blocks), false); }

  /// Rows for lines of windows.
  int take(int lines, int blocks) { return ring_.take(plane(lines) * blocks * kWordPlanes).row; }
  int load(Builder& builder, std::int64_t line, int lines, Range blocks) {
    const int row = take(lines, blocks.size());
    matrix(line, positions(lines))
        .load(builder, 0, {blocks.begin * kWordPlanes, blocks.end * kWordPlanes}, {0, positions(lines)}, row);
    return row;
  }
  /// `lines` of the tensor's own, from its line number `line` on.
  void store(Builder& builder, std::int64_t line, int lines, Range blocks, int row) const {
    const int count = lines * view_.width, first = blocks.begin * dim_ * kWordPlanes;
    const int bytes = std::min(view_.channels, blocks.end * dim_ * kWordPlanes) - first;
    store_results(builder, {address(line), view_.channels, view_.pitch(), 1},
                  {{count, 1}, {0, 1}, {0, count}, first, bytes, row, plane_rows(PlaneForm::kWords, count)});
  }
  /// Zeros for `columns` from `first` on in some lines of the tensor's own, at `row`; planes are `plane` rows apart.
  void clear(Builder& builder, Range columns, int lines, int blocks, int row, int plane) const {
    isa::Load load;
    load.src = view_.address;
    load.run_bytes = 1;
    load.pieces = u16(columns.size());
    load.slot_bytes = u16(blocks * kWordPlanes * dim_);
    load.count0 = u16(lines);
    load.dst = u16(row + columns.begin);
    load.dst_piece = 1;
    load.dst_block = u16(plane);
    load.dst_stride0 = u16(view_.width);
    builder.append(load);
  }

 private:
  static std::uint16_t u16(std::int64_t value) { return static_cast<std::uint16_t>(value); }
  std::uint32_t address(std::int64_t line) const {
    return view_.address + static_cast<std::uint32_t>(line * view_.width * view_.pitch());
  }
  MatrixRows matrix(std::int64_t line, int count) const {
    return {address(line), count, view_.channels, view_.pitch(), count, dim_, PlaneForm::kWords};
  }

  TensorView view_;
  int each_, dim_;
  RowRing ring_;
};

/// The first of the tensors has the windows' elements, and so has the result.
class MaxGradient {
 public:
  MaxGradient(Builder& builder, const std::vector<TensorView>& inputs, const Window& window, const TensorView& output)
      : builder_(builder),
        window_(window),
        kernel_(library_kernel("float_max_gradient", {})),
        batch_(inputs[0].batch),
        high_(inputs[0].height / window.kernel_h),
        wide_(inputs[0].width / window.kernel_w) {
    const auto add = [&](const TensorView& view, bool of_image) {
      tensors_.emplace_back(view, of_image ? window.kernel_h : 1, builder.dim());
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      add(inputs[i], i == 0);
    }
    add(output, true);
    blocks_ = tensors_.back().blocks();
    for (together_ = std::min(kMostLines, high_); together_ > 1 && rows() > builder.workspace_rows();) {
      --together_;
    }
    while (blocks_ > 0 && rows() > builder.workspace_rows()) {
      --blocks_;
    }
    if (blocks_ == 0) {
      throw DoesNotFit(fmt::format("a line of windows of {} elements does not fit {} scratchpad rows", inputs[0].width,
                                   builder.workspace_rows()));
    }
    int first = builder.workspace_begin();
    for (Lines& tensor : tensors_) {
      tensor.place(first, together_, blocks_);
      first += tensor.rows(together_, blocks_);
    }
  }

  void run() {
    const std::uint16_t entry = builder_.place_kernel(kernel_);
    for (int image = 0; image < batch_; ++image) {
      for (int block = 0; block < tensors_.back().blocks(); block += blocks_) {
        const Range blocks{block, std::min(tensors_.back().blocks(), block + blocks_)};
        for (int line = 0; line < high_; line += together_) {
          tile(entry, image, {line, std::min(high_, line + together_)}, blocks);
        }
        clear_last_lines(image, blocks);
      }
    }
  }

 private:
  int rows() const {
    int all = 0;
    for (const Lines& tensor : tensors_) {
      all += tensor.rows(together_, blocks_);
    }
    return all;
  }

  /// Number of the first line of a tensor that belongs to a line of windows.
  static std::int64_t first_of(const Lines& tensor, int image, int line) {
    return std::int64_t{image} * tensor.height() + line * tensor.each();
  }

  void tile(std::uint16_t entry, int image, Range lines, Range blocks) {
    std::vector<int> rows;
    for (std::size_t i = 0; i + 1 < tensors_.size(); ++i) {
      rows.push_back(tensors_[i].load(builder_, first_of(tensors_[i], image, lines.begin), lines.size(), blocks));
    }
    Lines& to = tensors_.back();
    rows.push_back(to.take(lines.size(), blocks.size()));
    const int covered = wide_ * window_.kernel_w;
    if (covered < to.width()) {
      to.clear(builder_, {covered, to.width()}, lines.size() * to.each(), blocks.size(), rows.back(),
               to.plane(lines.size()));
    }
    compute(entry, rows, lines.size(), blocks.size());
    to.store(builder_, first_of(to, image, lines.begin), lines.size() * to.each(), blocks, rows.back());
  }

  /// Those of an image that no window has.
  void clear_last_lines(int image, Range blocks) {
    Lines& to = tensors_.back();
    for (int line = high_ * to.each(); line < to.height(); line += to.each() * together_) {
      const int count = std::min(to.each() * together_, to.height() - line), row = to.take(together_, blocks.size());
      to.clear(builder_, {0, to.width()}, count, blocks.size(), row, plane_rows(PlaneForm::kWords, count * to.width()));
      to.store(builder_, std::int64_t{image} * to.height() + line, count, blocks, row);
    }
  }

  void compute(std::uint16_t entry, const std::vector<int>& rows, int lines, int blocks) {
    KernelArguments arguments(kernel_, {kernel_.name});
    arguments.set("a_line", tensors_.front().width());
    arguments.set("high", window_.kernel_h);
    arguments.set("wide", window_.kernel_w);
    arguments.set_rows(wide_);
    const auto set = [&](const std::string& name, std::size_t tensor, int plane, int line) {
      const int distance = tensors_[tensor].plane(lines);
      arguments.set(name, rows[tensor] + plane * distance + tensors_[tensor].positions(line));
      arguments.set(name + "_plane", distance);
    };
    for (int plane = 0; plane < blocks * kWordPlanes; plane += kWordPlanes) {
      for (int line = 0; line < lines; ++line) {
        set("to", tensors_.size() - 1, plane, line);
        for (std::size_t i = 0; i + 1 < tensors_.size(); ++i) {
          set(operand_name(i), i, plane, line);
        }
        builder_.append(arguments.instruction(entry));
      }
    }
  }

  Builder& builder_;
  const Window window_;
  const kernel::Kernel& kernel_;
  const int batch_, high_, wide_;  ///< images, and lines and columns of windows in each
  int together_ = 1, blocks_ = 1;  ///< lines of windows, and blocks of channels, at a time
  std::vector<Lines> tensors_;
};

}  // namespace

bool tiles_image(const Window& w, int height, int width) {
  return w.stride_h == w.kernel_h && w.stride_w == w.kernel_w && w.dilation_h == 1 && w.dilation_w == 1 &&
         w.pad_top == 0 && w.pad_bottom == 0 && w.pad_left == 0 && w.pad_right == 0 && height >= w.kernel_h &&
         width >= w.kernel_w;
}

void float_max_gradient(Builder& builder, const std::vector<TensorView>& inputs, const Window& window,
                        const TensorView& output) {
  builder.begin_operator(fmt::format("gradient of maxima of {}x{}", window.kernel_h, window.kernel_w), 0);
  MaxGradient(builder, inputs, window, output).run();
}

}  // namespace systole::compiler

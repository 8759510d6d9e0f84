// SPDX-License-Identifier: Apache-2.0
// Maximum pools of binary32 whose windows tile the image, and their gradients. Lines of windows pass through the
// scratchpad, those of all images one after another; a kernel takes one line of DIM channels.
#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "activations.hpp"
#include "kernel_arguments.hpp"
#include "kernels.hpp"
#include "library.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

constexpr int kBuffers = 2, kWordPlanes = 4;
constexpr int kMostLines = 64;  // of windows at a time

/// A tensor whose positions pass through the scratchpad, `each` for a line of windows.
class Lines {
 public:
  Lines(const TensorView& view, int lines, int dim)
      : view_(view), each_(view.batch * view.height * view.width / lines), dim_(dim) {}

  int rows(int lines) const { return kBuffers * lines * each_ * planes(); }
  int planes() const { return ceil_div(view_.channels, dim_ * kWordPlanes) * kWordPlanes; }
  int each() const { return each_; }
  void place(int first, int lines) {
    together_ = lines;
    ring_ = RowRing(first, rows(lines), false);
  }

  /// Rows for lines; their planes have as many rows as there are positions.
  int take(int lines) { return ring_.take(lines * each_ * planes()).row; }
  int load(Builder& builder, int tile, int lines) {
    const int row = take(lines);
    matrix().load(builder, tile, {0, planes()}, {0, lines * each_}, row);
    return row;
  }
  void store(Builder& builder, int tile, int lines, int row) const {
    const MatrixRows to = matrix();
    const int positions = lines * each_;
    store_results(builder, {view_.address, view_.channels, view_.pitch(), 1},
                  {to.shape(tile), to.place(tile), {0, positions}, 0, view_.channels, row, positions});
  }

 private:
  MatrixRows matrix() const {
    return {view_.address, view_.batch * view_.height * view_.width, view_.channels, view_.pitch(), together_ * each_,
            dim_};
  }

  TensorView view_;
  int each_, dim_, together_ = 1;
  RowRing ring_;
};

/// The first of the tensors has the windows' elements, and so has the result of a gradient.
class FloatWindows {
 public:
  FloatWindows(Builder& builder, const std::vector<TensorView>& inputs, const Window& window, const TensorView& output)
      : builder_(builder),
        window_(window),
        gradient_(inputs.size() > 1),
        kernel_(library_kernel(gradient_ ? "float_max_gradient" : "float_max_windows", {})),
        width_(inputs[0].width),
        lines_(inputs[0].batch * inputs[0].height / window.kernel_h) {
    for (const TensorView& input : inputs) {
      tensors_.emplace_back(input, lines_, builder.dim());
    }
    tensors_.emplace_back(output, lines_, builder.dim());
    for (together_ = std::min(kMostLines, lines_); together_ > 0 && rows() > builder.workspace_rows();) {
      --together_;
    }
    if (together_ == 0) {
      throw DoesNotFit(fmt::format("a line of windows of {} elements does not fit {} scratchpad rows", width_,
                                   builder.workspace_rows()));
    }
    int first = builder.workspace_begin();
    for (Lines& tensor : tensors_) {
      tensor.place(first, together_);
      first += tensor.rows(together_);
    }
  }

  void run() {
    const std::uint16_t entry = builder_.place_kernel(kernel_);
    for (int tile = 0; tile * together_ < lines_; ++tile) {
      const int lines = std::min(together_, lines_ - tile * together_);
      std::vector<int> rows;
      for (std::size_t i = 0; i + 1 < tensors_.size(); ++i) {
        rows.push_back(tensors_[i].load(builder_, tile, lines));
      }
      rows.push_back(tensors_.back().take(lines));
      compute(entry, rows, lines);
      tensors_.back().store(builder_, tile, lines, rows.back());
    }
  }

 private:
  int rows() const {
    int all = 0;
    for (const Lines& tensor : tensors_) {
      all += tensor.rows(together_);
    }
    return all;
  }

  void compute(std::uint16_t entry, const std::vector<int>& rows, int lines) {
    KernelArguments arguments(kernel_, {kernel_.name});
    arguments.set("a_line", width_);
    arguments.set("high", window_.kernel_h);
    arguments.set("wide", window_.kernel_w);
    arguments.set_rows(width_ / window_.kernel_w);
    const auto set = [&](const char* name, std::size_t tensor, int plane, int line) {
      const Lines& of = tensors_[tensor];
      arguments.set(name, rows[tensor] + plane * lines * of.each() + line * of.each());
      arguments.set(std::string(name) + "_plane", lines * of.each());
    };
    for (int plane = 0; plane < tensors_.back().planes(); plane += kWordPlanes) {
      for (int line = 0; line < lines; ++line) {
        set("to", tensors_.size() - 1, plane, line);
        for (std::size_t i = 0; i + 1 < tensors_.size(); ++i) {
          set(operand_name(i).c_str(), i, plane, line);
        }
        builder_.append(arguments.instruction(entry));
      }
    }
  }

  Builder& builder_;
  const Window window_;
  const bool gradient_;
  const kernel::Kernel& kernel_;
  const int width_, lines_;
  int together_ = 1;
  std::vector<Lines> tensors_;
};

}  // namespace

bool tiles_image(const Window& w, int height, int width) {
  return w.stride_h == w.kernel_h && w.stride_w == w.kernel_w && w.dilation_h == 1 && w.dilation_w == 1 &&
         w.pad_top == 0 && w.pad_bottom == 0 && w.pad_left == 0 && w.pad_right == 0 && height % w.kernel_h == 0 &&
         width % w.kernel_w == 0;
}

void float_windows(Builder& builder, const std::vector<TensorView>& inputs, const Window& window,
                   const TensorView& output) {
  builder.begin_operator(fmt::format("maxima of {}x{}", window.kernel_h, window.kernel_w), 0);
  FloatWindows(builder, inputs, window, output).run();
}

}  // namespace systole::compiler

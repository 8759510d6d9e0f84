// SPDX-License-Identifier: Apache-2.0
#include "execute_blocks.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "binary32.hpp"
#include "block_matrix.hpp"
#include "float_ops.hpp"
#include "indices.hpp"
#include "parallel.hpp"
#include "systole/graph_value.hpp"
#include "window.hpp"
#include "window_blocks.hpp"

namespace systole::graph {
namespace {

std::size_t size(std::int64_t dimension) { return static_cast<std::size_t>(dimension); }

const float* floats(const Value& value) { return reinterpret_cast<const float*>(value.data.data()); }

/// A row of the left operand: `each` blocks in each run.
using RunsOfRow = std::function<void(std::size_t row, std::vector<BlockRun>& runs)>;

/// results[row * pitch + column] of `rows` rows and all columns.
void multiply(std::size_t rows, std::size_t each, const RunsOfRow& runs_of, const BlockColumns& columns, bool tame,
              float* results, std::size_t pitch) {
  const std::size_t cost = columns.blocks * kBlock * columns.columns;
  golden::parallel_ranges((rows + kTogether - 1) / kTogether, kTogether * cost, [&](std::size_t part, std::size_t end) {
    std::array<std::vector<BlockRun>, kTogether> runs;
    for (; part < end; ++part) {
      const std::size_t first = part * kTogether, there = std::min(kTogether, rows - first);
      for (std::size_t r = 0; r < kTogether; ++r) {
        runs[r].clear();
        runs_of(first + std::min(r, there - 1), runs[r]);
      }
      for (std::size_t column = 0; column < columns.columns; column += kColumns) {
        BlockSums sums{};
        for (std::size_t run = 0; run < runs[0].size(); ++run) {
          add_products({runs[0][run], runs[1][run], runs[2][run], runs[3][run]}, columns, column / kColumns, run * each,
                       each, tame, sums);
        }
        for (std::size_t r = 0; r < there; ++r) {
          std::copy_n(sums[r].begin(), std::min(kColumns, columns.columns - column),
                      results + (first + r) * pitch + column);
        }
      }
    }
  });
}

/// Rows by rows, both along their depth.
void multiply(const BlockRows& a, const BlockColumns& b, float* results, std::size_t pitch) {
  multiply(
      a.exponents.size() / a.blocks, a.blocks,
      [&](std::size_t row, std::vector<BlockRun>& runs) {
        runs.push_back({a.mantissas.data() + row * a.blocks * kBlock, a.exponents.data() + row * a.blocks});
      },
      b, is_tame(a.range, b.range, a.blocks), results, pitch);
}

/// Columns of a matrix as rows, or its rows.
std::vector<float> along(const float* values, std::size_t rows, std::size_t columns, bool turned) {
  std::vector<float> result(values, values + rows * columns);
  for (std::size_t i = 0; turned && i < result.size(); ++i) {
    result[i] = values[i % rows * columns + i / rows];
  }
  return result;
}

Value with_bias(const Call& call, std::vector<float> sums) {
  const Tensor& output = call.output_tensor();
  if (call.has_input(2)) {
    const auto bias = elements<float>(broadcast_to(call.input(2), output.shape));
    std::transform(sums.begin(), sums.end(), bias.begin(), sums.begin(), golden::binary32::add);
  }
  return make_value(output.type, output.shape, sums);
}

bool applies(const Call& call) { return call.op.arithmetic == Arithmetic::kBlocks; }

/// The sums of one group of a convolution.
class Group {
 public:
  Group(const Call& call, const Conv2d& op, std::size_t group)
      : image_(call.input(0).shape),
        filter_(call.input(1).shape),
        output_(call.output_tensor().shape),
        window_(op.window),
        group_(group),
        channels_(size(filter_[3])),
        columns_(size(filter_[0]) / size(op.groups)),
        input_(floats(call.input(0))),
        weights_(floats(call.input(1)) + group * columns_ * size(count(filter_) / filter_[0])) {}

  void run(float* results) const {
    float* to = results + group_ * columns_;
    reduces_windows(filter_) ? windows(to) : taps(to);
  }

 private:
  /// Blocks of channels, tap by tap.
  void taps(float* to) const {
    const BlockRows image(input_ + group_ * channels_, size(image_[0] * image_[1] * image_[2]), channels_,
                          size(image_[3]));
    const BlockRows each(weights_, columns_ * size(filter_[1] * filter_[2]), channels_, channels_);
    BlockRows joined = each;
    joined.blocks *= size(filter_[1] * filter_[2]);
    const BlockColumns columns(joined);
    const std::vector<float> zeros(image.blocks * kBlock);
    const std::vector<std::uint8_t> no_exponents(image.blocks);
    multiply(
        size(count(output_) / output_[3]), image.blocks,
        [&](std::size_t row, std::vector<BlockRun>& runs) {
          for_each_tap(row, [&](std::int64_t pixel) {
            const std::size_t at = size(std::max<std::int64_t>(pixel, 0)) * image.blocks;
            runs.push_back(pixel < 0 ? BlockRun{zeros.data(), no_exponents.data()}
                                     : BlockRun{image.mantissas.data() + at * kBlock, image.exponents.data() + at});
          });
        },
        columns, is_tame(image.range, columns.range, columns.blocks), to, size(output_[3]));
  }

  /// Blocks of whole windows.
  void windows(float* to) const {
    const std::size_t depth = size(filter_[1] * filter_[2]) * channels_;
    const std::size_t rows = size(count(output_) / output_[3]);
    std::vector<float> gathered(rows * depth);
    for (std::size_t row = 0; row < rows; ++row) {
      std::size_t at = row * depth;
      for_each_tap(row, [&](std::int64_t pixel) {
        if (pixel >= 0) {
          std::copy_n(input_ + size(pixel) * size(image_[3]) + group_ * channels_, channels_, gathered.data() + at);
        }
        at += channels_;
      });
    }
    multiply(BlockRows(gathered.data(), rows, depth, depth), BlockColumns(BlockRows(weights_, columns_, depth, depth)),
             to, size(output_[3]));
  }

  /// Calls tap(pixel) in the order of the weights; the pixel is -1 outside of the image.
  template <class Tap>
  void for_each_tap(std::size_t row, const Tap& tap) const {
    const auto place = static_cast<std::int64_t>(row);
    const auto x = static_cast<int>(place % output_[2]), y = static_cast<int>(place / output_[2] % output_[1]);
    const std::int64_t sample = place / output_[2] / output_[1];
    for (int ky = 0; ky < window_.kernel_h; ++ky) {
      for (int kx = 0; kx < window_.kernel_w; ++kx) {
        const std::int64_t in_y = golden::input_y(window_, y, ky), in_x = golden::input_x(window_, x, kx);
        const bool inside = in_y >= 0 && in_y < image_[1] && in_x >= 0 && in_x < image_[2];
        tap(inside ? (sample * image_[1] + in_y) * image_[2] + in_x : std::int64_t{-1});
      }
    }
  }

  const Shape &image_, &filter_, &output_;
  const Window window_;
  const std::size_t group_, channels_, columns_;
  const float *input_, *weights_;
};

}  // namespace

std::optional<Value> in_blocks(const Call& call, const Conv2d& op) {
  if (!applies(call)) {
    return std::nullopt;
  }
  std::vector<float> sums(size(count(call.output_tensor().shape)));
  for (std::size_t group = 0; group < size(op.groups); ++group) {
    Group(call, op, group).run(sums.data());
  }
  return with_bias(call, std::move(sums));
}

std::optional<Value> in_blocks(const Call& call, const Dense&) {
  if (!applies(call)) {
    return std::nullopt;
  }
  const Shape& weights = call.input(1).shape;
  const std::size_t depth = size(weights[1]), columns = size(weights[0]);
  std::vector<float> sums(size(count(call.output_tensor().shape)));
  multiply(BlockRows(floats(call.input(0)), sums.size() / columns, depth, depth),
           BlockColumns(BlockRows(floats(call.input(1)), columns, depth, depth)), sums.data(), columns);
  return with_bias(call, std::move(sums));
}

std::optional<Value> in_blocks(const Call& call, const MatMul& op) {
  if (!applies(call)) {
    return std::nullopt;
  }
  const Shape& output = call.output_tensor().shape;
  const Shape batches(output.begin(), output.end() - 2);
  const Value a = matrices(call, 0), b = matrices(call, 1);
  const std::size_t rows = size(output.end()[-2]), columns = size(output.back());
  const std::size_t depth = size(op.transpose_a ? a.shape.end()[-2] : a.shape.back());
  std::vector<float> sums(size(count(output)));
  for (std::size_t batch = 0; batch < size(count(batches)); ++batch) {
    const auto left =
        along(floats(a) + batch * rows * depth, size(a.shape.end()[-2]), size(a.shape.back()), op.transpose_a);
    const auto right =
        along(floats(b) + batch * depth * columns, size(b.shape.end()[-2]), size(b.shape.back()), !op.transpose_b);
    multiply(BlockRows(left.data(), rows, depth, depth), BlockColumns(BlockRows(right.data(), columns, depth, depth)),
             sums.data() + batch * rows * columns, columns);
  }
  return with_bias(call, std::move(sums));
}

}  // namespace systole::graph

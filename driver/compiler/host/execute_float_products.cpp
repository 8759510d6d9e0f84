// SPDX-License-Identifier: Apache-2.0
// Float convolutions, dense layers and matrix products: in block floating point, by the rules of binary32.hpp, or with
// sums in double, rounded once.
#include <algorithm>
#include <utility>

#include "execute_binary32.hpp"
#include "execute_blocks.hpp"
#include "float_ops.hpp"
#include "float_products.hpp"
#include "indices.hpp"
#include "parallel.hpp"
#include "quantized_values.hpp"

namespace systole::graph {
namespace {

std::size_t size(std::int64_t dimension) { return static_cast<std::size_t>(dimension); }

/// Fills `to` with copies of `from`; its length is a multiple of from's.
void repeat(const std::vector<double>& from, std::vector<double>& to) {
  for (auto place = to.begin(); place < to.end(); place += static_cast<std::ptrdiff_t>(from.size())) {
    std::copy(from.begin(), from.end(), place);
  }
}

/// results[row][column] += dot product, for `count` rows of `columns.depth()` elements each.
void add_all_products(const double* rows, std::size_t count, const ColumnBlocks& columns, double* results,
                      std::size_t width) {
  golden::parallel_ranges(columns.blocks(), count * kLanes * columns.depth(), [&](std::size_t block, std::size_t last) {
    for (; block < last; ++block) {
      for (std::size_t row = 0; row < count; row += kRows) {
        const std::size_t there = std::min(kRows, count - row);
        const double* from[kRows] = {};
        double sums[kRows][kLanes] = {};
        double* to = results + row * width + block * kLanes;
        for (std::size_t r = 0; r < there; ++r) {
          std::copy_n(to + r * width, columns.lanes(block), sums[r]);
          from[r] = rows + (row + r) * columns.depth();
        }
        add_products(from, there, columns.at(block), columns.depth(), sums);
        for (std::size_t r = 0; r < there; ++r) {
          std::copy_n(sums[r], columns.lanes(block), to + r * width);
        }
      }
    }
  });
}

/// A convolution whose results are initialized with the bias.
class Convolution {
 public:
  Convolution(const Call& call, const Conv2d& op)
      : image_(call.input(0).shape),
        filter_(call.input(1).shape),
        output_(call.output_tensor().shape),
        window_(op.window),
        groups_(op.groups),
        input_(reals(call, call.input(0))),
        weights_(reals(call, call.input(1))),
        results_(size(count(output_))) {
    if (call.has_input(2)) {
      const std::vector<double> bias = reals(call, call.input(2));
      repeat(bias, results_);
    }
  }

  const std::vector<double>& run() {
    if (filter_[3] == 1 && filter_[0] == groups_) {
      depthwise();
      return results_;
    }
    const std::size_t outputs = size(filter_[0]) / size(groups_);
    const std::size_t taps = size(filter_[1] * filter_[2] * filter_[3]);
    for (std::size_t group = 0; group < size(groups_); ++group) {
      const double* weights = weights_.data() + group * outputs * taps;
      run_group(ColumnBlocks(taps, outputs, [&](std::size_t k, std::size_t o) { return weights[o * taps + k]; }),
                group * outputs, group * size(filter_[3]));
    }
    return results_;
  }

 private:
  /// First element of the pixel that a tap reads; null outside the image.
  const double* pixel(std::int64_t batch, int y, int x, int ky, int kx) const {
    const std::int64_t in_y = golden::input_y(window_, y, ky);
    const std::int64_t in_x = golden::input_x(window_, x, kx);
    const bool inside = in_y >= 0 && in_y < image_[1] && in_x >= 0 && in_x < image_[2];
    return inside ? input_.data() + ((batch * image_[1] + in_y) * image_[2] + in_x) * image_[3] : nullptr;
  }
  double* result(std::int64_t batch, int y, int x) {
    return results_.data() + ((batch * output_[1] + y) * output_[2] + x) * output_[3];
  }

  void run_group(const ColumnBlocks& weights, std::size_t first_output, std::size_t first_channel) {
    for_each_line(weights.blocks() * kLanes * weights.depth(), [&](std::int64_t batch, int y) {
      for (std::size_t block = 0; block < weights.blocks(); ++block) {
        for (int x = 0; x < output_[2]; x += static_cast<int>(kRows)) {
          run_pixels(weights, block, first_output + block * kLanes, first_channel, batch, y, x);
        }
      }
    });
  }

  /// Calls line(batch, y) for all lines of the output; `cost` is the cost of a pixel.
  template <class Line>
  void for_each_line(std::size_t cost, const Line& line) const {
    const std::size_t height = size(output_[1]);
    golden::parallel_ranges(size(image_[0]) * height, size(output_[2]) * cost, [&](std::size_t i, std::size_t last) {
      for (; i < last; ++i) line(static_cast<std::int64_t>(i / height), static_cast<int>(i % height));
    });
  }

  /// Computes kRows adjacent pixels at a time while enough remain.
  void run_pixels(const ColumnBlocks& weights, std::size_t block, std::size_t first_output, std::size_t first_channel,
                  std::int64_t batch, int y, int x) {
    const std::size_t lanes = weights.lanes(block);
    const std::size_t there = std::min(kRows, size(output_[2] - x));
    const std::size_t depth = size(filter_[3]);
    double sums[kRows][kLanes] = {};
    for (std::size_t r = 0; r < there; ++r) {
      std::copy_n(result(batch, y, x + static_cast<int>(r)) + first_output, lanes, sums[r]);
    }
    for (int ky = 0; ky < window_.kernel_h; ++ky) {
      for (int kx = 0; kx < window_.kernel_w; ++kx) {
        const double* taps = weights.at(block, size(std::int64_t{ky} * filter_[2] + kx) * depth);
        const double* from[kRows] = {};
        std::size_t first = there, end = 0;  // of the pixels whose tap is inside of the image: they are neighbours
        for (std::size_t r = 0; r < there; ++r) {
          if (const double* inside = pixel(batch, y, x + static_cast<int>(r), ky, kx)) {
            from[r] = inside + first_channel;
            first = std::min(first, r);
            end = r + 1;
          }
        }
        if (first < end) {
          add_products(from + first, end - first, taps, depth, sums + first);
        }
      }
    }
    for (std::size_t r = 0; r < there; ++r) {
      std::copy_n(sums[r], lanes, result(batch, y, x + static_cast<int>(r)) + first_output);
    }
  }

  /// Each channel separately: adjacent channels are adjacent in memory.
  void depthwise() {
    const std::size_t channels = size(filter_[0]);
    const std::size_t taps = size(filter_[1] * filter_[2]);
    std::vector<double> by_tap(weights_.size());
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      by_tap[i % taps * channels + i / taps] = weights_[i];
    }
    for_each_line(channels * taps, [&](std::int64_t batch, int y) {
      for (int x = 0; x < output_[2]; ++x) {
        double* to = result(batch, y, x);
        for (int ky = 0; ky < window_.kernel_h; ++ky) {
          for (int kx = 0; kx < window_.kernel_w; ++kx) {
            const double* weights = by_tap.data() + size(std::int64_t{ky} * filter_[2] + kx) * channels;
            if (const double* from = pixel(batch, y, x, ky, kx)) {
              for (std::size_t c = 0; c < channels; ++c) {
                to[c] += from[c] * weights[c];
              }
            }
          }
        }
      }
    });
  }

  const Shape &image_, &filter_, &output_;
  const Window window_;
  const int groups_;
  const std::vector<double> input_, weights_;
  std::vector<double> results_;
};

}  // namespace

Value matrices(const Call& call, std::size_t i) {
  const Shape &output = call.output_tensor().shape, &operand = call.input(i).shape;
  Shape shape(output.begin(), output.end() - 2);
  shape.insert(shape.end(), operand.end() - 2, operand.end());
  return broadcast_to(call.input(i), shape);
}

Value run_plain(const Call& call, const Conv2d& op) {
  if (auto value = in_blocks(call, op)) {
    return std::move(*value);
  }
  if (auto value = in_binary32(call, op)) {
    return std::move(*value);
  }
  return rounded(Convolution(call, op).run(), call.output_tensor(), op.activation);
}

Value run_plain(const Call& call, const Dense& op) {
  if (auto value = in_blocks(call, op)) {
    return std::move(*value);
  }
  if (auto value = in_binary32(call, op)) {
    return std::move(*value);
  }
  const auto input = reals(call, call.input(0));
  const auto weights = reals(call, call.input(1));
  const std::size_t outputs = size(call.input(1).shape[0]);
  const std::size_t depth = size(call.input(1).shape[1]);
  const std::size_t rows = input.size() / depth;
  std::vector<double> result(rows * outputs);
  if (call.has_input(2)) {
    repeat(reals(call, call.input(2)), result);
  }
  const ColumnBlocks columns(depth, outputs, [&](std::size_t k, std::size_t o) { return weights[o * depth + k]; });
  add_all_products(input.data(), rows, columns, result.data(), outputs);
  return rounded(result, call.output_tensor(), op.activation);
}

Value run_plain(const Call& call, const MatMul& op) {
  if (auto value = in_blocks(call, op)) {
    return std::move(*value);
  }
  if (auto value = in_binary32(call, op)) {
    return std::move(*value);
  }
  const Shape& output = call.output_tensor().shape;
  const Shape batches(output.begin(), output.end() - 2);
  const Value a = matrices(call, 0);
  const auto lhs = reals(call, a);
  const auto rhs = reals(call, matrices(call, 1));
  const std::size_t rows = size(output.end()[-2]), columns = size(output.back());
  const std::size_t depth = size(op.transpose_a ? a.shape.end()[-2] : a.shape.back());
  std::vector<double> result =
      call.has_input(2) ? reals(call, broadcast_to(call.input(2), output)) : std::vector<double>(size(count(output)));
  std::vector<double> left(rows * depth);
  for (std::size_t batch = 0; batch < size(count(batches)); ++batch) {
    const double* from = lhs.data() + batch * left.size();
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] = op.transpose_a ? from[i % depth * rows + i / depth] : from[i];
    }
    const double* right = rhs.data() + batch * depth * columns;
    add_all_products(left.data(), rows,
                     ColumnBlocks(depth, columns,
                                  [&](std::size_t k, std::size_t c) {
                                    return right[op.transpose_b ? c * depth + k : k * columns + c];
                                  }),
                     result.data() + batch * rows * columns, columns);
  }
  return rounded(result, call.output_tensor());
}

}  // namespace systole::graph

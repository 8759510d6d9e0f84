// SPDX-License-Identifier: Apache-2.0
#include "lower_pool16.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "bytes.hpp"
#include "int16.hpp"
#include "lower_operator.hpp"
#include "refused.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;

constexpr int kBytes = 2;                 // of an element
constexpr int kMostCounted = 127;         // so that reciprocals of 30 bits are exact enough
constexpr std::size_t kMostBoxes = 4096;  // two instructions each
constexpr std::int64_t kMostReciprocals = 1 << 18;

/// Where the windows along an axis lie.
struct Axis {
  int input, output, kernel, stride, dilation, pad;

  int at(int window, int tap) const { return window * stride + tap * dilation - pad; }
  bool inside(int window, int tap) const { return at(window, tap) >= 0 && at(window, tap) < input; }
  int counted(int window) const {
    int taps = 0;
    for (int tap = 0; tap < kernel; ++tap) {
      taps += inside(window, tap) ? 1 : 0;
    }
    return taps;
  }
};

/// A tap of some windows that follow each other: elements `step` apart, or none, which lie outside.
struct Run {
  int window = 0, count = 0, from = 0, step = 0;
  bool outside = false;
};

/// The elements that a tap of all windows reads. Outside it reads none or, if it `repeats`, the nearest of the window's
/// other elements.
std::vector<Run> runs_of(const Axis& axis, int tap, bool repeats) {
  std::vector<Run> runs;
  for (int window = 0; window < axis.output; ++window) {
    const bool outside = !axis.inside(window, tap);
    int other = tap;
    while (outside && repeats && !axis.inside(window, other)) {
      other += axis.at(window, tap) < 0 ? 1 : -1;
    }
    const int from = axis.at(window, other);
    if (!runs.empty() && runs.back().outside == (outside && !repeats)) {
      Run& last = runs.back();
      if (last.outside || last.count == 1 || from == last.from + last.count * last.step) {
        last.step = last.count == 1 ? from - last.from : last.step;
        ++last.count;
        continue;
      }
    }
    runs.push_back({window, 1, from, 0, outside && !repeats});
  }
  return runs;
}

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op, const graph::Pool& pool)
      : graph_(graph), op_(op), pool_(pool), from_(image_of(input())), to_(image_of(output())) {
    const Window& w = pool.window;
    rows_ = {from_.height, to_.height, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top};
    columns_ = {from_.width, to_.width, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left};
  }

  std::vector<Layer> run() {
    require_type(output(), {ElementType::kInt16}, "operands and result of one width");
    require(op_.arithmetic == graph::Arithmetic::kTfLite && !pool_.count_padding,
            "a pool of int16 in ONNX's arithmetic, or one that counts padding");
    require(!input().constant, "a constant operand");
    for (const Axis& axis : {rows_, columns_}) {
      for (int window = 0; window < axis.output; ++window) {
        require(axis.counted(window) > 0, "a window outside of its image");
      }
    }
    return {windows(), combination()};
  }

 private:
  const Tensor& input() const { return graph_.tensor(op_.inputs[0]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }
  bool is_max() const { return pool_.kind == graph::PoolKind::kMax; }
  int taps() const { return rows_.kernel * columns_.kernel; }
  std::int64_t results() const { return std::int64_t{to_.batch} * to_.height * to_.width; }

  /// Positions of the result, each with all elements of its window.
  Image windows_image() const {
    const std::int64_t positions = results() * taps();
    require(positions * to_.channels <= std::numeric_limits<std::int32_t>::max(),
            "windows of more than 2^31 - 1 bytes");
    return {1, 1, static_cast<int>(positions), to_.channels, kBytes};
  }

  Layer windows() const {
    MoveLayer moves;
    for (int row_tap = 0; row_tap < rows_.kernel; ++row_tap) {
      const std::vector<Run> rows = runs_of(rows_, row_tap, is_max());
      for (int column_tap = 0; column_tap < columns_.kernel; ++column_tap) {
        const std::vector<Run> columns = runs_of(columns_, column_tap, is_max());
        for (int image = 0; image < to_.batch; ++image) {
          add_boxes(moves, image, row_tap * columns_.kernel + column_tap, rows, columns);
          require(moves.parts.size() <= kMostBoxes, "a pool of int16 with more than 4096 moves");
        }
      }
    }
    Layer layer;
    layer.name = op_.name + "/windows";
    layer.kind = std::move(moves);
    layer.inputs = {op_.inputs[0]};
    layer.input_images = {from_};
    layer.output = between_layers(op_.outputs[0], 0);
    layer.output_image = windows_image();
    return layer;
  }

  void add_boxes(MoveLayer& moves, int image, int tap, const std::vector<Run>& rows,
                 const std::vector<Run>& columns) const {
    const std::int64_t position = to_.channels, window = position * taps();
    for (const Run& row : rows) {
      for (const Run& column : columns) {
        compiler::ByteBox box;
        box.outer = row.count;
        box.inner = column.count;
        box.bytes = position;
        box.to =
            ((std::int64_t{image} * to_.height + row.window) * to_.width + column.window) * window + tap * position;
        box.to_outer = to_.width * window;
        box.to_inner = window;
        if (row.outside || column.outside) {
          box.fill = std::int8_t{0};
        } else {
          box.from = ((std::int64_t{image} * from_.height + row.from) * from_.width + column.from) * position;
          box.from_outer = row.step * from_.width * position;
          box.from_inner = column.step * position;
        }
        moves.parts.push_back({0, -1, box});
      }
    }
  }

  Layer combination() const {
    const golden::Clamp16 clamp = graph::clamp16_of(pool_.activation, output());
    KernelLayer kernel{{is_max() ? "extreme_rows16" : "sum_rows16"}};
    kernel.call.by_block = true;
    kernel.call.values = {{"clamp", std::int64_t{clamp.max} * 65536 + (clamp.min & 0xFFFF)}};
    if (is_max()) {
      kernel.call.values["flip"] = 0;
    } else {
      average(kernel);
    }
    Layer layer;
    layer.name = op_.name;
    layer.kind = std::move(kernel);
    layer.inputs = {between_layers(op_.outputs[0], 0)};
    layer.input_images = {windows_image()};
    layer.output = op_.outputs[0];
    layer.output_image = to_;
    return layer;
  }

  /// Times 2 and slightly more than 2^30 / count, so that ties of either sign are rounded away from zero, as in
  /// average_pool_reciprocal().
  static std::int32_t reciprocal(int count) { return (1 << 30) / count + 1; }

  void average(KernelLayer& kernel) const {
    require(taps() <= kMostCounted, "an average of more than 127 elements of int16");
    const std::vector<int> counts = counted();
    if (std::set<int>(counts.begin(), counts.end()).size() == 1) {
      kernel.call.values["multiplier"] = reciprocal(counts[0]);
      kernel.call.values["shift"] = 1;
      return;
    }
    kernel.call.kernel = "average_rows16";
    const int channels = to_.channels / kBytes;
    require(results() * channels <= kMostReciprocals, "an average of int16 with padding for more than 2^18 results");
    std::vector<std::int32_t> words;
    for (int image = 0; image < to_.batch; ++image) {
      for (const int count : counts) {
        words.insert(words.end(), static_cast<std::size_t>(channels), reciprocal(count));
      }
    }
    kernel.constants = {{1, {bytes_of_words(words), {1, 1, static_cast<int>(results()), channels * 4, 4}}}};
  }

  /// For each position of an image.
  std::vector<int> counted() const {
    std::vector<int> counts;
    for (int row = 0; row < rows_.output; ++row) {
      for (int column = 0; column < columns_.output; ++column) {
        counts.push_back(rows_.counted(row) * columns_.counted(column));
      }
    }
    return counts;
  }

  const Graph& graph_;
  const Operator& op_;
  const graph::Pool& pool_;
  const Image from_, to_;
  Axis rows_{}, columns_{};
};

}  // namespace

std::vector<Layer> lower_pool16(const Graph& graph, const Operator& op, const graph::Pool& pool) {
  return Lowering(graph, op, pool).run();
}

}  // namespace systole::network

// SPDX-License-Identifier: Apache-2.0
#include "lower_pool16.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "bytes.hpp"
#include "fold_formulas.hpp"
#include "gather_taps.hpp"
#include "int16.hpp"
#include "refused.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;

constexpr int kBytes = 2;            // of an element
constexpr int kMostElements = 4096;  // as in pools of int8
constexpr int kMostCounted = 127;    // if windows differ: so that reciprocals of 30 bits are exact enough
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

/// What a tap of each window reads. Outside of the image it reads nothing or, if it `repeats`, the nearest of the
/// window's other elements.
Sources sources_of(const Axis& axis, int tap, bool repeats) {
  Sources sources;
  for (int window = 0; window < axis.output; ++window) {
    int read = tap;
    while (repeats && !axis.inside(window, read)) {
      read += axis.at(window, tap) < 0 ? 1 : -1;
    }
    sources.push_back(axis.inside(window, read) ? axis.at(window, read) : kNothing);
  }
  return sources;
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
    Layer windows = this->windows();
    return {std::move(windows), combination()};
  }

 private:
  const Tensor& input() const { return graph_.tensor(op_.inputs[0]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }
  bool is_max() const { return pool_.kind == graph::PoolKind::kMax; }
  int taps() const { return rows_.kernel * columns_.kernel; }
  std::int64_t results() const { return std::int64_t{to_.batch} * to_.height * to_.width; }

  Layer windows() {
    TapMoves moves(from_, to_, taps());
    for (int row = 0; row < rows_.kernel; ++row) {
      for (int column = 0; column < columns_.kernel; ++column) {
        moves.add(row * columns_.kernel + column, sources_of(rows_, row, is_max()),
                  sources_of(columns_, column, is_max()));
      }
    }
    windows_ = moves.image();
    Layer layer;
    layer.name = op_.name + "/windows";
    layer.kind = moves.take();
    layer.inputs = {op_.inputs[0]};
    layer.input_images = {from_};
    layer.output = between_layers(op_.outputs[0], 0);
    layer.output_image = windows_;
    return layer;
  }

  Layer combination() const {
    const golden::Clamp16 clamp = graph::clamp16_of(pool_.activation, output());
    KernelLayer kernel = is_max() ? KernelLayer{compiler::fold_call(wide_fold(graph::ReduceKind::kMax))} : average();
    kernel.call.by_block = true;
    if (kernel.call.fold != nullptr) {
      kernel.call.values.insert({{"least", clamp.min}, {"greatest", clamp.max}});
    } else {
      kernel.call.values = {{"clamp", std::int64_t{clamp.max} * 65536 + (clamp.min & 0xFFFF)}};
    }
    Layer layer;
    layer.name = op_.name;
    layer.kind = std::move(kernel);
    layer.inputs = {between_layers(op_.outputs[0], 0)};
    layer.input_images = {windows_};
    layer.output = op_.outputs[0];
    layer.output_image = to_;
    return layer;
  }

  /// 2^30 times the reciprocal, slightly more than exact, so that ties of either sign are rounded away from zero.
  static std::int32_t reciprocal(int count) { return (1 << 30) / count + 1; }

  /// All windows of a size: four times the sum, times 2^k / 4 reciprocals, then k bits to the right. With 2^k of at
  /// least twice the size, the first rounding of the two makes no tie of another number, and leaves every tie one.
  static compiler::KernelCall average_of(int count) {
    const int right = std::bit_width(static_cast<unsigned>(count - 1)) + 1;
    const std::int64_t numerator = std::int64_t{1} << (29 + right);
    return compiler::fold_call(wide_fold(graph::ReduceKind::kSum, 2, right),
                               {{"multiplier", (numerator + count / 2) / count}});
  }

  KernelLayer average() const {
    require(taps() <= kMostElements, "an average of more than 4096 elements of int16");
    const std::vector<int> counts = counted();
    if (std::set<int>(counts.begin(), counts.end()).size() == 1) {
      return {average_of(counts[0])};
    }
    require(taps() <= kMostCounted, "an average of more than 127 elements of int16 with padding");
    KernelLayer kernel{{"average_rows16"}};
    const int channels = to_.channels / kBytes;
    require(results() * channels <= kMostReciprocals, "an average of int16 with padding for more than 2^18 results");
    std::vector<std::int32_t> words;
    for (int image = 0; image < to_.batch; ++image) {
      for (const int count : counts) {
        words.insert(words.end(), static_cast<std::size_t>(channels), reciprocal(count));
      }
    }
    kernel.constants = {{1, {bytes_of_words(words), {1, 1, static_cast<int>(results()), channels * 4, 4}}}};
    return kernel;
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
  Image windows_;
  Axis rows_{}, columns_{};
};

}  // namespace

std::vector<Layer> lower_pool16(const Graph& graph, const Operator& op, const graph::Pool& pool) {
  return Lowering(graph, op, pool).run();
}

}  // namespace systole::network

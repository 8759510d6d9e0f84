// SPDX-License-Identifier: Apache-2.0
// Pooling: tiles of output rows, each with as many channel blocks as fit the scratchpad twice (double buffering), so
// that loads, the vector unit and stores overlap.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <set>

#include "activations.hpp"
#include "fields.hpp"
#include "geometry.hpp"
#include "kernels.hpp"
#include "params.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

/// Fields that MAXPOOL and AVGPOOL share.
template <class Op>
Op window_op(const isa::Conv& from, int src, int dst, int dst_stride) {
  Op op;
  op.src = u16(src);
  op.dst = u16(dst);
  op.src_stride = from.row_stride;
  op.dst_stride = u16(dst_stride);
  op.out_height = from.out_height;
  op.out_width = from.out_width;
  op.in_height = from.in_height;
  op.in_width = from.in_width;
  op.y0 = from.y0;
  op.x0 = from.x0;
  op.kernel_h = from.kernel_h;
  op.kernel_w = from.kernel_w;
  op.stride_h = from.stride_h;
  op.stride_w = from.stride_w;
  op.dilation_h = from.dilation_h;
  op.dilation_w = from.dilation_w;
  return op;
}

/// Rows for one input and one output; the workspace holds each twice.
struct Room {
  int input, output;
  explicit Room(const Builder& builder)
      : input(builder.workspace_rows() / 8 * 3), output(builder.workspace_rows() / 8) {}
};

Cut choose_cut(const ConvGeometry& g, const Builder& builder) {
  const Configuration& configuration = builder.configuration();
  const Room room(builder);
  for (int width = g.out_width;; width = ceil_div(width, 2)) {
    for (int lines = g.out_height; lines >= 1; lines = lines == 1 ? 0 : ceil_div(lines, 2)) {
      const Cut cut{lines, width};
      const ImagePlanes planes(g, cut, configuration.dim);
      int rows = 0;
      for (int tile = 0; tile < planes.tiles(); ++tile) {
        rows = std::max(rows, planes.plane_rows(tile));
      }
      if (rows <= room.input && lines * width <= room.output) {
        return cut;
      }
    }
    if (width == 1) {
      throw DoesNotFit(fmt::format("pool: one {}x{} window with dilation {}x{} does not fit {} scratchpad rows",
                                   g.kernel_h, g.kernel_w, g.dilation_h, g.dilation_w, room.input));
    }
  }
}

/// `dst_stride`: rows from one output row to the next.
using EmitWindow = std::function<void(const isa::Conv& window, int src, int dst, int dst_stride)>;

constexpr int kMostPositions = 256;  // of an instruction in the scratchpad: the next operator starts when the first
                                     // instruction is done

/// All in the scratchpad: whole image rows, few enough for the next operator to start early.
Cut chip_cut(const ConvGeometry& g) { return {std::clamp(kMostPositions / g.out_width, 1, g.out_height), g.out_width}; }

void pool(Builder& builder, const ConvGeometry& g, const TensorView& output, const EmitWindow& emit) {
  const int dim = builder.dim();
  const Room room(builder);
  const bool on_chip = g.chip && output.chip;
  const Cut cut = on_chip ? chip_cut(g) : choose_cut(g, builder);
  std::unique_ptr<Activations> source;
  if (g.chip) {
    source = std::make_unique<ChipImage>(g, cut);
  } else {
    source = std::make_unique<ImagePlanes>(g, cut, dim);
  }
  const int blocks = ceil_div(g.channels, dim);
  const int base = builder.workspace_begin();
  RowRing inputs(base, std::max(1, 2 * room.input), false);
  RowRing stage(base + 2 * room.input, std::max(1, 2 * room.output), false);
  const Output out{output.address, output.channels, output.pitch(), 1};
  for (int tile = 0; tile < source->tiles(); ++tile) {
    const TileShape shape = source->shape(tile);
    const TilePlace place = source->place(tile);
    const Range lines{0, shape.lines};
    const int in_plane = g.chip ? g.chip->plane : source->plane_rows(tile);
    const int out_plane = output.chip ? output.chip->plane : shape.positions();
    const int most =
        on_chip ? blocks
                : std::min({room.input / source->plane_rows(tile), room.output / shape.positions(), 65535 / dim});
    const int share = ceil_div(blocks, ceil_div(blocks, std::max(1, most)));
    for (int block = 0; block < blocks; block += share) {
      const Range part{block, std::min(blocks, block + share)};
      const int from = g.chip ? g.chip->row + block * in_plane : inputs.take(in_plane * part.size()).row;
      const int to = output.chip ? output.chip->row + block * out_plane + static_cast<int>(place.first)
                                 : stage.take(out_plane * part.size()).row;
      source->load(builder, tile, part, lines, from);
      const isa::Conv window = source->conv(tile, lines, from);
      for (int i = 0; i < part.size(); ++i) {
        emit(window, from + i * in_plane, to + i * out_plane,
             output.chip ? static_cast<int>(place.line_step) : shape.width);
      }
      if (!output.chip) {
        const int first = part.begin * dim;
        store_results(builder, out,
                      {shape, place, lines, first, std::min(g.channels, part.end * dim) - first, to, out_plane});
      }
    }
  }
}

/// For each window, the number of its taps inside the image along one axis.
std::vector<int> inside(int windows, int stride, int pad, int taps, int dilation, int size) {
  std::vector<int> counts;
  for (int window = 0; window < windows; ++window) {
    int count = 0;
    for (int tap = 0; tap < taps; ++tap) {
      const int at = window * stride - pad + tap * dilation;
      count += at >= 0 && at < size ? 1 : 0;
    }
    counts.push_back(count);
  }
  return counts;
}

/// The distinct numbers of elements inside the image over all windows. Throws InvalidArgument when a window has
/// none.
std::set<int> element_counts(const ConvGeometry& g) {
  std::set<int> counts;
  const std::vector<int> columns = inside(g.out_width, g.stride_w, g.pad_left, g.kernel_w, g.dilation_w, g.width);
  for (const int rows : inside(g.out_height, g.stride_h, g.pad_top, g.kernel_h, g.dilation_h, g.height)) {
    for (const int width : columns) {
      counts.insert(rows * width);
    }
  }
  if (*counts.begin() == 0) {
    throw InvalidArgument("pool: a window lies wholly in the padding");
  }
  return counts;
}

void check_channels(const char* what, const TensorView& input, const TensorView& output) {
  if (input.channels != output.channels) {
    throw InvalidArgument(
        fmt::format("{}: {} input channels, {} output channels", what, input.channels, output.channels));
  }
}

constexpr int kMostKernel = 255;
constexpr int kTimes = 3;  // kernel lines, constant ones included, per line of the window at most

/// Lines of one constant value that cancel the zero point of `lines` lines: as few as possible.
struct Outside {
  int value = 0, lines = 0;
};
Outside outside(int zero_point, int lines) {
  const int wanted = -zero_point * lines;
  for (int count = 1; wanted != 0; ++count) {
    if (wanted % count == 0 && wanted / count >= -128 && wanted / count <= 127) {
      return {wanted / count, count};
    }
  }
  return {};
}

/// Consecutive windows of a line with the same taps inside: [top, bottom) x [left, right) of the first.
struct Windows {
  int line, first, count;
  int top, bottom, left, right;
};

/// All windows; consecutive ones with all their columns inside are grouped.
std::vector<Windows> by_count(const isa::Conv& window) {
  std::vector<Windows> parts;
  for (int line = 0; line < window.out_height; ++line) {
    const int y = window.y0 + line * window.stride_h;
    for (int first = 0; first < window.out_width;) {
      const auto left = [&](int column) { return window.x0 + column * window.stride_w; };
      const auto whole = [&](int column) {
        return left(column) >= 0 && left(column) + window.kernel_w <= window.in_width;
      };
      int end = first + 1;
      while (whole(first) && end < window.out_width && whole(end)) {
        ++end;
      }
      parts.push_back({line, first, end - first, std::max(0, y), std::min<int>(window.in_height, y + window.kernel_h),
                       std::max(0, left(first)), std::min<int>(window.in_width, left(first) + window.kernel_w)});
      first = end;
    }
  }
  return parts;
}

/// One instruction per number of elements. Ties::kUp needs positive sums: constant lines add 128 for each element, and
/// the result is lowered by 128.
void average_by_count(Builder& builder, const ConvGeometry& g, const std::set<int>& counts, Ties ties,
                      std::int8_t clamp_min, std::int8_t clamp_max, const TensorView& output) {
  std::vector<QuantParam> reciprocals;
  std::transform(counts.begin(), counts.end(), std::back_inserter(reciprocals), average_pool_reciprocal);
  builder.begin_operator(
      fmt::format("average_pool {}x{} {}x{}x{}", g.kernel_h, g.kernel_w, g.height, g.width, g.channels), 0);
  const int scalars = place_params(builder, scalar_params(builder.dim(), reciprocals));
  const int zero_point = ties == Ties::kUp ? -128 : 0;
  pool(builder, g, output, [&](const isa::Conv& window, int src, int dst, int dst_stride) {
    for (const Windows& part : by_count(window)) {
      const int rows = part.bottom - part.top;
      const int columns = part.right - part.left;
      const Outside beyond = outside(zero_point, rows);
      auto op = window_op<isa::Avgpool>(window, src + part.top * window.row_stride,
                                        dst + part.line * dst_stride + part.first, dst_stride);
      op.out_height = 1;
      op.out_width = u16(part.count);
      op.in_height = u16(rows);
      op.y0 = 0;
      op.x0 = static_cast<std::int16_t>(part.left);
      op.kernel_h = static_cast<std::uint8_t>(rows + beyond.lines);
      op.kernel_w = static_cast<std::uint8_t>(columns);
      op.count_padding = 1;
      op.zero1 = static_cast<std::int8_t>(beyond.value);
      op.scalars = u16(scalars + 2 * std::distance(counts.begin(), counts.find(rows * columns)));
      op.rounding = static_cast<std::uint8_t>(isa::Rounding::kSingle);
      op.zero_point = static_cast<std::int8_t>(zero_point);
      op.clamp_min = clamp_min;
      op.clamp_max = clamp_max;
      builder.append(op);
    }
  });
}

}  // namespace

void max_pool(Builder& builder, const TensorView& input, const Window& window, std::int8_t clamp_min,
              std::int8_t clamp_max, const TensorView& output) {
  check_channels("max_pool", input, output);
  const ConvGeometry g = make_geometry("max_pool", input, window, 0, output);
  element_counts(g);
  builder.begin_operator(fmt::format("max_pool {}x{} {}x{}x{}", g.kernel_h, g.kernel_w, g.height, g.width, g.channels),
                         0);
  pool(builder, g, output, [&](const isa::Conv& window, int src, int dst, int dst_stride) {
    auto op = window_op<isa::Maxpool>(window, src, dst, dst_stride);
    op.clamp_min = clamp_min;
    op.clamp_max = clamp_max;
    builder.append(op);
  });
}

void average_pool(Builder& builder, const TensorView& input, const Window& window, bool count_padding, int zero_point,
                  std::int8_t clamp_min, std::int8_t clamp_max, const TensorView& output, Ties ties) {
  check_channels("average_pool", input, output);
  const ConvGeometry g = make_geometry("average_pool", input, window, zero_point, output);
  const std::set<int> all = element_counts(g);
  const int taps = g.kernel_h * g.kernel_w;
  const std::set<int> counts = count_padding ? std::set<int>{taps} : all;
  const bool half_way =
      ties == Ties::kUp && std::any_of(counts.begin(), counts.end(), [](int count) { return count % 2 == 0; });
  const Configuration& c = builder.configuration();
  const auto fits = [&](int entries) { return 2 * entries <= c.param_rows; };
  const int missing = taps - *counts.begin();
  if (half_way || !fits(missing + 1)) {
    if (count_padding || g.dilation_h != 1 || g.dilation_w != 1 || kTimes * g.kernel_h > kMostKernel ||
        !fits(static_cast<int>(counts.size()))) {
      throw DoesNotFit(fmt::format("average_pool: averages of {} different numbers of elements, of {} at most",
                                   counts.size(), taps));
    }
    average_by_count(builder, g, counts, ties, clamp_min, clamp_max, output);
    return;
  }
  std::vector<QuantParam> reciprocals;
  for (int i = 0; i <= missing; ++i) {
    reciprocals.push_back(average_pool_reciprocal(taps - i));
  }
  builder.begin_operator(
      fmt::format("average_pool {}x{} {}x{}x{}", g.kernel_h, g.kernel_w, g.height, g.width, g.channels), 0);
  const int scalars = place_params(builder, scalar_params(c.dim, reciprocals));
  pool(builder, g, output, [&](const isa::Conv& window, int src, int dst, int dst_stride) {
    auto op = window_op<isa::Avgpool>(window, src, dst, dst_stride);
    op.count_padding = count_padding ? 1 : 0;
    op.scalars = u16(scalars);
    op.zero1 = static_cast<std::int8_t>(zero_point);
    op.rounding = static_cast<std::uint8_t>(isa::Rounding::kSingle);
    op.clamp_min = clamp_min;
    op.clamp_max = clamp_max;
    builder.append(op);
  });
}

void mean(Builder& builder, const TensorView& input, int input_zero_point, const Requantize& requantize,
          const TensorView& output) {
  check_channels("mean", input, output);
  // AVGPOOL does not subtract a zero point, but elements outside of the image can have any value: a window larger than
  // the image supplies it.
  Window window;
  window.kernel_h = input.height;
  window.kernel_w = input.width;
  Outside beyond = outside(input_zero_point, input.height);
  if (input.height + beyond.lines <= kMostKernel) {
    window.kernel_h += window.pad_bottom = beyond.lines;
  } else {
    beyond = outside(input_zero_point, input.width);
    window.kernel_w += window.pad_right = beyond.lines;
  }
  if (window.kernel_h > kMostKernel || window.kernel_w > kMostKernel) {
    throw DoesNotFit(fmt::format("mean: {}x{} pixels are more than a window takes", input.height, input.width));
  }
  const ConvGeometry g = make_geometry("mean", input, window, beyond.value, output);
  builder.begin_operator(fmt::format("mean {}x{}x{}", input.height, input.width, input.channels), 0);
  const int scalars = place_params(builder, scalar_params(builder.dim(), {requantize.scale.at(0)}));
  pool(builder, g, output, [&](const isa::Conv& window, int src, int dst, int dst_stride) {
    auto op = window_op<isa::Avgpool>(window, src, dst, dst_stride);
    op.count_padding = 1;
    op.scalars = u16(scalars);
    op.zero1 = static_cast<std::int8_t>(beyond.value);
    op.rounding = static_cast<std::uint8_t>(requantize.rounding);
    op.zero_point = static_cast<std::int8_t>(requantize.zero_point);
    op.clamp_min = requantize.clamp_min;
    op.clamp_max = requantize.clamp_max;
    builder.append(op);
  });
}

}  // namespace systole::compiler

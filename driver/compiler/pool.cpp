// SPDX-License-Identifier: Apache-2.0
// Pooling: tiles of output rows, each with as many channel blocks as the scratchpad holds twice. Loads of the next part,
// the vector unit and stores overlap.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>

#include "activations.hpp"
#include "geometry.hpp"
#include "kernels.hpp"
#include "params.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

std::uint16_t u16(std::int64_t value) { return static_cast<std::uint16_t>(value); }

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

/// Rows for one input and one output; the workspace holds both twice.
struct Room {
  int input, output;
  explicit Room(const Builder& builder) : input(builder.workspace_rows() / 8 * 3), output(builder.workspace_rows() / 8) {}
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

constexpr int kMostPositions = 256;  // of an instruction on the chip: the next operator begins with the first of them

/// Everything in the scratchpad: whole image rows, few enough for the next operator to begin early.
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
    const int most = on_chip ? blocks : std::min({room.input / source->plane_rows(tile), room.output / shape.positions(), 65535 / dim});
    const int share = ceil_div(blocks, ceil_div(blocks, std::max(1, most)));
    for (int block = 0; block < blocks; block += share) {
      const Range part{block, std::min(blocks, block + share)};
      const int from = g.chip ? g.chip->row + block * in_plane : inputs.take(in_plane * part.size()).row;
      const int to = output.chip ? output.chip->row + block * out_plane + static_cast<int>(place.first)
                                 : stage.take(out_plane * part.size()).row;
      source->load(builder, tile, part, lines, from);
      const isa::Conv window = source->conv(tile, lines, from);
      for (int i = 0; i < part.size(); ++i) {
        emit(window, from + i * in_plane, to + i * out_plane, output.chip ? static_cast<int>(place.line_step) : shape.width);
      }
      if (!output.chip) {
        const int first = part.begin * dim;
        store_results(builder, out, {shape, place, lines, first, std::min(g.channels, part.end * dim) - first, to, out_plane});
      }
    }
  }
}

/// Most taps that a window of the image misses. Throws std::invalid_argument when one misses all.
int most_missing(const ConvGeometry& g) {
  const auto inside = [](int origin, int taps, int dilation, int size) {
    int count = 0;
    for (int tap = 0; tap < taps; ++tap) {
      const int at = origin + tap * dilation;
      count += at >= 0 && at < size ? 1 : 0;
    }
    return count;
  };
  int rows = g.kernel_h;
  int columns = g.kernel_w;
  for (int y = 0; y < g.out_height; ++y) {
    rows = std::min(rows, inside(y * g.stride_h - g.pad_top, g.kernel_h, g.dilation_h, g.height));
  }
  for (int x = 0; x < g.out_width; ++x) {
    columns = std::min(columns, inside(x * g.stride_w - g.pad_left, g.kernel_w, g.dilation_w, g.width));
  }
  if (rows == 0 || columns == 0) {
    throw std::invalid_argument("pool: a window lies wholly in the padding");
  }
  return g.kernel_h * g.kernel_w - rows * columns;
}

void check_channels(const char* what, const TensorView& input, const TensorView& output) {
  if (input.channels != output.channels) {
    throw std::invalid_argument(fmt::format("{}: {} input channels, {} output channels", what, input.channels, output.channels));
  }
}

}  // namespace

void max_pool(Builder& builder, const TensorView& input, const Sliding& sliding, std::int8_t clamp_min,
              std::int8_t clamp_max, const TensorView& output) {
  check_channels("max_pool", input, output);
  const ConvGeometry g = make_geometry("max_pool", input, sliding, 0, output);
  most_missing(g);
  builder.begin_operator(fmt::format("max_pool {}x{} {}x{}x{}", g.kernel_h, g.kernel_w, g.height, g.width, g.channels), 0);
  pool(builder, g, output, [&](const isa::Conv& window, int src, int dst, int dst_stride) {
    auto op = window_op<isa::Maxpool>(window, src, dst, dst_stride);
    op.clamp_min = clamp_min;
    op.clamp_max = clamp_max;
    builder.append(op);
  });
}

void average_pool(Builder& builder, const TensorView& input, const Sliding& sliding, bool count_padding, int zero_point,
                  std::int8_t clamp_min, std::int8_t clamp_max, const TensorView& output) {
  check_channels("average_pool", input, output);
  const ConvGeometry g = make_geometry("average_pool", input, sliding, zero_point, output);
  const int taps = g.kernel_h * g.kernel_w;
  const int missing = count_padding ? 0 : most_missing(g);
  if (count_padding) {
    most_missing(g);
  }
  const int entries = missing + 1;
  const Configuration& c = builder.configuration();
  if (2 * entries > c.param_rows) {
    throw std::invalid_argument(fmt::format(
        "average_pool: windows that miss up to {} of {} taps need {} reciprocals, the parameter buffer holds {}", missing,
        taps, entries, c.param_rows / 2));
  }
  std::vector<QuantParam> reciprocals;
  for (int i = 0; i < entries; ++i) {
    reciprocals.push_back(average_pool_reciprocal(taps - i));
  }
  builder.begin_operator(fmt::format("average_pool {}x{} {}x{}x{}", g.kernel_h, g.kernel_w, g.height, g.width, g.channels), 0);
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

}  // namespace systole::compiler

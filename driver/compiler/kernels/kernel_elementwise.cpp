// SPDX-License-Identifier: Apache-2.0
// Element-wise operators. Dense tensors in device memory are processed as one long row of bytes: full rows of DIM and a
// tail. Other tensors are processed pixel by pixel and block by block; those in the scratchpad are read and written in
// place. A second operand of one pixel is one row per block, read again for every position.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "activations.hpp"
#include "kernels.hpp"
#include "params.hpp"
#include "results.hpp"
#include "rings.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

std::uint16_t u16(std::int64_t value) { return static_cast<std::uint16_t>(value); }

/// Appends the vector instruction for `rows` rows; `second` is the row of the second operand, if any.
using EmitRows = std::function<void(int first, int second, int dst, int rows)>;

/// A tensor as a matrix: `rows` positions of `columns` channels.
struct Operand {
  MatrixView view;
  std::optional<ChipPlanes> chip = std::nullopt;
};

/// Of equal size, or the second of one position.
struct Operands {
  Operand lhs;
  std::optional<Operand> rhs;
  Operand output;

  bool repeats() const { return rhs && rhs->view.rows != lhs.view.rows; }
  bool any_on_chip() const { return lhs.chip || (rhs && rhs->chip) || output.chip; }
};

constexpr int kMostRows = 1024;  // per instruction: the next operator starts when the first instruction is done

/// An input of the operator, loaded tile by tile.
class Input {
 public:
  Input(const Operand& operand, int tile_rows, int dim, RowRing ring)
      : source_(operand.view.address, operand.view.rows, operand.view.columns, operand.view.pitch(), tile_rows, dim),
        chip_(operand.chip),
        ring_(ring) {}

  /// Row of the first position and block; loads the tile unless it is in the scratchpad.
  int need(Builder& builder, int tile, Range blocks) {
    if (chip_) {
      return chip_->row + blocks.begin * chip_->plane + static_cast<int>(source_.place(tile).first);
    }
    const int lines = source_.shape(tile).lines;
    const Rows rows = ring_.take(lines * blocks.size());
    source_.load(builder, tile, blocks, {0, lines}, rows.row);
    return rows.row;
  }

 private:
  MatrixRows source_;
  std::optional<ChipPlanes> chip_;
  RowRing ring_;
};

void stream(Builder& builder, const Operands& operands, const EmitRows& emit) {
  const Configuration& c = builder.configuration();
  const int base = builder.workspace_begin();
  const int quarter = std::max(1, builder.workspace_rows() / 4);  // both operands double-buffered, in halves of a
                                                                  // quarter, and the result
  RowRing stage(base + 2 * quarter, quarter, false);
  const Operand& out = operands.output;
  const int rows = operands.lhs.view.rows;
  const int blocks = ceil_div(operands.lhs.view.columns, c.dim);
  const bool all_on_chip = operands.lhs.chip && (!operands.rhs || operands.rhs->chip) && out.chip;
  const int most = all_on_chip ? kMostRows : std::min(quarter / 2, kMostRows);
  if (most < 1) {
    throw DoesNotFit(fmt::format("element-wise operator: {} scratchpad rows are not enough for its operands",
                                 builder.workspace_rows()));
  }
  const int tile_rows = ceil_div(rows, ceil_div(rows, most));
  const int share = operands.any_on_chip() ? 1 : std::min(blocks, most / tile_rows);
  const MatrixRows tiles(out.view.address, rows, out.view.columns, out.view.pitch(), tile_rows, c.dim);
  Input lhs(operands.lhs, tile_rows, c.dim, RowRing(base, quarter, false));
  std::optional<Input> rhs;
  if (operands.rhs) {
    rhs.emplace(*operands.rhs, operands.repeats() ? 1 : tile_rows, c.dim, RowRing(base + quarter, quarter, false));
  }
  for (int tile = 0; tile < tiles.tiles(); ++tile) {
    const TileShape shape = tiles.shape(tile);
    for (int block = 0; block < blocks; block += share) {
      const Range part{block, std::min(blocks, block + share)};
      const int first = lhs.need(builder, tile, part);
      const int second = rhs ? rhs->need(builder, operands.repeats() ? 0 : tile, part) : 0;
      const int count = shape.lines * part.size();
      if (out.chip) {
        emit(first, second, out.chip->row + block * out.chip->plane + static_cast<int>(tiles.place(tile).first), count);
        continue;
      }
      const Rows to = stage.take(count);
      const int pieces = operands.repeats() ? part.size() : 1;  // each block has its own row
      for (int i = 0; i < pieces; ++i) {
        emit(first + i * shape.lines, second + i, to.row + i * shape.lines, count / pieces);
      }
      const int from = part.begin * c.dim;
      store_results(builder, {out.view.address, out.view.columns, out.view.pitch(), 1},
                    {shape,
                     tiles.place(tile),
                     {0, shape.lines},
                     from,
                     std::min(out.view.columns, part.end * c.dim) - from,
                     to.row,
                     shape.lines});
    }
  }
}

std::int64_t positions_of(const TensorView& t) { return std::int64_t{t.batch} * t.height * t.width; }

void run(Builder& builder, const TensorView& lhs, const TensorView* rhs, const TensorView& output,
         const EmitRows& emit) {
  const auto dense = [](const TensorView& t) { return !t.chip && t.pitch() == t.channels; };
  const std::int64_t positions = positions_of(lhs);
  const bool repeats = rhs != nullptr && positions_of(*rhs) != positions;
  if (dense(lhs) && dense(output) && (rhs == nullptr || dense(*rhs)) && !repeats) {
    const int dim = builder.dim();
    const std::int64_t bytes = positions * lhs.channels;
    const auto part = [&](std::int64_t from, int rows, int columns) {
      const auto view = [&](const TensorView& t) {
        return Operand{{t.address + static_cast<std::uint32_t>(from), rows, columns, columns}};
      };
      stream(builder, {view(lhs), rhs != nullptr ? std::optional(view(*rhs)) : std::nullopt, view(output)}, emit);
    };
    const std::int64_t full = bytes / dim;
    if (full > 0) {
      part(0, static_cast<int>(full), dim);
    }
    if (bytes % dim != 0) {
      part(full * dim, 1, static_cast<int>(bytes % dim));
    }
    return;
  }
  const auto view = [&](const TensorView& t) {
    return Operand{{t.address, static_cast<int>(positions_of(t)), t.channels, t.pitch()}, t.chip};
  };
  stream(builder, {view(lhs), rhs != nullptr ? std::optional(view(*rhs)) : std::nullopt, view(output)}, emit);
}

void check_same(const char* what, const TensorView& a, const TensorView& b) {
  if (a.batch != b.batch || a.height != b.height || a.width != b.width || a.channels != b.channels) {
    throw InvalidArgument(fmt::format("{}: shapes {}x{}x{}x{} and {}x{}x{}x{} differ", what, a.batch, a.height, a.width,
                                      a.channels, b.batch, b.height, b.width, b.channels));
  }
}

/// The second operand has the shape of the first, or is one pixel of it.
void check_second(const char* what, const TensorView& lhs, const TensorView& rhs) {
  if (positions_of(rhs) != 1 || lhs.channels != rhs.channels) {
    check_same(what, lhs, rhs);
  }
}

std::int8_t zero_point(const char* what, int value) {
  if (value < -128 || value > 127) {
    throw InvalidArgument(fmt::format("{}: zero point {} is not in -128 .. 127", what, value));
  }
  return static_cast<std::int8_t>(value);
}

/// Fields that ADD and MULTIPLY share.
template <class Op, class Params>
Op binary(const char* what, const Params& p) {
  Op op;
  op.rounding = static_cast<std::uint8_t>(p.rounding);
  op.zero1 = zero_point(what, p.lhs_zero_point);
  op.zero2 = zero_point(what, p.rhs_zero_point);
  op.zero_point = zero_point(what, p.output_zero_point);
  if (p.clamp_min > p.clamp_max) {
    throw InvalidArgument(fmt::format("{}: clamp {} .. {} is empty", what, p.clamp_min, p.clamp_max));
  }
  op.clamp_min = p.clamp_min;
  op.clamp_max = p.clamp_max;
  return op;
}

/// `repeats`: every position is a line, and all lines of the second operand are the same.
template <class Op>
EmitRows emit_binary(Builder& builder, Op op, bool repeats) {
  if (repeats) {
    op.src_stride = op.dst_stride = 1;
  }
  return [&builder, op, repeats](int first, int second, int dst, int rows) mutable {
    op.src = u16(first);
    op.src2 = u16(second);
    op.dst = u16(dst);
    (repeats ? op.out_height : op.out_width) = u16(rows);
    builder.append(op);
  };
}

}  // namespace

void add(Builder& builder, const TensorView& lhs, const TensorView& rhs, const AddParams& params,
         const TensorView& output) {
  check_second("add", lhs, rhs);
  check_same("add", lhs, output);
  check_add("add", params);
  auto op = binary<isa::Add>("add", params);
  const auto scalars = scalar_params(builder.dim(), {params.lhs_scale, params.rhs_scale, params.output_scale});
  builder.begin_operator(fmt::format("add {}x{}x{}", lhs.height, lhs.width, lhs.channels), 0);
  op.scalars = u16(place_params(builder, scalars));
  run(builder, lhs, &rhs, output, emit_binary(builder, op, positions_of(rhs) != positions_of(lhs)));
}

void multiply(Builder& builder, const TensorView& lhs, const TensorView& rhs, const MultiplyParams& params,
              const TensorView& output) {
  check_second("multiply", lhs, rhs);
  check_same("multiply", lhs, output);
  auto op = binary<isa::Multiply>("multiply", params);
  const auto scalars = scalar_params(builder.dim(), {params.output_scale});
  builder.begin_operator(fmt::format("multiply {}x{}x{}", lhs.height, lhs.width, lhs.channels), 0);
  op.scalars = u16(place_params(builder, scalars));
  run(builder, lhs, &rhs, output, emit_binary(builder, op, positions_of(rhs) != positions_of(lhs)));
}

void lookup(Builder& builder, const TensorView& input, const std::array<std::int8_t, 256>& table,
            const TensorView& output) {
  check_same("lookup", input, output);
  std::vector<std::uint8_t> bytes(256);
  for (int value = -128; value < 128; ++value) {
    bytes[static_cast<std::size_t>(value + 128)] = static_cast<std::uint8_t>(table[static_cast<std::uint8_t>(value)]);
  }
  builder.begin_operator(fmt::format("lookup {}x{}x{}", input.height, input.width, input.channels), 0);
  isa::Table table_op;
  table_op.params = u16(place_params(builder, std::move(bytes)));
  builder.append(table_op);
  isa::Map map;
  map.table = 1;
  map.clamp_min = -128;
  map.clamp_max = 127;
  run(builder, input, nullptr, output, [&builder, map](int first, int, int dst, int rows) mutable {
    map.src = u16(first);
    map.dst = u16(dst);
    map.out_width = u16(rows);
    builder.append(map);
  });
}

}  // namespace systole::compiler

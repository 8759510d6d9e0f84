// SPDX-License-Identifier: Apache-2.0
// Element-wise operators. Dense tensors are one long row of bytes: full rows of DIM and a tail. Others go pixel by pixel
// and block by block.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>

#include "activations.hpp"
#include "kernels.hpp"
#include "params.hpp"
#include "results.hpp"
#include "rings.hpp"

namespace systole::compiler {
namespace {

std::uint16_t u16(std::int64_t value) { return static_cast<std::uint16_t>(value); }

/// Appends the vector instruction for `rows` rows; `second` is the row of the second operand, if there is one.
using EmitRows = std::function<void(int first, int second, int dst, int rows)>;

/// Operands as matrices of equal size: `rows` positions of `columns` channels.
struct Operands {
  MatrixView lhs;
  std::optional<MatrixView> rhs;
  MatrixView output;
};

void stream(Builder& builder, const Operands& operands, const EmitRows& emit) {
  const Configuration& c = builder.configuration();
  const int quarter = c.scratch_rows / 4;  // both operands twice, in halves of a quarter, and the result
  RowRing lhs(0, quarter, false), rhs(quarter, quarter, false), stage(2 * quarter, quarter, false);
  const int blocks = ceil_div(operands.lhs.columns, c.dim);
  const int most = std::min(quarter / 2, 1024);
  const int tile_rows = std::min(operands.lhs.rows, most);
  const int share = std::min(blocks, most / tile_rows);
  const MatrixView& out = operands.output;
  const auto source = [&](const MatrixView& view) {
    return MatrixRows(view.address, view.rows, view.columns, view.pitch(), tile_rows, c.dim);
  };
  const MatrixRows first = source(operands.lhs);
  const std::optional<MatrixRows> second = operands.rhs ? std::optional(source(*operands.rhs)) : std::nullopt;
  for (int tile = 0; tile < first.tiles(); ++tile) {
    const TileShape shape = first.shape(tile);
    for (int block = 0; block < blocks; block += share) {
      const Range part{block, std::min(blocks, block + share)};
      const int rows = shape.lines * part.size();
      const Rows a = lhs.take(rows);
      const Rows b = rhs.take(rows);
      const Rows to = stage.take(rows);
      first.load(builder, tile, part, {0, shape.lines}, a.row);
      if (second) {
        second->load(builder, tile, part, {0, shape.lines}, b.row);
      }
      emit(a.row, b.row, to.row, rows);
      const int from = part.begin * c.dim;
      store_results(builder, {out.address, out.columns, out.pitch(), 1},
                    {shape, first.place(tile), {0, shape.lines}, from, std::min(out.columns, part.end * c.dim) - from, to.row,
                     shape.lines});
    }
  }
}

void run(Builder& builder, const TensorView& lhs, const TensorView* rhs, const TensorView& output, const EmitRows& emit) {
  const auto dense = [](const TensorView& t) { return t.pitch() == t.channels; };
  const std::int64_t positions = std::int64_t{lhs.batch} * lhs.height * lhs.width;
  if (dense(lhs) && dense(output) && (rhs == nullptr || dense(*rhs))) {
    const int dim = builder.dim();
    const std::int64_t bytes = positions * lhs.channels;
    const auto part = [&](std::int64_t from, int rows, int columns) {
      const auto view = [&](const TensorView& t) {
        return MatrixView{t.address + static_cast<std::uint32_t>(from), rows, columns, columns};
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
    return MatrixView{t.address, static_cast<int>(positions), t.channels, t.pitch()};
  };
  stream(builder, {view(lhs), rhs != nullptr ? std::optional(view(*rhs)) : std::nullopt, view(output)}, emit);
}

void check_same(const char* what, const TensorView& a, const TensorView& b) {
  if (a.batch != b.batch || a.height != b.height || a.width != b.width || a.channels != b.channels) {
    throw std::invalid_argument(fmt::format("{}: shapes {}x{}x{}x{} and {}x{}x{}x{} differ", what, a.batch, a.height, a.width,
                                            a.channels, b.batch, b.height, b.width, b.channels));
  }
}

std::int8_t zero_point(const char* what, int value) {
  if (value < -128 || value > 127) {
    throw std::invalid_argument(fmt::format("{}: zero point {} is not in -128 .. 127", what, value));
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
    throw std::invalid_argument(fmt::format("{}: clamp {} .. {} is empty", what, p.clamp_min, p.clamp_max));
  }
  op.clamp_min = p.clamp_min;
  op.clamp_max = p.clamp_max;
  return op;
}

template <class Op>
EmitRows emit_binary(Builder& builder, Op op) {
  return [&builder, op](int first, int second, int dst, int rows) mutable {
    op.src = u16(first);
    op.src2 = u16(second);
    op.dst = u16(dst);
    op.out_width = u16(rows);
    builder.append(op);
  };
}

}  // namespace

void add(Builder& builder, const TensorView& lhs, const TensorView& rhs, const AddParams& params, const TensorView& output) {
  check_same("add", lhs, rhs);
  check_same("add", lhs, output);
  check_add("add", params);
  const auto op = binary<isa::Add>("add", params);
  const auto scalars = scalar_params(builder.dim(), {params.lhs_scale, params.rhs_scale, params.output_scale});
  builder.begin_operator(fmt::format("add {}x{}x{}", lhs.height, lhs.width, lhs.channels), 0);
  load_params(builder, builder.constant(scalars), 6, 0);
  run(builder, lhs, &rhs, output, emit_binary(builder, op));
}

void multiply(Builder& builder, const TensorView& lhs, const TensorView& rhs, const MultiplyParams& params,
              const TensorView& output) {
  check_same("multiply", lhs, rhs);
  check_same("multiply", lhs, output);
  const auto op = binary<isa::Multiply>("multiply", params);
  const auto scalars = scalar_params(builder.dim(), {params.output_scale});
  builder.begin_operator(fmt::format("multiply {}x{}x{}", lhs.height, lhs.width, lhs.channels), 0);
  load_params(builder, builder.constant(scalars), 2, 0);
  run(builder, lhs, &rhs, output, emit_binary(builder, op));
}

void lookup(Builder& builder, const TensorView& input, const std::array<std::int8_t, 256>& table, const TensorView& output) {
  check_same("lookup", input, output);
  std::vector<std::uint8_t> bytes(256);
  for (int value = -128; value < 128; ++value) {
    bytes[static_cast<std::size_t>(value + 128)] = static_cast<std::uint8_t>(table[static_cast<std::uint8_t>(value)]);
  }
  builder.begin_operator(fmt::format("lookup {}x{}x{}", input.height, input.width, input.channels), 0);
  load_params(builder, builder.constant(std::move(bytes)), 256 / builder.dim(), 0);
  builder.append(isa::Table{});
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

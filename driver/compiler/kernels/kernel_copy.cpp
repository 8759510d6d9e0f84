// SPDX-License-Identifier: Apache-2.0
// Copies tensors unchanged.
#include <fmt/core.h>

#include <algorithm>

#include "activations.hpp"
#include "fields.hpp"
#include "kernels.hpp"
#include "product.hpp"
#include "results.hpp"
#include "rings.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

constexpr int kMostPositions = 1024;  // of an instruction: the next engine starts when the first instruction is done

int positions_of(const TensorView& t) { return t.batch * t.height * t.width; }

/// Loads pixels [first, first + count) from device memory into planes `plane` rows apart, the first at `row`.
void load_pixels(Builder& builder, const TensorView& from, int first, int count, int row, int plane) {
  const int dim = builder.dim();
  isa::Load load;
  load.src = static_cast<std::uint32_t>(from.address + first * from.pitch());
  load.piece_bytes = u16(from.channels);
  load.slot_bytes = u16(ceil_div(from.channels, dim) * dim);
  load.dst = u16(row);
  load.dst_block = u16(plane);
  if (from.pitch() - from.channels < dim) {
    load.run_bytes = static_cast<std::uint32_t>((count - 1) * from.pitch() + from.channels);
    load.pieces = u16(count);
    load.piece_step = u16(from.pitch());
    load.dst_piece = 1;
    load.valid_to = 1;
  } else {
    load.run_bytes = static_cast<std::uint32_t>(from.channels);
    load.piece_step = load.piece_bytes;
    load.count0 = u16(count);
    load.valid_to = load.count0;
    load.src_stride0 = static_cast<std::int32_t>(from.pitch());
    load.dst_stride0 = 1;
  }
  builder.append(load);
}

void store_pixels(Builder& builder, int row, int plane, int first, int count, const TensorView& to) {
  store_results(builder, {to.address, to.channels, to.pitch(), 1},
                {{count, 1}, {first, 1}, {0, count}, 0, to.channels, row, plane});
}

void within_chip(Builder& builder, const TensorView& from, const TensorView& to) {
  isa::Map map;
  map.clamp_min = -128;
  map.clamp_max = 127;
  map.out_width = u16(positions_of(from));
  for (int block = 0; block < ceil_div(from.channels, builder.dim()); ++block) {
    map.src = u16(from.chip->row + block * from.chip->plane);
    map.dst = u16(to.chip->row + block * to.chip->plane);
    builder.append(map);
  }
}

}  // namespace

void copy(Builder& builder, const TensorView& from, const TensorView& to) {
  if (from.batch != to.batch || from.height != to.height || from.width != to.width || from.channels != to.channels) {
    throw InvalidArgument(fmt::format("copy: shapes {}x{}x{}x{} and {}x{}x{}x{} differ", from.batch, from.height,
                                      from.width, from.channels, to.batch, to.height, to.width, to.channels));
  }
  if (from.pitch() > 65535 || from.channels > 65535 - builder.dim()) {
    throw InvalidArgument(
        fmt::format("copy: {} channels, {} bytes a pixel: at most 65535", from.channels, from.pitch()));
  }
  builder.begin_operator(fmt::format("copy {}x{}x{}", from.height, from.width, from.channels), 0);
  if (from.chip && to.chip) {
    within_chip(builder, from, to);
    return;
  }
  const int blocks = ceil_div(from.channels, builder.dim());
  const int positions = positions_of(from);
  const int room = from.chip || to.chip ? positions : builder.workspace_rows() / 2 / blocks;
  if (room < 1) {
    throw DoesNotFit(
        fmt::format("copy: {} channels do not fit {} scratchpad rows", from.channels, builder.workspace_rows()));
  }
  const int most = std::min({room, kMostPositions, static_cast<int>(((1 << 24) - 1) / from.pitch())});
  RowRing ring(builder.workspace_begin(), std::max(1, builder.workspace_rows()), false);
  for (int first = 0; first < positions; first += most) {
    const int count = std::min(most, positions - first);
    if (to.chip) {
      load_pixels(builder, from, first, count, to.chip->row + first, to.chip->plane);
    } else if (from.chip) {
      store_pixels(builder, from.chip->row + first, from.chip->plane, first, count, to);
    } else {
      const Rows rows = ring.take(count * blocks);
      load_pixels(builder, from, first, count, rows.row, count);
      store_pixels(builder, rows.row, count, first, count, to);
    }
  }
}

}  // namespace systole::compiler

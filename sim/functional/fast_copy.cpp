// SPDX-License-Identifier: Apache-2.0
// LOAD and STORE by segments instead of bytes. A segment is the part of a piece that is contiguous in the on-chip
// memory: the whole piece if its blocks are contiguous, otherwise DIM bytes.
#include <algorithm>
#include <cstring>

#include "model_operations.hpp"

namespace systole::model {
namespace {

/// Row of the last block of the last piece of the last run, without address wrapping.
struct RowWalk {
  std::int64_t base, stride1, stride0, piece, block;
  std::int64_t row(int i1, int i0, int p) const { return base + i1 * stride1 + i0 * stride0 + p * piece; }
  std::int64_t last(int count1, int count0, int pieces, int blocks) const {
    return row(count1 - 1, count0 - 1, pieces - 1) + (blocks - 1) * block;
  }
};

/// Calls segment(flat byte address, first byte of the piece, length) for the segments of a piece that begins in byte
/// `lane` of `row`.
template <typename Segment>
void for_each_segment(std::int64_t row, std::int64_t block, int lane, int bytes, int dim, Segment segment) {
  if (block == 1 || lane + bytes <= dim) {
    segment(row * dim + lane, 0, bytes);
    return;
  }
  for (int b = 0; b < bytes; ++row) {
    const int length = std::min(dim - lane, bytes - b);
    segment(row * dim + lane, b, length);
    row += block - 1;
    b += length;
    lane = 0;
  }
}

/// The bytes of one piece: valid bytes of the run, surrounded by fill.
class Piece {
 public:
  Piece(const std::int8_t* run, std::int64_t start, std::int64_t run_bytes, int piece_bytes, std::int8_t fill)
      : run_(run),
        start_(start),
        from_(run ? std::max<std::int64_t>(0, -start) : 0),
        to_(run ? std::min<std::int64_t>(piece_bytes, run_bytes - start) : 0),
        fill_(fill) {}

  void copy(std::int8_t* to, std::int64_t first, std::int64_t length) const {
    const std::int64_t low = std::clamp(from_, first, first + length);
    const std::int64_t high = std::clamp(to_, low, first + length);
    std::memset(to, fill_, static_cast<std::size_t>(low - first));
    if (high > low) {
      std::memcpy(to + (low - first), run_ + start_ + low, static_cast<std::size_t>(high - low));
    }
    std::memset(to + (high - first), fill_, static_cast<std::size_t>(first + length - high));
  }

 private:
  const std::int8_t* run_;
  std::int64_t start_, from_, to_;
  std::int8_t fill_;
};

int rows_of(const Configuration& c, isa::Space space) {
  switch (space) {
    case isa::Space::kScratch: return c.scratch_end();
    case isa::Space::kWeight: return c.weight_rows;
    case isa::Space::kParam: return c.param_rows;
    case isa::Space::kKernel: break;
  }
  return kernel::memory_rows(c.dim);
}

}  // namespace

bool fast_load(State& state, const isa::Load& op) {
  if (op.turn != 0) {
    return false;
  }
  const int dim = state.dim();
  const auto space = static_cast<isa::Space>(op.space);
  const std::int64_t rows = rows_of(state.configuration(), space);
  const RowWalk walk{op.dst, op.dst_stride1, op.dst_stride0, op.dst_piece, op.dst_block};
  const int blocks = (op.lane + op.slot_bytes - 1) / dim + 1;
  const std::int64_t last = walk.last(op.count1, op.count0, op.pieces, blocks);
  const bool ring = space == isa::Space::kWeight;
  if (last >= (ring ? 65536 : rows)) {
    return false;
  }
  const auto offset = [&](std::int64_t i1, std::int64_t i0) {
    return static_cast<std::uint32_t>(op.src + i1 * op.src_stride1 + i0 * op.src_stride0);
  };
  for (int i1 = 0; i1 < op.count1; ++i1) {
    for (int i0 = op.valid_from; i0 < op.valid_to; ++i0) {
      if (!allows(state.windows()[op.window], isa::kPermissionRead, offset(i1, i0), op.run_bytes)) {
        return false;
      }
    }
  }
  std::int8_t* const memory = state.row(space, 0);
  const std::int64_t memory_bytes = rows * dim;
  for (int i1 = 0; i1 < op.count1; ++i1) {
    for (int i0 = 0; i0 < op.count0; ++i0) {
      const bool inside = op.valid_from <= i0 && i0 < op.valid_to;
      const std::int8_t* run = inside ? state.read_memory(op.window, offset(i1, i0), op.run_bytes) : nullptr;
      for (int p = 0; p < op.pieces; ++p) {
        const Piece piece(run, op.piece_start + std::int64_t{p} * op.piece_step, op.run_bytes, op.piece_bytes, op.fill);
        for_each_segment(walk.row(i1, i0, p), op.dst_block, op.lane, op.slot_bytes, dim,
                         [&](std::int64_t flat, int first, int length) {
                           while (length > 0) {  // repeats only if the weight ring wraps
                             const std::int64_t at = flat % memory_bytes;
                             const int part = static_cast<int>(std::min<std::int64_t>(length, memory_bytes - at));
                             piece.copy(memory + at, first, part);
                             flat += part;
                             first += part;
                             length -= part;
                           }
                         });
      }
    }
  }
  return true;
}

bool fast_store(State& state, const isa::Store& op) {
  const int dim = state.dim();
  const RowWalk walk{op.src, op.src_stride1, op.src_stride0, op.src_piece, op.src_block};
  const std::size_t run_bytes = std::size_t{op.pieces} * op.piece_bytes;
  if (walk.last(op.count1, op.count0, op.pieces, (op.piece_bytes - 1) / dim + 1) >=
      state.configuration().scratch_end()) {
    return false;
  }
  const auto offset = [&](std::int64_t i1, std::int64_t i0) {
    return static_cast<std::uint32_t>(op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0);
  };
  for (int i1 = 0; i1 < op.count1; ++i1) {
    for (int i0 = 0; i0 < op.count0; ++i0) {
      if (!allows(state.windows()[op.window], isa::kPermissionWrite, offset(i1, i0), run_bytes)) {
        return false;
      }
    }
  }
  const std::int8_t* const scratch = state.scratch(0);
  std::vector<std::int8_t> run(run_bytes);
  for (int i1 = 0; i1 < op.count1; ++i1) {
    for (int i0 = 0; i0 < op.count0; ++i0) {
      std::int8_t* to = run.data();
      for (int p = 0; p < op.pieces; ++p, to += op.piece_bytes) {
        for_each_segment(walk.row(i1, i0, p), op.src_block, 0, op.piece_bytes, dim,
                         [&](std::int64_t flat, int first, int length) {
                           std::memcpy(to + first, scratch + flat, static_cast<std::size_t>(length));
                         });
      }
      state.write_memory(op.window, offset(i1, i0), run.data(), run_bytes);
    }
  }
  return true;
}

}  // namespace systole::model

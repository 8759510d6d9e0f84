// SPDX-License-Identifier: Apache-2.0
// LOAD as its reference page defines it, byte by byte, over device memory whose contents are memory_byte().
#pragma once

#include <vector>

#include "dma_bench.hpp"

namespace systole::test {

/// The on-chip memories that LOAD writes.
struct LoadMemories {
  static constexpr unsigned kKernelBytes = 8192;
  unsigned dim;
  std::array<std::vector<std::uint8_t>, 4> space;  // indexed by isa::Space

  LoadMemories(unsigned dim_, unsigned scratch, unsigned weights, unsigned params) : dim(dim_) {
    space[0].resize(scratch * dim);
    space[1].resize(weights * dim);
    space[2].resize(params * dim);
    space[3].resize(kKernelBytes);
  }
  unsigned rows(unsigned which) const { return static_cast<unsigned>(space[which].size() / dim); }
};

inline std::uint32_t run_offset(const isa::Load& c, unsigned i1, unsigned i0) {
  return c.src + i1 * static_cast<std::uint32_t>(c.src_stride1) + i0 * static_cast<std::uint32_t>(c.src_stride0);
}

/// Beats that the command reads.
inline std::uint64_t beats_of(const isa::Load& c, const Windows& windows, unsigned dim) {
  std::uint64_t beats = 0;
  for (unsigned i1 = 0; i1 < c.count1; ++i1) {
    for (unsigned i0 = c.valid_from; i0 < c.valid_to; ++i0) {
      beats += ((windows.base[c.window] + run_offset(c, i1, i0)) % dim + c.run_bytes + dim - 1) / dim;
    }
  }
  return beats;
}

/// Runs the command; writes stop at a fault. `write` is called as write(space, row, byte, value).
template <typename Write>
Fault run_load(const isa::Load& c, const Windows& windows, const LoadMemories& memories, Write write) {
  const int dim = static_cast<int>(memories.dim);
  const unsigned element = c.turn == static_cast<unsigned>(isa::Turn::kWords) ? 4 : 1;
  for (unsigned i1 = 0; i1 < c.count1; ++i1) {
    std::vector<unsigned> rows;  // of an inner loop that is turned, and what was read for them
    std::vector<std::uint8_t> bytes;
    for (unsigned i0 = 0; i0 < c.count0; ++i0) {
      const std::uint32_t run = run_offset(c, i1, i0), address = windows.base[c.window] + run;
      const bool inside = c.valid_from <= i0 && i0 < c.valid_to;
      if (inside && !windows.allows(c.window, run, c.run_bytes, isa::kPermissionRead))
        return {isa::ErrorCode::kWindow, run};
      for (unsigned p = 0; p < c.pieces; ++p) {
        const std::int64_t start = c.piece_start + std::int64_t{p} * c.piece_step;
        for (int b = 0; b < c.slot_bytes; ++b) {
          const int pos = c.lane + b;
          unsigned row = (c.dst + i1 * c.dst_stride1 + i0 * c.dst_stride0 + p * c.dst_piece +
                          static_cast<unsigned>(pos / dim) * c.dst_block) &
                         0xFFFF;
          if (c.space == static_cast<unsigned>(isa::Space::kWeight)) row %= memories.rows(1);
          if (row >= memories.rows(c.space)) {
            constexpr isa::ErrorCode kBeyond[] = {isa::ErrorCode::kScratchRange, isa::ErrorCode::kWeightRange,
                                                  isa::ErrorCode::kParamRange, isa::ErrorCode::kKernelRange};
            return {kBeyond[c.space], row};
          }
          const bool real = inside && b < c.piece_bytes && start + b >= 0 && start + b < c.run_bytes;
          const std::uint8_t value =
              real ? memory_byte(address + static_cast<std::uint32_t>(start + b)) : static_cast<std::uint8_t>(c.fill);
          if (c.turn == 0) {
            write(c.space, row, static_cast<unsigned>(pos % dim), value);
          } else {
            rows.resize(i0 + 1, row);
            bytes.push_back(value);
          }
        }
      }
    }
    for (unsigned i = 0; i < rows.size(); ++i) {
      for (unsigned k = 0; k < rows.size(); ++k) {
        for (unsigned b = 0; b < element; ++b) {
          write(c.space, rows[i], k * element + b, bytes[(k * rows.size() + i) * element + b]);
        }
      }
    }
  }
  return {};
}

}  // namespace systole::test

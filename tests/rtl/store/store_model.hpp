// SPDX-License-Identifier: Apache-2.0
// STORE as its reference page defines it, byte by byte.
#pragma once

#include <vector>

#include "../load/dma_bench.hpp"

namespace systole::test {

inline std::uint32_t run_offset(const isa::Store& c, unsigned i1, unsigned i0) {
  return c.dst + i1 * static_cast<std::uint32_t>(c.dst_stride1) + i0 * static_cast<std::uint32_t>(c.dst_stride0);
}

inline std::uint32_t run_bytes(const isa::Store& c) { return std::uint32_t{c.pieces} * c.piece_bytes; }

/// Beats that the command writes.
inline std::uint64_t beats_of(const isa::Store& c, const Windows& windows, unsigned dim) {
  std::uint64_t beats = 0;
  for (unsigned i1 = 0; i1 < c.count1; ++i1) {
    for (unsigned i0 = 0; i0 < c.count0; ++i0) {
      beats += ((windows.base[c.window] + run_offset(c, i1, i0)) % dim + std::uint64_t{run_bytes(c)} + dim - 1) / dim;
    }
  }
  return beats;
}

/// Walks the bytes of a command as write(address, row, byte) until the first row out of range; returns the fault.
template <typename Write>
Fault run_store(const isa::Store& c, const Windows& windows, unsigned dim, unsigned rows, Write write) {
  for (unsigned i1 = 0; i1 < c.count1; ++i1) {
    for (unsigned i0 = 0; i0 < c.count0; ++i0) {
      const std::uint32_t run = run_offset(c, i1, i0);
      if (!windows.allows(c.window, run, run_bytes(c), isa::kPermissionWrite)) return {isa::ErrorCode::kWindow, run};
      std::uint32_t address = windows.base[c.window] + run;
      for (unsigned p = 0; p < c.pieces; ++p) {
        for (unsigned b = 0; b < c.piece_bytes; ++b, ++address) {
          const unsigned row =
              (c.src + i1 * c.src_stride1 + i0 * c.src_stride0 + p * c.src_piece + b / dim * c.src_block) & 0xFFFF;
          if (row >= rows) return {isa::ErrorCode::kScratchRange, row};
          write(address, row, b % dim);
        }
      }
    }
  }
  return {};
}

}  // namespace systole::test

// SPDX-License-Identifier: Apache-2.0
// LOADs that turn their rows.
#pragma once

#include <cstdint>

#include "fields.hpp"
#include "systole/generated/isa.hpp"

namespace systole::compiler {

constexpr int kTurnedWord = 4;  ///< bytes

/// Of rows of DIM bytes, which become columns of DIM rows that follow each other. `there` of them are read, the others
/// are zeros.
inline isa::Load turned_bytes(int dim, int there) {
  isa::Load load;
  load.turn = static_cast<std::uint8_t>(isa::Turn::kBytes);
  load.run_bytes = static_cast<std::uint32_t>(dim);
  load.piece_step = load.piece_bytes = load.slot_bytes = load.count0 = u16(dim);
  load.valid_to = u16(there);
  load.dst_stride0 = 1;
  return load;
}

/// The same of words; there are DIM/4 rows.
inline isa::Load turned_words(int dim, int there) {
  isa::Load load = turned_bytes(dim, there);
  load.turn = static_cast<std::uint8_t>(isa::Turn::kWords);
  load.count0 = u16(dim / kTurnedWord);
  return load;
}

}  // namespace systole::compiler

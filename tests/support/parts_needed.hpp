// SPDX-License-Identifier: Apache-2.0
// Instructions that need a part of the core, for tests of cores that lack it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "systole/generated/isa.hpp"
#include "systole/generated/parts.hpp"
#include "systole/isa_check.hpp"

namespace systole::test {

/// Every part but the cause counters with each way to need it, legal on a `dim` x `dim` array that has all parts.
inline std::vector<std::pair<Part, isa::Instruction>> instructions_of_parts(int dim) {
  isa::Load turned, kernel;
  turned.run_bytes = turned.piece_bytes = turned.slot_bytes = turned.count0 = static_cast<std::uint16_t>(dim);
  turned.pieces = turned.count1 = 1;
  kernel = turned;
  turned.turn = static_cast<std::uint8_t>(isa::Turn::kBytes);
  kernel.space = static_cast<std::uint8_t>(isa::Space::kKernel);
  isa::Conv conv;
  conv.block_float = 1;
  isa::Table table;
  table.words = 1;
  return {
      {Part::kVectorProcessor, isa::Vector{}.encode()}, {Part::kVectorProcessor, kernel.encode()},
      {Part::kVectorProcessor, table.encode()},         {Part::kBlockFloat, conv.encode()},
      {Part::kDepthwise, isa::Depthwise{}.encode()},    {Part::kTurningLoads, turned.encode()},
  };
}

}  // namespace systole::test

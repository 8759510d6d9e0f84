// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "footprint.hpp"
#include "timing.hpp"

namespace systole::compiler {
namespace {

constexpr int kBurstBeats = 32;   // longest burst of LOAD
constexpr int kParamCycles = 10;  // DRAIN reads nine parameter rows first
constexpr int kVectorPipeline = 8;
constexpr int kMultiplyCycles = 4;  // residual, add, multiply: one multiplier a lane, used in turn

std::int64_t beats_of(std::int64_t address, std::int64_t bytes, int dim) {
  return (address % dim + bytes + dim - 1) / dim;
}

Work load_work(const isa::Load& op, const Configuration& configuration) {
  Work work;
  work.engine = isa::Engine::kLoad;
  for (int outer = 0; outer < op.count1; ++outer) {
    for (int inner = op.valid_from; inner < op.valid_to; ++inner) {
      const std::uint32_t run = op.src + static_cast<std::uint32_t>(outer) * static_cast<std::uint32_t>(op.src_stride1) +
                                static_cast<std::uint32_t>(inner) * static_cast<std::uint32_t>(op.src_stride0);
      const std::int64_t beats = beats_of(run, op.run_bytes, configuration.dim);
      work.beats += beats;
      work.bursts += (beats + kBurstBeats - 1) / kBurstBeats;
    }
  }
  const int blocks = (op.lane + op.slot_bytes - 1) / configuration.dim + 1;
  work.cycles = std::int64_t{op.count0} * op.count1 * op.pieces * blocks;
  return work;
}

Work store_work(const isa::Store& op, const Configuration& configuration) {
  Work work;
  work.engine = isa::Engine::kStore;
  const std::int64_t bytes = std::int64_t{op.pieces} * op.piece_bytes;
  for (int outer = 0; outer < op.count1; ++outer) {
    for (int inner = 0; inner < op.count0; ++inner) {
      const std::uint32_t run = op.dst + static_cast<std::uint32_t>(outer) * static_cast<std::uint32_t>(op.dst_stride1) +
                                static_cast<std::uint32_t>(inner) * static_cast<std::uint32_t>(op.dst_stride0);
      work.beats += beats_of(run, bytes, configuration.dim);
    }
  }
  const int blocks = (op.piece_bytes - 1) / configuration.dim + 1;
  work.cycles = std::int64_t{op.count0} * op.count1 * op.pieces * blocks;
  return work;
}

template <class Op>
std::int64_t positions(const Op& op) {
  return std::int64_t{op.out_height} * op.out_width;
}

std::int64_t vector_cycles(const isa::Instruction& instruction, const Configuration& configuration) {
  switch (static_cast<isa::Opcode>(instruction.words[0] & 0xFF)) {
    case isa::Opcode::kDrain: {
      const auto op = isa::Drain::decode(instruction);
      return kParamCycles + positions(op) * (op.residual != 0 ? kMultiplyCycles : 1);
    }
    case isa::Opcode::kDrain32:
      return positions(isa::Drain32::decode(instruction)) * 4;
    case isa::Opcode::kPreload:
      return positions(isa::Preload::decode(instruction)) * 4;
    case isa::Opcode::kMaxpool: {
      const auto op = isa::Maxpool::decode(instruction);
      return positions(op) * op.kernel_h * op.kernel_w;
    }
    case isa::Opcode::kAvgpool: {
      const auto op = isa::Avgpool::decode(instruction);
      return positions(op) * (op.kernel_h * op.kernel_w + kMultiplyCycles);
    }
    case isa::Opcode::kAdd:
      return kParamCycles + positions(isa::Add::decode(instruction)) * kMultiplyCycles;
    case isa::Opcode::kMultiply:
      return kParamCycles + positions(isa::Multiply::decode(instruction)) * kMultiplyCycles;
    case isa::Opcode::kTable:
      return 256 / configuration.dim;
    case isa::Opcode::kMap:
      return positions(isa::Map::decode(instruction));
    default:
      return 0;
  }
}

int half_of(int row, const Configuration& configuration) { return row < configuration.acc_rows / 2 ? 0 : 1; }

int vector_half(const isa::Instruction& instruction, const Configuration& configuration) {
  switch (static_cast<isa::Opcode>(instruction.words[0] & 0xFF)) {
    case isa::Opcode::kDrain:
      return half_of(isa::Drain::decode(instruction).src, configuration);
    case isa::Opcode::kDrain32:
      return half_of(isa::Drain32::decode(instruction).src, configuration);
    case isa::Opcode::kPreload:
      return half_of(isa::Preload::decode(instruction).dst, configuration);
    default:
      return -1;
  }
}

}  // namespace

Work work_of(const isa::Instruction& instruction, const Configuration& configuration) {
  Work work;
  work.engine = engine_of(instruction);
  switch (work.engine) {
    case isa::Engine::kLoad:
      if (static_cast<isa::Opcode>(instruction.words[0] & 0xFF) == isa::Opcode::kLoad) {
        return load_work(isa::Load::decode(instruction), configuration);
      }
      break;
    case isa::Engine::kStore:
      if (static_cast<isa::Opcode>(instruction.words[0] & 0xFF) == isa::Opcode::kStore) {
        return store_work(isa::Store::decode(instruction), configuration);
      }
      break;
    case isa::Engine::kMxu:
      if (static_cast<isa::Opcode>(instruction.words[0] & 0xFF) == isa::Opcode::kConv) {
        const auto op = isa::Conv::decode(instruction);
        const std::int64_t tiles = std::int64_t{op.blocks} * op.kernel_h * op.kernel_w;
        const std::int64_t tile = std::max<std::int64_t>(positions(op), configuration.dim);
        work.cycles = tiles * tile;
        work.fresh = op.accumulate != 0 ? 0 : tile;
        work.half = half_of(op.acc_row, configuration);
      }
      break;
    default:
      work.cycles = vector_cycles(instruction, configuration);
      work.half = vector_half(instruction, configuration);
      if (work.cycles > 0) {
        work.cycles += kVectorPipeline;
      }
      break;
  }
  return work;
}

}  // namespace systole::compiler

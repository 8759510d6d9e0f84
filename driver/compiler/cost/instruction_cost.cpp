// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "row_footprint.hpp"
#include "systole/kernel_sequencer.hpp"
#include "timing.hpp"

namespace systole::compiler {
namespace {

constexpr int kBurstBeats = 32;   // longest burst of LOAD
constexpr int kParamCycles = 10;  // DRAIN reads nine parameter rows first
constexpr int kVectorPipeline = 8;
constexpr int kVectorEarly = 2;        // of these cycles overlap with the next command
constexpr int kDepthwisePipeline = 3;  // from position to sum, in addition to the length of the array
constexpr int kShortestLine = 3;       // minimum cycles of a line of the depthwise unit
constexpr int kReciprocalCycles = 3;   // of an AVGPOOL, to read the reciprocal
constexpr int kMultiplyCycles = 4;     // residual, add, multiply: one multiplier per lane, time-shared

constexpr int kWordCycles = 2;  // of a micro-instruction in the sequencer

std::int64_t beats_of(std::int64_t address, std::int64_t bytes, int dim) {
  return (address % dim + bytes + dim - 1) / dim;
}

Work load_work(const isa::Load& op, const Configuration& configuration) {
  Work work;
  work.engine = isa::Engine::kLoad;
  for (int outer = 0; outer < op.count1; ++outer) {
    for (int inner = op.valid_from; inner < op.valid_to; ++inner) {
      const std::uint32_t run = op.src +
                                static_cast<std::uint32_t>(outer) * static_cast<std::uint32_t>(op.src_stride1) +
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
      const std::uint32_t run = op.dst +
                                static_cast<std::uint32_t>(outer) * static_cast<std::uint32_t>(op.dst_stride1) +
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

/// How often an average reads a reciprocal: for the first window, and whenever the number of elements inside changes.
std::int64_t reciprocals_read(const isa::Avgpool& op) {
  const auto inside = [](int origin, int taps, int dilation, int size) {
    int count = 0;
    for (int tap = 0; tap < taps; ++tap) {
      count += origin + tap * dilation >= 0 && origin + tap * dilation < size ? 1 : 0;
    }
    return count;
  };
  std::vector<int> columns;
  for (int x = 0; x < op.out_width; ++x) {
    columns.push_back(inside(op.x0 + x * op.stride_w, op.kernel_w, op.dilation_w, op.in_width));
  }
  std::int64_t reads = 1;
  int before = -1;
  for (int y = 0; y < op.out_height && op.count_padding == 0; ++y) {
    const int rows = inside(op.y0 + y * op.stride_h, op.kernel_h, op.dilation_h, op.in_height);
    for (const int column : columns) {
      reads += before >= 0 && rows * column != before ? 1 : 0;
      before = rows * column;
    }
  }
  return reads;
}

/// A strip passes the lanes in a cycle for each of its rows, were it complete; once for each plane of a memory operand,
/// and once for each level of a sum or maximum over the lanes. The sequencer works beside the lanes.
std::int64_t kernel_cycles(const isa::Vector& op, const Configuration& configuration,
                           const std::vector<kernel::Word>* kernels) {
  if (kernels == nullptr) {
    return kernel::kStripRows;
  }
  int levels = 0;
  while (1 << levels < configuration.dim) {
    ++levels;
  }
  std::int64_t lanes = 0;
  kernel::Sequencer sequencer(*kernels, op.entry, kernel::arguments_of(op));
  while (const kernel::VectorStep* step = sequencer.next()) {
    const int passes = step->info->group == kernel::Group::kLanes ? levels : 1;
    lanes += step->rows > 0 ? kernel::kStripRows * std::max(passes, step->memory.planes()) : 0;
  }
  return std::max<std::int64_t>(lanes, std::int64_t{kWordCycles} * sequencer.executed());
}

std::int64_t vector_cycles(const isa::Instruction& instruction, const Configuration& configuration,
                           const std::vector<kernel::Word>* kernels) {
  switch (static_cast<isa::Opcode>(instruction.words[0] & 0xFF)) {
    case isa::Opcode::kDrain: {
      const auto op = isa::Drain::decode(instruction);
      return kParamCycles + positions(op) * (op.residual != 0 ? kMultiplyCycles : 1);
    }
    case isa::Opcode::kDrain32: return positions(isa::Drain32::decode(instruction)) * 4;
    case isa::Opcode::kPreload: return positions(isa::Preload::decode(instruction)) * 4;
    case isa::Opcode::kMaxpool: {
      const auto op = isa::Maxpool::decode(instruction);
      return positions(op) * op.kernel_h * op.kernel_w;
    }
    case isa::Opcode::kAvgpool: {
      const auto op = isa::Avgpool::decode(instruction);
      return positions(op) * op.kernel_h * op.kernel_w + kReciprocalCycles * reciprocals_read(op);
    }
    case isa::Opcode::kAdd: return kParamCycles + positions(isa::Add::decode(instruction)) * kMultiplyCycles;
    case isa::Opcode::kMultiply: return kParamCycles + positions(isa::Multiply::decode(instruction)) * kMultiplyCycles;
    case isa::Opcode::kTable: return (isa::Table::decode(instruction).words != 0 ? 1024 : 256) / configuration.dim;
    case isa::Opcode::kMap: return positions(isa::Map::decode(instruction));
    case isa::Opcode::kVector: return kernel_cycles(isa::Vector::decode(instruction), configuration, kernels);
    case isa::Opcode::kEnd:
    case isa::Opcode::kJump:
    case isa::Opcode::kLoad:
    case isa::Opcode::kConv:
    case isa::Opcode::kDepthwise:
    case isa::Opcode::kStore:
    case isa::Opcode::kSyncLoad:
    case isa::Opcode::kSyncMxu:
    case isa::Opcode::kSyncVpu:
    case isa::Opcode::kSyncStore: break;
  }
  return 0;
}

/// Positions of the depthwise unit's raster for a block (rtl/depthwise/tpu_depthwise_setup.sv): whole lines up to the
/// last output's line, then up to its last tap. Taps before the input are skipped.
std::int64_t raster_positions(const isa::Depthwise& op) {
  const std::int64_t skipped_h = std::clamp<int>(-op.y0, 0, op.kernel_h - 1);
  const std::int64_t skipped_w = std::clamp<int>(-op.x0, 0, op.kernel_w - 1);
  const std::int64_t outputs = std::int64_t{op.out_width - 1} * op.stride_w + 1;
  const std::int64_t edge = std::clamp<std::int64_t>(op.x0 + outputs - 1 + op.kernel_w, 0, op.in_width);
  const std::int64_t line =
      std::max<std::int64_t>({kShortestLine, outputs, edge == 0 ? 0 : edge - (op.x0 + skipped_w)});
  const std::int64_t lines = std::int64_t{op.out_height - 1} * op.stride_h + op.kernel_h - 1 - skipped_h;
  return lines * line + outputs + op.kernel_w - 1 - skipped_w;
}

/// These instructions read parameters first, while the previous instruction still runs.
bool reads_parameters(const isa::Instruction& instruction) {
  const auto opcode = static_cast<isa::Opcode>(instruction.words[0] & 0xFF);
  return opcode == isa::Opcode::kDrain || opcode == isa::Opcode::kAdd || opcode == isa::Opcode::kMultiply;
}

int half_of(int row, const Configuration& configuration) { return row < configuration.acc_rows / 2 ? 0 : 1; }

Work conv_work(const isa::Conv& op, const Configuration& configuration) {
  Work work;
  work.engine = isa::Engine::kMxu;
  const std::int64_t tiles = std::int64_t{op.blocks} * op.kernel_h * op.kernel_w;
  const std::int64_t tile = std::max<std::int64_t>(positions(op), configuration.dim);
  work.cycles = tiles * tile;
  work.vectors = tiles * positions(op);
  work.fresh = op.accumulate != 0 ? 0 : tile;
  work.lag = 2 * configuration.dim;
  work.half = half_of(op.acc_row, configuration);
  return work;
}

Work depthwise_work(const isa::Depthwise& op, const Configuration& configuration) {
  Work work;
  work.engine = isa::Engine::kMxu;
  const std::int64_t taps = std::int64_t{op.kernel_h} * op.kernel_w;
  work.cycles = op.blocks * std::max(raster_positions(op), taps + 1);
  work.vectors = op.blocks * raster_positions(op);
  work.fresh = op.accumulate != 0 ? 0 : work.cycles;
  work.lag = kDepthwisePipeline;
  work.half = half_of(op.acc_row, configuration);
  return work;
}

int vector_half(const isa::Instruction& instruction, const Configuration& configuration) {
  switch (static_cast<isa::Opcode>(instruction.words[0] & 0xFF)) {
    case isa::Opcode::kDrain: return half_of(isa::Drain::decode(instruction).src, configuration);
    case isa::Opcode::kDrain32: return half_of(isa::Drain32::decode(instruction).src, configuration);
    case isa::Opcode::kPreload: return half_of(isa::Preload::decode(instruction).dst, configuration);
    default: return -1;
  }
}

}  // namespace

Work work_of(const isa::Instruction& instruction, const Configuration& configuration,
             const std::vector<kernel::Word>* kernels) {
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
      switch (static_cast<isa::Opcode>(instruction.words[0] & 0xFF)) {
        case isa::Opcode::kConv: return conv_work(isa::Conv::decode(instruction), configuration);
        case isa::Opcode::kDepthwise: return depthwise_work(isa::Depthwise::decode(instruction), configuration);
        default: break;
      }
      break;
    default:
      work.cycles = vector_cycles(instruction, configuration, kernels);
      work.half = vector_half(instruction, configuration);
      if (work.cycles > 0) {
        work.cycles += kVectorPipeline;
        work.early = reads_parameters(instruction) ? kParamCycles : kVectorEarly;
      }
      break;
  }
  return work;
}

}  // namespace systole::compiler

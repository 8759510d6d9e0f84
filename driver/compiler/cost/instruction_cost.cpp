// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernel_timing.hpp"
#include "row_footprint.hpp"
#include "systole/conv_tiles.hpp"
#include "timing.hpp"

namespace systole::compiler {
namespace {

constexpr int kBurstBeats = 32;        // longest burst of LOAD
constexpr int kMatrixSetup = 6;        // from a command of the matrix unit to its first position
constexpr int kBlockSumCycles = 8;     // between two uses of an accumulator row in block floating point
constexpr int kBlockSumTail = 6;       // more, until its last sum is written
constexpr int kDepthwisePipeline = 3;  // from position to sum, in addition to the length of the array
constexpr int kShortestLine = 3;       // minimum cycles of a line of the depthwise unit

// The vector unit (rtl/vector). Set-up, until the first read if the commands before have ended.
constexpr int kPlainSetup = 2;
constexpr int kPoolSetup = 4;
constexpr int kTableSetup = 1;
constexpr int kBlockCycles = 9;       // more, to read the parameters of a channel block
constexpr int kScalarCycles = 2;      // more for each scalar parameter
constexpr int kReciprocalCycles = 3;  // of an AVGPOOL, whenever it reads another reciprocal
constexpr int kFactors = 2;           // reads of a row of MULTIPLY
constexpr int kPlanes = 4;            // reads or writes of an accumulator row in the scratchpad
constexpr int kSumCycles = 4;         // of a row with several requantizations: one multiplier per lane, time-shared
// From the last cycle of reading to the commit.
constexpr int kRequantizedTail = 11;
constexpr int kFactorsTail = 18;
constexpr int kCopiedTail = 6;
constexpr int kPreloadTail = 4;
constexpr int kAddTail = 16;
constexpr int kResidualTail = 22;
constexpr int kTableTail = 1;
// The next command is taken in the cycle of the last read, which is before the last of a sum's cycles. Its set-up
// begins in the cycle after.
constexpr int kAheadOfSum = 2;
constexpr int kTableLoad = 4;  // bytes of a table that are loaded in a cycle

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
  if (op.turn != 0) {
    work.cycles += op.count0;  // the last rows leave the array
  }
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

/// Reads of the positions of an image in the scratchpad, each once.
void read_image(Work& work, const Configuration& configuration, int row, int height, int width, int stride) {
  const std::int64_t rows = std::int64_t{height - 1} * stride + width;
  work.ports.scratch_reads(configuration, row, rows, std::int64_t{height} * width);
}

/// What a window reads in one direction: of all taps of all outputs, those inside the input.
struct Inside {
  std::int64_t first, last, taps;
};

Inside inside(int origin, int outputs, int stride, int kernel, int dilation, int size) {
  Inside result{size, -1, 0};
  for (int output = 0; output < outputs; ++output) {
    for (int tap = 0; tap < kernel; ++tap) {
      const std::int64_t at = origin + std::int64_t{output} * stride + std::int64_t{tap} * dilation;
      if (at >= 0 && at < size) {
        result = {std::min(result.first, at), std::max(result.last, at), result.taps + 1};
      }
    }
  }
  return result;
}

/// Reads of planes by a window; by the depthwise unit of each position once.
template <class Op>
void read_windows(Work& work, const Configuration& configuration, const Op& op, int dilation_h, int dilation_w,
                  int plane, int row_stride, int planes = 1, int plane_stride = 0) {
  const Inside y = inside(op.y0, op.out_height, op.stride_h, op.kernel_h, dilation_h, op.in_height);
  const Inside x = inside(op.x0, op.out_width, op.stride_w, op.kernel_w, dilation_w, op.in_width);
  if (y.taps == 0 || x.taps == 0) {
    return;
  }
  const std::int64_t first = plane + y.first * row_stride + x.first;
  const std::int64_t rows = (y.last - y.first) * row_stride + x.last - x.first + 1;
  const std::int64_t once = (y.last - y.first + 1) * (x.last - x.first + 1);
  for (int i = 0; i < planes; ++i) {
    work.ports.scratch_reads(configuration, first + std::int64_t{i} * plane_stride, rows,
                             work.depthwise ? once : y.taps * x.taps);
  }
}

/// A command of the vector unit that reads in each of its cycles.
Work vector_work(int setup, std::int64_t cycles, int tail) {
  Work work;
  work.engine = isa::Engine::kVpu;
  work.setup = setup;
  work.cycles = cycles;
  work.tail = tail;
  work.early = tail;
  work.held = 1;
  return work;
}

/// One whose rows are requantized several times.
Work sum_work(int setup, std::int64_t rows, int tail) {
  Work work = vector_work(setup, rows * kSumCycles, tail);
  work.early += kAheadOfSum;
  if (rows > 1) {  // the last one waits a cycle for the multiplier
    ++work.early;
    ++work.held;
  }
  return work;
}

Work drain_work(const isa::Drain& op, const Configuration& configuration) {
  const std::int64_t rows = positions(op);
  Work work = vector_work(kPlainSetup + kBlockCycles, rows, kRequantizedTail);
  if (op.residual != 0) {
    work = sum_work(kPlainSetup + kBlockCycles + 3 * kScalarCycles, rows, kResidualTail);
    read_image(work, configuration, op.src2, op.out_height, op.out_width, op.src2_stride);
  }
  return work;
}

Work drain32_work(const isa::Drain32& op) {
  Work work = vector_work(kPlainSetup, positions(op) * kPlanes, kCopiedTail);
  work.ports.acc_drains((kPlanes - 1) * positions(op));  // the first of the reads of a row comes at the right time
  return work;
}

Work preload_work(const isa::Preload& op, const Configuration& configuration) {
  Work work = vector_work(kPlainSetup, positions(op) * kPlanes, kPreloadTail);
  for (int plane = 0; plane < kPlanes; ++plane) {
    read_image(work, configuration, op.src + plane * op.plane_stride, op.out_height, op.out_width, op.src_stride);
  }
  return work;
}

Work maxpool_work(const isa::Maxpool& op, const Configuration& configuration) {
  Work work = vector_work(kPoolSetup, positions(op) * op.kernel_h * op.kernel_w, kCopiedTail);
  read_windows(work, configuration, op, op.dilation_h, op.dilation_w, op.src, op.src_stride);
  return work;
}

Work avgpool_work(const isa::Avgpool& op, const Configuration& configuration) {
  const std::int64_t taps = positions(op) * op.kernel_h * op.kernel_w;
  const std::int64_t reads = reciprocals_read(op);
  Work work = vector_work(kPoolSetup, taps + kReciprocalCycles * reads, kRequantizedTail);
  if (taps <= 2 * positions(op)) {  // the first one is read while the rows of the command ahead are written
    work.setup += kReciprocalCycles;
    work.cycles -= kReciprocalCycles;
  }
  if (taps == positions(op)) {
    work.cycles += reads - 1;  // the only tap of a window before has to be read first
  }
  read_windows(work, configuration, op, op.dilation_h, op.dilation_w, op.src, op.src_stride);
  return work;
}

/// An operation on one or two images.
template <class Op>
Work elementwise_work(Work work, const Op& op, const Configuration& configuration) {
  read_image(work, configuration, op.src, op.out_height, op.out_width, op.src_stride);
  if constexpr (!std::is_same_v<Op, isa::Map>) {
    read_image(work, configuration, op.src2, op.out_height, op.out_width, op.src2_stride);
  }
  return work;
}

Work add_work(const isa::Add& op, const Configuration& configuration) {
  return elementwise_work(sum_work(kPlainSetup + 3 * kScalarCycles, positions(op), kAddTail), op, configuration);
}

Work multiply_work(const isa::Multiply& op, const Configuration& configuration) {
  return elementwise_work(vector_work(kPlainSetup + kScalarCycles, positions(op) * kFactors, kFactorsTail), op,
                          configuration);
}

Work map_work(const isa::Map& op, const Configuration& configuration) {
  return elementwise_work(vector_work(kPlainSetup, positions(op), kCopiedTail), op, configuration);
}

Work table_work(const isa::Table& op) {
  Work work = vector_work(kTableSetup, (op.words != 0 ? 1024 : 256) / kTableLoad, kTableTail);
  work.early = work.held = 0;  // taken with its commit
  return work;
}

/// Without the content of the kernel memory, a kernel counts as one strip.
Work kernel_work(const isa::Vector& op, const Configuration& configuration, const std::vector<kernel::Word>* kernels) {
  Work work = vector_work(kPlainSetup, kernel::kStripRows, 0);
  work.kernel = work.setup + work.cycles;
  if (kernels != nullptr) {
    const KernelTiming timing = time_kernel(op, configuration, *kernels);
    work.setup = static_cast<int>(timing.begins);
    work.cycles = timing.late;
    work.kernel = timing.retires;
    work.ports = timing.ports;
  }
  work.early = work.held = 0;
  return work;
}

/// The depthwise unit's raster for a block (rtl/depthwise/tpu_depthwise_setup.sv): whole lines up to the last output's
/// line, then up to its last tap. Taps before the input are skipped.
struct Raster {
  std::int64_t positions;
  std::int64_t lead;  ///< of them before the last tap of the first output
};

Raster raster_of(const isa::Depthwise& op) {
  const std::int64_t skipped_h = std::clamp<int>(-op.y0, 0, op.kernel_h - 1);
  const std::int64_t skipped_w = std::clamp<int>(-op.x0, 0, op.kernel_w - 1);
  const std::int64_t outputs = std::int64_t{op.out_width - 1} * op.stride_w + 1;
  const std::int64_t edge = std::clamp<std::int64_t>(op.x0 + outputs - 1 + op.kernel_w, 0, op.in_width);
  const std::int64_t line =
      std::max<std::int64_t>({kShortestLine, outputs, edge == 0 ? 0 : edge - (op.x0 + skipped_w)});
  const std::int64_t lead = (op.kernel_h - 1 - skipped_h) * line + op.kernel_w - 1 - skipped_w;
  return {lead + std::int64_t{op.out_height - 1} * op.stride_h * line + outputs, lead};
}

/// Cycles from one weight tile to the next: those of its positions, or of the rows that are loaded in the time. In
/// block floating point a tile of few positions waits for its last sum.
std::int64_t tile_cycles(const isa::Conv& op, const Configuration& configuration) {
  const std::int64_t loaded = std::max(configuration.dim, tiles_of(op, configuration).rows);
  const bool few = op.block_float != 0 && positions(op) < kBlockSumCycles;
  return std::max(loaded, positions(op) + (few ? kBlockSumCycles - 1 : 0));
}

Work conv_work(const isa::Conv& op, const Configuration& configuration) {
  Work work;
  work.engine = isa::Engine::kMxu;
  const ConvTiles all = tiles_of(op, configuration);
  const std::int64_t tiles = all.present;
  const std::int64_t tile = tile_cycles(op, configuration);
  work.setup = kMatrixSetup;
  work.cycles = tiles * tile + all.count - tiles;  // a tile that is skipped takes a cycle
  work.tile = tile;
  work.tile_rows = all.rows;
  work.tail = static_cast<int>(tile - positions(op));
  work.vectors = tiles * positions(op);
  work.fresh = op.accumulate != 0 ? 0 : tile;
  work.lag = 2 * configuration.dim + (op.block_float != 0 ? kBlockSumTail : 0);
  work.ports.acc_sums(work.vectors);
  read_windows(work, configuration, op, op.dilation_h, op.dilation_w, op.act_row, op.row_stride, op.blocks,
               op.plane_stride);
  return work;
}

Work depthwise_work(const isa::Depthwise& op, const Configuration& configuration) {
  Work work;
  work.engine = isa::Engine::kMxu;
  const int taps = op.kernel_h * op.kernel_w;
  const Raster raster = raster_of(op);
  const std::int64_t block = std::max<std::int64_t>(raster.positions, taps + 1);
  work.depthwise = true;
  work.setup = std::max(kMatrixSetup, taps + 2);
  work.cycles = op.blocks * block;
  work.tail = static_cast<int>(block - raster.positions);
  work.lead = static_cast<int>(raster.lead);
  work.vectors = op.blocks * raster.positions;
  work.fresh = op.accumulate != 0 ? 0 : work.cycles;
  work.lag = kDepthwisePipeline;
  work.ports.acc_sums(op.blocks * positions(op));
  read_windows(work, configuration, op, 1, 1, op.act_row, op.row_stride, op.blocks, op.plane_stride);
  return work;
}

}  // namespace

Work work_of(const isa::Instruction& instruction, const Configuration& configuration,
             const std::vector<kernel::Word>* kernels) {
  switch (static_cast<isa::Opcode>(instruction.words[0] & 0xFF)) {
    case isa::Opcode::kLoad: return load_work(isa::Load::decode(instruction), configuration);
    case isa::Opcode::kConv: return conv_work(isa::Conv::decode(instruction), configuration);
    case isa::Opcode::kDepthwise: return depthwise_work(isa::Depthwise::decode(instruction), configuration);
    case isa::Opcode::kStore: return store_work(isa::Store::decode(instruction), configuration);
    case isa::Opcode::kDrain: return drain_work(isa::Drain::decode(instruction), configuration);
    case isa::Opcode::kDrain32: return drain32_work(isa::Drain32::decode(instruction));
    case isa::Opcode::kPreload: return preload_work(isa::Preload::decode(instruction), configuration);
    case isa::Opcode::kMaxpool: return maxpool_work(isa::Maxpool::decode(instruction), configuration);
    case isa::Opcode::kAvgpool: return avgpool_work(isa::Avgpool::decode(instruction), configuration);
    case isa::Opcode::kAdd: return add_work(isa::Add::decode(instruction), configuration);
    case isa::Opcode::kMultiply: return multiply_work(isa::Multiply::decode(instruction), configuration);
    case isa::Opcode::kTable: return table_work(isa::Table::decode(instruction));
    case isa::Opcode::kMap: return map_work(isa::Map::decode(instruction), configuration);
    case isa::Opcode::kVector: return kernel_work(isa::Vector::decode(instruction), configuration, kernels);
    case isa::Opcode::kEnd:
    case isa::Opcode::kJump:
    case isa::Opcode::kSyncLoad:
    case isa::Opcode::kSyncMxu:
    case isa::Opcode::kSyncVpu:
    case isa::Opcode::kSyncStore: break;
  }
  Work work;
  work.engine = engine_of(instruction);
  return work;
}

}  // namespace systole::compiler

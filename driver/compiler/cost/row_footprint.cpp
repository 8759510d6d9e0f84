// SPDX-License-Identifier: Apache-2.0
#include "row_footprint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "systole/conv_tiles.hpp"
#include "systole/errors.hpp"
#include "systole/isa_check.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::compiler {
namespace {

/// One loop of an access pattern: `count` steps of `stride`.
struct Loop {
  std::int64_t count;
  std::int64_t stride;
};

class Collector {
 public:
  explicit Collector(const Configuration& configuration) : configuration_(configuration) {}

  void add(Memory memory, bool is_write, std::int64_t begin, std::int64_t length) {
    if (length <= 0) {
      return;
    }
    if (memory == Memory::kWeights) {
      const std::int64_t ring = configuration_.weight_rows;
      begin %= ring;
      const std::int64_t first = std::min(length, ring - begin);
      push(memory, is_write, begin, first);
      if (first < length) {
        push(memory, is_write, 0, std::min(length - first, ring));
      }
      return;
    }
    push(memory, is_write, begin, length);
  }

  /// All rows of a loop nest over `length` consecutive rows. Contiguous loops are merged into one span.
  void nest(Memory memory, bool is_write, std::int64_t begin, std::int64_t length, std::vector<Loop> loops) {
    std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.stride < b.stride; });
    std::vector<Loop> outer;
    for (const Loop& loop : loops) {
      if (loop.count == 1 || loop.stride == 0) {
        continue;
      }
      if (outer.empty() && loop.stride > 0 && loop.stride <= length) {
        length += (loop.count - 1) * loop.stride;
      } else {
        outer.push_back(loop);
      }
    }
    walk(memory, is_write, begin, length, outer, outer.size());
  }

  std::vector<Span> take() { return std::move(spans_); }

 private:
  void push(Memory memory, bool is_write, std::int64_t begin, std::int64_t length) {
    const auto from = static_cast<std::uint64_t>(begin);
    const auto to = static_cast<std::uint64_t>(begin + length);
    if (!spans_.empty()) {
      Span& last = spans_.back();
      if (last.memory == memory && last.is_write == is_write && last.end == from) {
        last.end = to;
        return;
      }
    }
    spans_.push_back({memory, is_write, from, to});
  }

  void walk(Memory memory, bool is_write, std::int64_t begin, std::int64_t length, const std::vector<Loop>& loops,
            std::size_t depth) {
    if (depth == 0) {
      add(memory, is_write, begin, length);
      return;
    }
    const Loop& loop = loops[depth - 1];
    for (std::int64_t i = 0; i < loop.count; ++i) {
      walk(memory, is_write, begin + i * loop.stride, length, loops, depth - 1);
    }
  }

  const Configuration& configuration_;
  std::vector<Span> spans_;
};

/// Positions of a tensor in the scratchpad: rows of `width`, `stride` apart.
void image(Collector& out, bool is_write, int row, int height, int width, int stride) {
  out.nest(Memory::kScratchpad, is_write, row, width, {{height, stride}});
}

/// Smallest and largest input coordinate inside [0, size) that a window reads; empty when lo > hi.
struct Reach {
  std::int64_t lo, hi;
};

Reach reach(std::int64_t origin, int outputs, int stride, int taps, int dilation, int size) {
  const std::int64_t last = origin + std::int64_t{outputs - 1} * stride + std::int64_t{taps - 1} * dilation;
  return {std::max<std::int64_t>(origin, 0), std::min<std::int64_t>(last, size - 1)};
}

/// Rows of one input plane that a window reads: every image row that some output row and tap needs, between the
/// outermost columns.
template <class Op>
void window_reads(Collector& out, const Op& op, std::int64_t plane, int row_stride) {
  const Reach x = reach(op.x0, op.out_width, op.stride_w, op.kernel_w, op.dilation_w, op.in_width);
  const Reach y = reach(op.y0, op.out_height, op.stride_h, op.kernel_h, op.dilation_h, op.in_height);
  if (x.lo > x.hi || y.lo > y.hi) {
    return;
  }
  std::vector<bool> touched(static_cast<std::size_t>(y.hi - y.lo + 1), false);
  for (int oy = 0; oy < op.out_height; ++oy) {
    for (int ky = 0; ky < op.kernel_h; ++ky) {
      const std::int64_t row = op.y0 + std::int64_t{oy} * op.stride_h + std::int64_t{ky} * op.dilation_h;
      if (row >= y.lo && row <= y.hi) {
        touched[static_cast<std::size_t>(row - y.lo)] = true;
      }
    }
  }
  for (std::int64_t row = y.lo; row <= y.hi; ++row) {
    if (touched[static_cast<std::size_t>(row - y.lo)]) {
      out.add(Memory::kScratchpad, false, plane + row * row_stride + x.lo, x.hi - x.lo + 1);
    }
  }
}

void collect(Collector& out, const isa::Load& op, const Configuration& configuration) {
  constexpr std::array<Memory, 4> kTarget = {Memory::kScratchpad, Memory::kWeights, Memory::kParameters,
                                             Memory::kKernels};
  const int blocks = (op.lane + op.slot_bytes - 1) / configuration.dim + 1;
  out.nest(
      kTarget[op.space], true, op.dst, 1,
      {{blocks, op.dst_block}, {op.pieces, op.dst_piece}, {op.count0, op.dst_stride0}, {op.count1, op.dst_stride1}});
  const int runs = op.valid_to - op.valid_from;
  if (runs > 0) {
    const std::int64_t first =
        std::int64_t{static_cast<std::int32_t>(op.src)} + std::int64_t{op.valid_from} * op.src_stride0;
    out.nest(Memory::kDevice, false, static_cast<std::uint32_t>(first), op.run_bytes,
             {{runs, op.src_stride0}, {op.count1, op.src_stride1}});
  }
}

void collect(Collector& out, const isa::Store& op, const Configuration& configuration) {
  const int blocks = (op.piece_bytes - 1) / configuration.dim + 1;
  out.nest(
      Memory::kScratchpad, false, op.src, 1,
      {{blocks, op.src_block}, {op.pieces, op.src_piece}, {op.count0, op.src_stride0}, {op.count1, op.src_stride1}});
  out.nest(Memory::kDevice, true, op.dst, std::int64_t{op.pieces} * op.piece_bytes,
           {{op.count0, op.dst_stride0}, {op.count1, op.dst_stride1}});
}

void collect(Collector& out, const isa::Conv& op, const Configuration& configuration) {
  const std::int64_t positions = std::int64_t{op.out_height} * op.out_width;
  out.add(Memory::kWeights, false, op.weight_row, tiles_of(op, configuration).ring_rows());
  for (int block = 0; block < op.blocks; ++block) {
    const int plane = op.act_row + block * op.plane_stride;
    window_reads(out, op, plane, op.row_stride);
    if (op.block_float != 0) {
      const int last = plane + (op.in_height - 1) * op.row_stride + op.in_width - 1;
      const int first = configuration.exponent_row(plane);
      out.add(Memory::kScratchpad, false, first, configuration.exponent_row(last) - first + 1);
    }
  }
  if (op.accumulate != 0) {
    out.add(Memory::kAccumulators, false, op.acc_row, positions);
  }
  out.add(Memory::kAccumulators, true, op.acc_row, positions);
}

void collect(Collector& out, const isa::Depthwise& op) {
  const std::int64_t positions = std::int64_t{op.blocks} * op.out_height * op.out_width;
  out.add(Memory::kWeights, false, op.weight_row, std::int64_t{op.blocks} * op.kernel_h * op.kernel_w);
  // The unit reads every position between the outermost taps.
  const Reach x = reach(op.x0, op.out_width, op.stride_w, op.kernel_w, 1, op.in_width);
  const Reach y = reach(op.y0, op.out_height, op.stride_h, op.kernel_h, 1, op.in_height);
  for (int block = 0; block < op.blocks && x.lo <= x.hi; ++block) {
    for (std::int64_t row = y.lo; row <= y.hi; ++row) {
      out.add(Memory::kScratchpad, false,
              op.act_row + std::int64_t{block} * op.plane_stride + row * op.row_stride + x.lo, x.hi - x.lo + 1);
    }
  }
  if (op.accumulate != 0) {
    out.add(Memory::kAccumulators, false, op.acc_row, positions);
  }
  out.add(Memory::kAccumulators, true, op.acc_row, positions);
}

/// All rows that a kernel could touch.
void collect_unknown_kernel(Collector& out, const Configuration& configuration) {
  out.add(Memory::kKernels, false, 0, kernel::memory_rows(configuration.dim));
  for (const bool is_write : {false, true}) {
    out.add(Memory::kScratchpad, is_write, 0, configuration.scratch_end());
    out.add(Memory::kAccumulators, is_write, 0, configuration.acc_rows);
  }
}

/// The loops of a kernel are run to find its rows.
void collect(Collector& out, const isa::Vector& op, const Configuration& configuration,
             const std::vector<kernel::Word>* kernels) {
  if (kernels == nullptr) {
    collect_unknown_kernel(out, configuration);
    return;
  }
  kernel::Sequencer sequencer(*kernels, op.entry, kernel::arguments_of(op));
  try {
    while (const kernel::VectorStep* step = sequencer.next()) {
      const kernel::MemoryOperand& operand = step->memory;
      const bool sums = operand.format == kernel::Format::kAcc;
      for (int plane = 0; step->has_memory && plane < operand.planes(); ++plane) {
        for (int row = 0; row < step->rows; ++row) {
          out.add(sums ? Memory::kAccumulators : Memory::kScratchpad, operand.store, operand.row(row, plane), 1);
          if (operand.format == kernel::Format::kBlocks) {
            out.add(Memory::kScratchpad, false, configuration.exponent_row(operand.row(row)), 1);
            if (operand.store) {
              out.add(Memory::kScratchpad, true, configuration.exponent_row(operand.row(row)), 1);
            }
          }
        }
      }
    }
  } catch (const kernel::KernelFault& fault) {
    if (fault.word >= kernels->size() || (*kernels)[fault.word] != kernel::kUnknownWord) {
      throw;
    }
    collect_unknown_kernel(out, configuration);
    return;
  }
  constexpr std::int64_t kWordBytes = sizeof(kernel::Word);
  const std::int64_t first = op.entry * kWordBytes / configuration.dim;
  const std::int64_t last = (sequencer.last() * kWordBytes + kWordBytes - 1) / configuration.dim;
  out.add(Memory::kKernels, false, first, last - first + 1);
}

constexpr int kParamBlockRows = 9;
constexpr int kScalarRows = 2;

template <class Op>
std::int64_t positions_of(const Op& op) {
  return std::int64_t{op.out_height} * op.out_width;
}

void collect_vector(Collector& out, const isa::Instruction& instruction, const Configuration& configuration) {
  switch (static_cast<isa::Opcode>(instruction.words[0] & 0xFF)) {
    case isa::Opcode::kDrain: {
      const auto op = isa::Drain::decode(instruction);
      out.add(Memory::kAccumulators, false, op.src, positions_of(op));
      out.add(Memory::kParameters, false, op.params, kParamBlockRows);
      if (op.residual != 0) {
        out.add(Memory::kParameters, false, op.scalars, 3 * kScalarRows);
        image(out, false, op.src2, op.out_height, op.out_width, op.src2_stride);
      }
      image(out, true, op.dst, op.out_height, op.out_width, op.dst_stride);
      return;
    }
    case isa::Opcode::kDrain32: {
      const auto op = isa::Drain32::decode(instruction);
      out.add(Memory::kAccumulators, false, op.src, positions_of(op));
      out.nest(Memory::kScratchpad, true, op.dst, op.out_width, {{op.out_height, op.dst_stride}, {4, op.plane_stride}});
      return;
    }
    case isa::Opcode::kPreload: {
      const auto op = isa::Preload::decode(instruction);
      out.nest(Memory::kScratchpad, false, op.src, op.out_width,
               {{op.out_height, op.src_stride}, {4, op.plane_stride}});
      out.add(Memory::kAccumulators, true, op.dst, positions_of(op));
      return;
    }
    case isa::Opcode::kMaxpool: {
      const auto op = isa::Maxpool::decode(instruction);
      window_reads(out, op, op.src, op.src_stride);
      image(out, true, op.dst, op.out_height, op.out_width, op.dst_stride);
      return;
    }
    case isa::Opcode::kAvgpool: {
      const auto op = isa::Avgpool::decode(instruction);
      window_reads(out, op, op.src, op.src_stride);
      // One entry per number of missing taps; few occur, and none lies beyond the memory.
      const int entries = op.count_padding != 0 ? 1 : op.kernel_h * op.kernel_w;
      out.add(Memory::kParameters, false, op.scalars,
              std::min(entries * kScalarRows, configuration.param_rows - op.scalars));
      image(out, true, op.dst, op.out_height, op.out_width, op.dst_stride);
      return;
    }
    case isa::Opcode::kAdd: {
      const auto op = isa::Add::decode(instruction);
      image(out, false, op.src, op.out_height, op.out_width, op.src_stride);
      image(out, false, op.src2, op.out_height, op.out_width, op.src2_stride);
      out.add(Memory::kParameters, false, op.scalars, 3 * kScalarRows);
      image(out, true, op.dst, op.out_height, op.out_width, op.dst_stride);
      return;
    }
    case isa::Opcode::kMultiply: {
      const auto op = isa::Multiply::decode(instruction);
      image(out, false, op.src, op.out_height, op.out_width, op.src_stride);
      image(out, false, op.src2, op.out_height, op.out_width, op.src2_stride);
      out.add(Memory::kParameters, false, op.scalars, kScalarRows);
      image(out, true, op.dst, op.out_height, op.out_width, op.dst_stride);
      return;
    }
    case isa::Opcode::kTable: {
      const auto op = isa::Table::decode(instruction);
      out.add(Memory::kParameters, false, op.params, (op.words != 0 ? 1024 : 256) / configuration.dim);
      return;
    }
    case isa::Opcode::kMap: {
      const auto op = isa::Map::decode(instruction);
      image(out, false, op.src, op.out_height, op.out_width, op.src_stride);
      image(out, true, op.dst, op.out_height, op.out_width, op.dst_stride);
      return;
    }
    default: return;
  }
}

}  // namespace

isa::Engine engine_of(const isa::Instruction& instruction) {
  const isa::InstructionInfo* info = isa::find_instruction(instruction);
  if (info == nullptr) {
    throw InvalidArgument(fmt::format("unknown opcode {:#04x}", instruction.words[0] & 0xFF));
  }
  return info->engine;
}

std::vector<Span> footprint(const isa::Instruction& instruction, const Configuration& configuration,
                            const std::vector<kernel::Word>* kernels) {
  Collector out(configuration);
  switch (static_cast<isa::Opcode>(instruction.words[0] & 0xFF)) {
    case isa::Opcode::kLoad: collect(out, isa::Load::decode(instruction), configuration); break;
    case isa::Opcode::kStore: collect(out, isa::Store::decode(instruction), configuration); break;
    case isa::Opcode::kConv: collect(out, isa::Conv::decode(instruction), configuration); break;
    case isa::Opcode::kDepthwise: collect(out, isa::Depthwise::decode(instruction)); break;
    case isa::Opcode::kVector: collect(out, isa::Vector::decode(instruction), configuration, kernels); break;
    default: collect_vector(out, instruction, configuration); break;
  }
  return out.take();
}

}  // namespace systole::compiler

// SPDX-License-Identifier: Apache-2.0
#include "systole/accesses.hpp"

#include <algorithm>
#include <vector>

#include "systole/conv_tiles.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole {
namespace {

using Count = std::int64_t;

/// Row numbers are 16 bits: sums wrap around as in the hardware.
constexpr std::uint16_t row16(std::int64_t sum) { return static_cast<std::uint16_t>(sum); }

/// Merges accesses to consecutive rows into one report. flush() reports the last one (visitors may throw).
class RowMerger {
 public:
  RowMerger(AccessVisitor& visitor, Memory memory, bool write, std::uint32_t limit)
      : visitor_(visitor), memory_(memory), write_(write), limit_(limit) {}

  void row(std::uint32_t row) {
    if (count_ != 0 && row >= first_ && row < first_ + count_) {
      return;
    }
    if (count_ != 0 && row == first_ + count_ && row < limit_) {
      ++count_;
      return;
    }
    flush();
    first_ = row;
    count_ = 1;
  }

  void flush() {
    if (count_ != 0) {
      visitor_.rows(memory_, first_, count_, write_);
    }
    count_ = 0;
  }

 private:
  AccessVisitor& visitor_;
  Memory memory_;
  bool write_;
  std::uint32_t limit_;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

class Walk {
 public:
  Walk(const Configuration& c, AccessVisitor& v) : c_(c), v_(v) {}

  void operator()(const isa::Load& op) {
    for (Count i1 = 0; i1 < op.count1; ++i1) {
      for (Count i0 = op.valid_from; i0 < op.valid_to; ++i0) {
        v_.bytes(op.window, static_cast<std::uint32_t>(op.src + i1 * op.src_stride1 + i0 * op.src_stride0),
                 op.run_bytes, false);
      }
    }
    constexpr Memory kTargets[] = {Memory::kScratchpad, Memory::kWeights, Memory::kParameters, Memory::kKernels};
    const Memory memory = kTargets[op.space];
    const std::uint32_t limit = memory == Memory::kWeights ? static_cast<std::uint32_t>(c_.weight_rows) : 65536;
    const Count blocks = (op.lane + op.slot_bytes - 1) / c_.dim + 1;
    RowMerger merger(v_, memory, true, limit);
    for (Count i1 = 0; i1 < op.count1; ++i1) {
      for (Count i0 = 0; i0 < op.count0; ++i0) {
        for (Count p = 0; p < op.pieces; ++p) {
          for (Count b = 0; b < blocks; ++b) {
            merger.row(row16(op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0 + p * op.dst_piece + b * op.dst_block) %
                       limit);
          }
        }
      }
    }
    merger.flush();
  }

  void operator()(const isa::Store& op) {
    const Count blocks = (op.piece_bytes - 1) / c_.dim + 1;
    RowMerger merger(v_, Memory::kScratchpad, false, 65536);
    for (Count i1 = 0; i1 < op.count1; ++i1) {
      for (Count i0 = 0; i0 < op.count0; ++i0) {
        v_.bytes(op.window, static_cast<std::uint32_t>(op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0),
                 std::uint64_t{op.pieces} * op.piece_bytes, true);
        for (Count p = 0; p < op.pieces; ++p) {
          for (Count b = 0; b < blocks; ++b) {
            merger.row(row16(op.src + i1 * op.src_stride1 + i0 * op.src_stride0 + p * op.src_piece + b * op.src_block));
          }
        }
      }
    }
    merger.flush();
  }

  void operator()(const isa::Conv& op) {
    weights(op.weight_row, tiles_of(op, c_).ring_rows());
    // Rows that only skipped tiles would read are counted as read.
    // Every input row in `ys` is read at every input column in `xs`.
    const auto ys = coordinates(op.y0, op.out_height, op.stride_h, op.kernel_h, op.dilation_h, op.in_height);
    const auto xs = coordinates(op.x0, op.out_width, op.stride_w, op.kernel_w, op.dilation_w, op.in_width);
    RowMerger merger(v_, Memory::kScratchpad, false, 65536);
    for (Count kb = 0; kb < op.blocks; ++kb) {
      for (const Count y : ys) {
        for (const Count x : xs) {
          merger.row(row16(op.act_row + kb * op.plane_stride + y * op.row_stride + x));
        }
      }
    }
    merger.flush();
    RowMerger exponents(v_, Memory::kScratchpad, false, 65536);
    for (Count kb = 0; op.block_float != 0 && kb < op.blocks; ++kb) {
      for (const Count y : ys) {
        for (const Count x : xs) {
          exponents.row(exponents_of(row16(op.act_row + kb * op.plane_stride + y * op.row_stride + x)));
        }
      }
    }
    exponents.flush();
    sums(op.accumulate, op.acc_row, Count{op.out_height} * op.out_width);
  }

  void operator()(const isa::Depthwise& op) {
    weights(op.weight_row, Count{op.blocks} * op.kernel_h * op.kernel_w);
    // The unit reads every position between the outermost taps, also those that a stride skips.
    const Count top = std::max<Count>(op.y0, 0), left = std::max<Count>(op.x0, 0);
    const Count bottom = std::min<Count>(op.y0 + (op.out_height - 1) * Count{op.stride_h} + op.kernel_h, op.in_height);
    const Count right = std::min<Count>(op.x0 + (op.out_width - 1) * Count{op.stride_w} + op.kernel_w, op.in_width);
    RowMerger merger(v_, Memory::kScratchpad, false, 65536);
    for (Count kb = 0; kb < op.blocks; ++kb) {
      for (Count y = top; y < bottom; ++y) {
        for (Count x = left; x < right; ++x) {
          merger.row(row16(op.act_row + kb * op.plane_stride + y * op.row_stride + x));
        }
      }
    }
    merger.flush();
    sums(op.accumulate, op.acc_row, Count{op.blocks} * op.out_height * op.out_width);
  }

  void operator()(const isa::Drain& op) {
    read(Memory::kParameters, op.params, 9);
    if (op.residual) {
      read(Memory::kParameters, op.scalars, 6);
    }
    positions(op, [&](Count p, Count oy, Count ox) {
      read(Memory::kAccumulators, op.src + p, 1);
      if (op.residual) {
        read(Memory::kScratchpad, row16(op.src2 + oy * op.src2_stride + ox), 1);
      }
      write(row16(op.dst + oy * op.dst_stride + ox));
    });
  }

  void operator()(const isa::Drain32& op) {
    positions(op, [&](Count p, Count oy, Count ox) {
      read(Memory::kAccumulators, op.src + p, 1);
      for (Count plane = 0; plane < 4; ++plane) {
        write(row16(op.dst + oy * op.dst_stride + ox + plane * op.plane_stride));
      }
    });
  }

  void operator()(const isa::Preload& op) {
    positions(op, [&](Count p, Count oy, Count ox) {
      for (Count plane = 0; plane < 4; ++plane) {
        read(Memory::kScratchpad, row16(op.src + oy * op.src_stride + ox + plane * op.plane_stride), 1);
      }
      v_.rows(Memory::kAccumulators, static_cast<std::uint32_t>(op.dst + p), 1, true);
    });
  }

  void operator()(const isa::Maxpool& op) {
    pool(op, [](Count) {});
  }

  void operator()(const isa::Avgpool& op) {
    pool(op, [&](Count missing) {
      read(Memory::kParameters, row16(op.scalars + (op.count_padding ? 0 : 2 * missing)), 2);
    });
  }

  void operator()(const isa::Add& op) { element_wise(op, 6); }
  void operator()(const isa::Multiply& op) { element_wise(op, 2); }

  void operator()(const isa::Table& op) { read(Memory::kParameters, op.params, (op.words ? 1024 : 256) / c_.dim); }

  void operator()(const isa::Map& op) {
    positions(op, [&](Count, Count oy, Count ox) {
      read(Memory::kScratchpad, row16(op.src + oy * op.src_stride + ox), 1);
      write(row16(op.dst + oy * op.dst_stride + ox));
    });
  }

  void operator()(const isa::Vector& op, const std::vector<kernel::Word>* kernels) {
    if (kernels == nullptr) {
      unknown_kernel(op.entry);
      return;
    }
    kernel::Sequencer sequencer(*kernels, op.entry, kernel::arguments_of(op));
    // Also the words that loops pass over.
    const auto words_read = [&] {
      if (op.entry < kernels->size()) {
        const Count first = Count{op.entry} * 8 / c_.dim, last = (Count{sequencer.last()} * 8 + 7) / c_.dim;
        read(Memory::kKernels, first, last - first + 1);
      }
      v_.executed_words(sequencer.executed());
    };
    try {
      while (const kernel::VectorStep* step = sequencer.next()) {
        if (step->has_memory) {
          strip(step->memory, step->rows);
        }
      }
    } catch (const kernel::KernelFault& fault) {
      words_read();
      if (fault.word < kernels->size() && (*kernels)[fault.word] == kernel::kUnknownWord) {
        unknown_kernel(fault.word);
        return;
      }
      throw;
    }
    words_read();
  }

 private:
  /// The memory operand of a vector operation.
  void strip(const kernel::MemoryOperand& operand, int rows) {
    const Memory memory = operand.format == kernel::Format::kAcc ? Memory::kAccumulators : Memory::kScratchpad;
    RowMerger merger(v_, memory, operand.store, 65536);
    for (int plane = 0; plane < operand.planes(); ++plane) {
      for (int row = 0; row < rows; ++row) {
        merger.row(operand.row(row, plane));
      }
    }
    merger.flush();
    // A store changes single exponents and keeps the others of their row: it reads and writes the row.
    for (int write = 0; write <= static_cast<int>(operand.store); ++write) {
      RowMerger exponents(v_, memory, write != 0, 65536);
      for (int row = 0; operand.format == kernel::Format::kBlocks && row < rows; ++row) {
        exponents.row(exponents_of(operand.row(row)));
      }
      exponents.flush();
    }
  }

  /// The row with the exponents of a row. A row that has none, because it holds exponents itself, gives one beyond the
  /// memory.
  std::uint32_t exponents_of(std::uint16_t row) const { return static_cast<std::uint32_t>(c_.exponent_row(row)); }

  void unknown_kernel(std::uint32_t word) {
    v_.unknown_kernel(word);
    for (const Memory memory : {Memory::kKernels, Memory::kScratchpad, Memory::kAccumulators}) {
      read(memory, 0, rows_of(c_, memory));
    }
    for (const Memory memory : {Memory::kScratchpad, Memory::kAccumulators}) {
      v_.rows(memory, 0, static_cast<std::uint32_t>(rows_of(c_, memory)), true);
    }
  }

  void read(Memory memory, Count first, Count count) {
    if (count > 0) {
      v_.rows(memory, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count), false);
    }
  }

  /// `rows` rows of the weight ring starting at `row`; at most the whole ring.
  void weights(Count row, Count rows) {
    rows = std::min<Count>(rows, c_.weight_rows);
    const Count first = row % c_.weight_rows;
    const Count before_wrap = std::min<Count>(rows, c_.weight_rows - first);
    read(Memory::kWeights, first, before_wrap);
    read(Memory::kWeights, 0, rows - before_wrap);
  }

  /// Accumulator rows of an instruction of the matrix unit.
  void sums(bool accumulate, Count row, Count positions) {
    positions = std::min<Count>(positions, 65536);
    if (accumulate) {
      read(Memory::kAccumulators, row, positions);
    }
    v_.rows(Memory::kAccumulators, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(positions), true);
  }

  void write(std::uint16_t row) { v_.rows(Memory::kScratchpad, row, 1, true); }

  template <typename Op, typename Position>
  static void positions(const Op& op, Position position) {
    Count p = 0;
    for (Count oy = 0; oy < op.out_height; ++oy) {
      for (Count ox = 0; ox < op.out_width; ++ox, ++p) {
        position(p, oy, ox);
      }
    }
  }

  template <typename Op>
  void element_wise(const Op& op, Count parameter_rows) {
    read(Memory::kParameters, op.scalars, parameter_rows);
    positions(op, [&](Count, Count oy, Count ox) {
      read(Memory::kScratchpad, row16(op.src + oy * op.src_stride + ox), 1);
      read(Memory::kScratchpad, row16(op.src2 + oy * op.src2_stride + ox), 1);
      write(row16(op.dst + oy * op.dst_stride + ox));
    });
  }

  template <typename Op, typename Parameters>
  void pool(const Op& op, Parameters parameters) {
    positions(op, [&](Count, Count oy, Count ox) {
      Count missing = 0;
      for (Count ky = 0; ky < op.kernel_h; ++ky) {
        const Count y = op.y0 + oy * op.stride_h + ky * op.dilation_h;
        for (Count kx = 0; kx < op.kernel_w; ++kx) {
          const Count x = op.x0 + ox * op.stride_w + kx * op.dilation_w;
          if (0 <= y && y < op.in_height && 0 <= x && x < op.in_width) {
            read(Memory::kScratchpad, row16(op.src + y * op.src_stride + x), 1);
          } else {
            ++missing;
          }
        }
      }
      parameters(missing);
      write(row16(op.dst + oy * op.dst_stride + ox));
    });
  }

  /// Distinct coordinates along one axis that lie inside the input, ascending.
  static std::vector<Count> coordinates(Count start, Count outputs, Count stride, Count taps, Count dilation,
                                        Count inputs) {
    std::vector<bool> used(static_cast<std::size_t>(inputs));
    for (Count o = 0; o < outputs && start + o * stride < inputs; ++o) {
      for (Count k = 0; k < taps; ++k) {
        const Count at = start + o * stride + k * dilation;
        if (0 <= at && at < inputs) {
          used[static_cast<std::size_t>(at)] = true;
        }
      }
    }
    std::vector<Count> list;
    for (Count at = 0; at < inputs; ++at) {
      if (used[static_cast<std::size_t>(at)]) {
        list.push_back(at);
      }
    }
    return list;
  }

  const Configuration& c_;
  AccessVisitor& v_;
};

}  // namespace

void visit_accesses(const isa::Instruction& i, const Configuration& configuration, AccessVisitor& visitor,
                    const std::vector<kernel::Word>* kernels) {
  Walk walk(configuration, visitor);
  switch (static_cast<isa::Opcode>(isa::get(i, 0, 8))) {
    case isa::Opcode::kLoad: return walk(isa::Load::decode(i));
    case isa::Opcode::kStore: return walk(isa::Store::decode(i));
    case isa::Opcode::kConv: return walk(isa::Conv::decode(i));
    case isa::Opcode::kDepthwise: return walk(isa::Depthwise::decode(i));
    case isa::Opcode::kDrain: return walk(isa::Drain::decode(i));
    case isa::Opcode::kDrain32: return walk(isa::Drain32::decode(i));
    case isa::Opcode::kPreload: return walk(isa::Preload::decode(i));
    case isa::Opcode::kMaxpool: return walk(isa::Maxpool::decode(i));
    case isa::Opcode::kAvgpool: return walk(isa::Avgpool::decode(i));
    case isa::Opcode::kAdd: return walk(isa::Add::decode(i));
    case isa::Opcode::kMultiply: return walk(isa::Multiply::decode(i));
    case isa::Opcode::kTable: return walk(isa::Table::decode(i));
    case isa::Opcode::kMap: return walk(isa::Map::decode(i));
    case isa::Opcode::kVector: return walk(isa::Vector::decode(i), kernels);
    case isa::Opcode::kEnd:
    case isa::Opcode::kJump:
    case isa::Opcode::kSyncLoad:
    case isa::Opcode::kSyncMxu:
    case isa::Opcode::kSyncVpu:
    case isa::Opcode::kSyncStore: return;
  }
}

}  // namespace systole

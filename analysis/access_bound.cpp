// SPDX-License-Identifier: Apache-2.0
// An upper bound on the iterations of visit_accesses() (accesses.cpp), computed without running its loops.
#include <algorithm>

#include "systole/accesses.hpp"
#include "systole/isa_check.hpp"

namespace systole {
namespace {

using Count = std::uint64_t;

constexpr Count kBeside = 4;    // upper bound on the reports outside the loops: parameters, weights, accumulators
constexpr Count kPosition = 5;  // upper bound on the rows of one position apart from its window: one accumulator and
                                // four planes
constexpr Count kKernel = (Count{1} << kernel::kWorkLog2) * kernel::kStripRows * 4;  // every word a strip of int32

template <class Op>
Count transfers(const Op& op, int bytes, int dim) {
  const Count blocks = (static_cast<Count>(bytes) - 1) / static_cast<Count>(dim) + 1;
  return Count{op.count0} * op.count1 * (op.pieces * blocks + 1);
}

Count conv(const isa::Conv& op) {
  const Count tried_h = Count{op.out_height} * op.kernel_h, tried_w = Count{op.out_width} * op.kernel_w;
  return tried_h + op.in_height + tried_w + op.in_width +
         op.blocks * std::min<Count>(tried_h, op.in_height) * std::min<Count>(tried_w, op.in_width);
}

Count depthwise(const isa::Depthwise& op) {
  const Count lines = (op.out_height - Count{1}) * op.stride_h + op.kernel_h,
              columns = (op.out_width - Count{1}) * op.stride_w + op.kernel_w;
  return op.blocks * std::min<Count>(lines, op.in_height) * std::min<Count>(columns, op.in_width);
}

/// Vector unit: positions one after another and, for a window operator, the taps of each window.
Count positions(const isa::Instruction& i) {
  const isa::InstructionInfo& info = *isa::find_instruction(i);
  const auto value = [&](const char* name, Count without) {
    const isa::FieldInfo* field = isa::find_field(info, name);
    return field == nullptr ? without : static_cast<Count>(isa::field_value(*field, i));
  };
  return value("out_height", 0) * value("out_width", 0) * (value("kernel_h", 0) * value("kernel_w", 0) + kPosition);
}

}  // namespace

std::uint64_t access_bound(const isa::Instruction& i, const Configuration& configuration) {
  switch (static_cast<isa::Opcode>(isa::get(i, 0, 8))) {
    case isa::Opcode::kLoad: {
      const auto op = isa::Load::decode(i);
      return transfers(op, op.lane + op.slot_bytes, configuration.dim);
    }
    case isa::Opcode::kStore: {
      const auto op = isa::Store::decode(i);
      return transfers(op, op.piece_bytes, configuration.dim);
    }
    case isa::Opcode::kConv: return conv(isa::Conv::decode(i)) + kBeside;
    case isa::Opcode::kDepthwise: return depthwise(isa::Depthwise::decode(i)) + kBeside;
    case isa::Opcode::kVector: return kKernel + kBeside;
    default: return positions(i) + kBeside;
  }
}

}  // namespace systole
